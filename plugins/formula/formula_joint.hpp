#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "equations.hpp"
#include "trammel/element.hpp"
#include "trammel/joint_assembly.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::formula {

/// A coordinate of the joint, as its case names it.
struct Coordinate {
  std::string name, unit;
};

/// A surface and a curve drawn in the axes of A besides the glyph: x, y and z as functions of u and v from 0 to 1;
/// null if absent.
struct Drawing {
  std::array<FormulaPtr, 3> surface, curve;
};

/// A joint whose equations are texts: C(p_AB_A, R_AB, c, t) = 0 (or, of gaps, >= 0) at position level, e(p_AB_A, R_AB, c, t, v, w, c') = 0,
/// linear in velocities, at velocity level.
///
/// Local system: blocks of A, of B, the coordinates, the multipliers, the velocity multipliers; of the last three those
/// that there are.
class FormulaJoint {
 public:
  FormulaJoint(JointSite site, std::shared_ptr<const Equations> equations,
               std::shared_ptr<const std::vector<Coordinate>> coordinates,
               std::shared_ptr<const Drawing> drawing);

  const JointSite& site() const { return site_; }
  bool couples(int row, int column) const { return row < first_multiplier_ || column < first_multiplier_; }

  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const;

 private:
  bool has_position() const { return !equations_->position().empty(); }
  bool has_velocity() const { return !equations_->velocity().empty(); }
  int velocity_block() const { return first_multiplier_ + (has_position() ? 1 : 0); }
  /// `twist` is null where no velocity is read.
  RelativeValues values(const LocalState& x, const Mat3& R_AB, const Vec3& p_AB_A, const Vec6* twist) const;
  void add_position_rows(const LocalState& x, const RelativePose& pose, const RelativeValues& at,
                         LocalSystem& out) const;
  void add_velocity_rows(const LocalState& x, const RelativeMotion& motion, const RelativeValues& at,
                         LocalSystem& out) const;
  /// The wrench of the multipliers on zeta, with those of equations at position level where `position`.
  Vec6 wrench(const LocalState& x, const RelativeMotion& motion, bool position) const;
  JointForces reaction(const LocalState& x, const ReactionContributions& contributions,
                       RelativeMotion& motion) const;
  /// All equations by the relative motion and the coordinates, or by their rates.
  Eigen::MatrixXd equations_by_motion(const LocalState& x, const RelativeMotion& motion) const;

  JointSite site_;
  std::shared_ptr<const Equations> equations_;
  std::shared_ptr<const std::vector<Coordinate>> coordinates_;
  std::shared_ptr<const Drawing> drawing_;
  int blocks_ = 0;  ///< of the markers
  int first_multiplier_ = 0;
};

}  // namespace trammel::formula
