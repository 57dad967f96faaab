#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "axes.hpp"
#include "followed.hpp"
#include "offsets.hpp"
#include "rotation_equations.hpp"
#include "trammel/archive.hpp"
#include "trammel/canvas.hpp"
#include "trammel/element.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::generic_joint {

/// How the axes of a joint are drawn.
struct Drawing {
  bool show = true;
  double axis_radius = -1, axis_length = -1;       ///< [m]; below 0: by the size of the model
  std::array<double, 4> colour{0.5, 0.5, 0.5, 1};  ///< RGBA, 0 to 1

  /// The colour of a kind of joint.
  static std::array<double, 4> colour_of(LockedAxes::Kind kind);
};

/// Definition of a generic joint by a case.
struct Definition {
  LockedAxes axes;
  Marker J0, J1;  ///< joint frames on marker A and on marker B
  Offsets offsets;
  /// Signals that offset functions read; null if there are none. Shared by copies of the joint.
  std::shared_ptr<FollowedSignals> signals;
  bool alternative = false;
  bool hold = true;  ///< activation during the run keeps the pose then present; else the joint must be closed
  double length = 1;  ///< of the model [m]: what a gap is small against
  Drawing drawing;
};

/// The generic joint. Its equations are functions of the pose of J1 in the offset frame J0U (offset_frame):
///
///     (p_J0U,J1 in axes of J0U)_k = 0    for each locked translation k
///     RotationEquations of R_J0U,J1      for the locked rotations
///
/// Local system: blocks of A, blocks of B, multipliers of the translations, multipliers of the rotations, blocks of the
/// signals that functions read.
class GenericJoint {
 public:
  explicit GenericJoint(Definition definition);

  const Definition& definition() const { return what_; }
  const JointSite& site() const { return site_; }
  /// Blocks of A, then of B.
  std::vector<BlockId> blocks() const { return site_.blocks(); }
  int translation_count() const { return translations_; }
  int rotation_count() const { return rotation_.count(); }
  /// J0U.
  const Marker& frame() const { return site_.A; }

  bool couples(int row, int column) const;
  void evaluate(const LocalState& x, LocalSystem& out) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const;

  struct History {
    static constexpr int version = 1;
    bool on_branch = true;  ///< the state is on the right branch of the rotation equations
    /// |B v + C_t| where a jump of an offset's rate begins the step still to come.
    double jump = 0;
    bool held = false;             ///< an activation has put another frame in the place of J1:
    Mat3 R_J1 = Mat3::Identity();  ///< that frame in J1
    Vec3 p_J1 = Vec3::Zero();
    SignalReadings signals;

    void serialize(Archive& archive) { archive(on_branch, jump, held, R_J1, p_J1, signals); }
  };
  History& history() { return history_; }
  void restored();

  /// Values of the equations at the relative pose of J1 in J0U: translations, then rotations.
  Vec6 gaps(const Mat3& R_AB, const Vec3& p_AB_A) const;
  bool on_branch(const Mat3& R_AB) const { return rotation_.on_branch(R_AB); }
  /// Tells that the state at the start lies on the wrong branch and is to be assembled.
  void start_off_branch() { history_.on_branch = false; }
  /// Tolerance of a gap [m or rad].
  double tolerance() const;
  /// "translation along x", "rotation (equation 2)".
  std::string row_name(int row) const;

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

  int rows() const { return translations_ + rotation_.count(); }
  double multiplier(const LocalState& x, int row) const {
    return row < translations_ ? x.value(blocks_)[row]
                               : x.value(blocks_ + (translations_ > 0 ? 1 : 0))[row - translations_];
  }
  /// The relative wrench (force in axes of J0U, moment in axes of J1) of B^T lambda.
  Vec6 wrench(const LocalState& x, const RotationTerms& terms) const;
  void relative(const LocalState& x, MotionLevel level, RelativeMotion& out) const;
  /// B v + C_t, and with `bias` B a + bias.
  Rows rates(const LocalState& x, bool accelerations) const;

  int first_signal_block() const {
    return blocks_ + (translations_ > 0 ? 1 : 0) + (rotation_.count() > 0 ? 1 : 0);
  }
  /// A jump of offset k that is none [m or rad].
  double no_offset_in(int k) const;
  bool at_rest(const LocalState& x) const;
  /// Message about an offset that jumps within a step while the model moves; empty if none does.
  std::string jump_of_offset(const StepInfo& step) const;
  void hold(const Mat3& R_AB, const Vec3& p_AB_A);
  void set_held();
  JointForces forces(const LocalState& x, RelativeMotion& motion, MarkerMotion& J0) const;

  Definition what_;
  JointSite site_;  ///< A: J0U; B: J1, or the frame on B that an activation holds
  RotationEquations rotation_;
  std::array<int, 3> locked_{};                   ///< axis of translation row i
  int translations_ = 0, blocks_ = 0, dofs_ = 0;  ///< blocks and unknowns of A and B
  bool rigid_ = true;                             ///< no marker has a shape
  History history_;
};

}  // namespace trammel::generic_joint
