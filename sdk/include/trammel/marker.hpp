#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/growing_columns.hpp"
#include "trammel/reserved.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Number of columns of a marker that are stored without allocation: two frames and some coordinates.
inline constexpr int inline_marker_dofs = 16;

/// Matrices with the columns of one marker, or of two.
template <int rows>
using ByMarker = GrowingColumns<rows, inline_marker_dofs>;
template <int rows>
using ByMarkerPair = GrowingColumns<rows, 2 * inline_marker_dofs>;

using MarkerJacobian = ByMarker<6>;

/// Motion of a marker M at one state. Twists are (velocity of the origin in world components; angular velocity
/// w_WM_M in marker components), variations likewise: (dp_WM_W; dtheta_M with R_WM <- R_WM exp(dtheta_M~)).
struct MarkerMotion {
  Mat3 R_WM;
  Vec3 p_WM;
  Vec3 compensation_W =
      Vec3::Zero();               ///< rounding error of p_WM, for small differences of positions (`p_AB_W`)
  int dofs = 0;                   ///< columns of J: the sum of the sizes of the marker's blocks
  MarkerJacobian J;               ///< variation = J dq; twist = J v + (explicit rate in time)
  Vec6 twist;                     ///< includes explicit rates in time
  MarkerJacobian twist_gradient;  ///< d(twist)/dq by the increments at fixed v
  Vec6 bias;                      ///< rate of the twist if all accelerations of the blocks are zero
  Reserved<2> reserved{};
};

/// The vector from A's origin to B's in world components [m], without the rounding error of positions far from the origin. Joints and
/// stiff elements between two markers should use it.
inline Vec3 p_AB_W(const MarkerMotion& A, const MarkerMotion& B) {
  return (B.p_WM - A.p_WM) + (B.compensation_W - A.compensation_W);
}

/// How much of a marker's motion to compute.
enum class MotionLevel {
  pose,      ///< R_WM, p_WM
  jacobian,  ///< and J
  velocity,  ///< and twist
  full,      ///< and twist_gradient and bias
};

/// The motion of a marker that is not rigidly fixed to one frame: a marker with a prescribed motion, a point of a beam, a point at a
/// variable coordinate. Implemented by the sdk and by plugins.
class MarkerShape {
 public:
  virtual ~MarkerShape() = default;

  /// The blocks on which position and orientation depend, in the order of the columns of J.
  virtual std::vector<BlockId> blocks() const = 0;
  /// Their sizes. Override it if they include other blocks than positions and rotations.
  virtual std::vector<int> block_sizes() const { return std::vector<int>(blocks().size(), 3); }
  /// Evaluates at x, in which the marker's blocks begin at index `first`.
  virtual void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const = 0;
  /// Adds d(J^T w)/dq for the wrench w = (force on the origin in world components; moment in marker components) to
  /// the square matrix K, which is `motion.dofs` wide.
  virtual void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                                Eigen::Ref<Eigen::MatrixXd> K) const = 0;
};

/// A coordinate system fixed to the ground, to a frame, or to a MarkerShape, with a constant offset: X_WM = X_WF X_FM, with F the
/// ground, the frame or the shape. Copies refer to the same shape.
class TRAMMEL_API Marker {
 public:
  /// A marker fixed to the world.
  static Marker ground(const Mat3& R_WM = Mat3::Identity(), const Vec3& p_WM = Vec3::Zero());
  /// A marker fixed to a frame.
  static Marker on_frame(const Frame& frame, const Mat3& R_FM = Mat3::Identity(),
                         const Vec3& p_FM_F = Vec3::Zero());
  /// A marker at a position block, without orientation: joints can use its position only.
  static Marker on_point(BlockId position);
  static Marker on_shape(std::shared_ptr<const MarkerShape> shape);

  /// The same marker with a further constant offset: X_FM' = X_FM X_MM'.
  Marker offset(const Mat3& R_MN, const Vec3& p_MN_M = Vec3::Zero()) const;

  bool is_ground() const { return kind_ == Kind::ground; }
  bool is_rigid_frame() const { return kind_ == Kind::frame; }
  bool is_point() const { return kind_ == Kind::point; }
  bool has_shape() const { return kind_ == Kind::shape; }
  const MarkerShape* shape() const { return has_shape() ? rest_->shape.get() : nullptr; }
  /// The frame to which a rigid marker is fixed (blocks are `no_block` for the ground).
  const Frame& frame() const { return frame_; }
  const Mat3& R_FM() const { return is_turned() ? *turn_ : no_turn; }
  /// Whether its axes are not those of its frame: else R_FM is the identity.
  bool is_turned() const { return turn_ != nullptr; }
  const Vec3& p_FM_F() const { return p_FM_F_; }
  /// True if the marker's origin is the origin of a frame, or a point.
  bool at_frame_origin() const { return (is_rigid_frame() && p_FM_F_.isZero(0)) || is_point(); }

  /// The name in the case: "crank.start".
  const std::string& name() const {
    if (const Rest* const rest = rest_.get()) return rest->name;
    return is_ground() ? name_of_ground : no_name;
  }
  Marker named(std::string name) const;

  /// The marker's blocks, in the order of the columns of J.
  std::vector<BlockId> blocks() const;
  int block_count() const {
    if (has_shape()) return static_cast<int>(shape()->blocks().size());
    return is_rigid_frame() ? 2 : is_point() ? 1 : 0;
  }
  std::vector<int> block_sizes() const;

  void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const;
  /// Of a marker without a shape the pose, with `twist` the twist too; the rest of `out` is left as it is. Inline: what the caller
  /// does not read costs nothing.
  void evaluate_rigid(const LocalState& x, int first, bool twist, MarkerMotion& out) const;
  /// Rate of the twist at the accelerations of x: (acceleration of the origin in world components; rate of w_WM_M).
  /// `motion` must be the result of `evaluate` at x with MotionLevel::full.
  Vec6 acceleration(const LocalState& x, int first, const MarkerMotion& motion) const;
  void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const;

 private:
  enum class Kind : std::uint8_t { ground, frame, point, shape };
  /// What copies share. Fields may be added at its end.
  struct Rest {
    std::string name;
    std::shared_ptr<const MarkerShape> shape;
    std::shared_ptr<const Mat3> turn;
  };
  static const Mat3 no_turn;
  static const std::string name_of_ground, no_name;

  /// This marker with the rest that `change` makes of its own.
  template <class Change>
  Marker with_rest(Change&& change) const;
  void set_R_FM(const Mat3& R_FM);

  // What residuals of rigid joints read, and no more: in large models they are read from memory.
  Vec3 p_FM_F_ = Vec3::Zero();
  Frame frame_;
  Kind kind_ = Kind::ground;
  bool offset_is_identity_ = true;
  const Mat3* turn_ = nullptr;  ///< R_FM, which `rest_` owns; null for the identity, which most markers have
  std::shared_ptr<const Rest> rest_;  ///< null without a turn, a shape and a name of its own
};

namespace detail {

/// The pose of a marker at (turn, p_FM_F) in the frame of position block `first` and of the rotation block after it. `turn`: R_FM; null
/// for the identity.
inline void pose_in_frame(const LocalState& x, int first, const Mat3* turn, const Vec3& p_FM_F,
                          MarkerMotion& out) {
  const Eigen::Map<const Mat3> R_WF = x.rotation(first + 1);
  if (turn == nullptr)
    out.R_WM = R_WF;
  else
    out.R_WM = R_WF.lazyProduct(*turn);
  out.p_WM = x.position(first);
  out.compensation_W = x.compensation(first);
  add_to_place(out.p_WM, out.compensation_W, R_WF.lazyProduct(p_FM_F));
  out.dofs = 6;
}

inline void twist_in_frame(const LocalState& x, int first, const Mat3* turn, const Vec3& p_FM_F,
                           MarkerMotion& out) {
  const Eigen::Map<const Vec3> w = x.velocity(first + 1);
  out.twist.head<3>() = x.velocity(first) + x.rotation(first + 1).lazyProduct(w.cross(p_FM_F));
  if (turn == nullptr)
    out.twist.tail<3>() = w;
  else
    out.twist.tail<3>() = turn->transpose().lazyProduct(w);
}

}  // namespace detail

inline void Marker::evaluate_rigid(const LocalState& x, int first, bool twist, MarkerMotion& out) const {
  eigen_assert(!has_shape());
  if (kind_ == Kind::frame) {
    detail::pose_in_frame(x, first, turn_, p_FM_F_, out);
    if (twist) detail::twist_in_frame(x, first, turn_, p_FM_F_, out);
    return;
  }
  out.twist.setZero();
  if (kind_ == Kind::ground) {
    out.R_WM = R_FM();
    out.p_WM = p_FM_F_;
    out.compensation_W.setZero();
    out.dofs = 0;
    return;
  }
  out.R_WM.setIdentity();
  out.p_WM = x.position(first);
  out.compensation_W = x.compensation(first);
  out.dofs = 3;
  if (twist) out.twist.head<3>() = x.velocity(first);
}

}  // namespace trammel
