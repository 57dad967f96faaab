#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/growing_columns.hpp"
#include "trammel/reserved.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Columns of a marker that need no memory of their own: two frames and some coordinates.
inline constexpr int inline_marker_dofs = 16;

/// Numbers by the columns of one marker, or of two.
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
  Vec3 remainder_W =
      Vec3::Zero();  ///< what rounding took from p_WM: small differences of places read it (`p_AB_W`)
  int dofs = 0;      ///< columns of J: the sum of the sizes of the marker's blocks
  MarkerJacobian J;  ///< variation = J dq; twist = J v + (explicit rate in time)
  Vec6 twist;        ///< includes explicit rates in time
  MarkerJacobian twist_gradient;  ///< d(twist)/dq along the increments, v fixed
  Vec6 bias;                      ///< rate of the twist when all block accelerations vanish
  Reserved<2> reserved{};
};

/// From A's origin to B's in world components [m], without the rounding of places far from the origin. What holds two
/// markers together, or is stiff between them, should read this.
inline Vec3 p_AB_W(const MarkerMotion& A, const MarkerMotion& B) {
  return (B.p_WM - A.p_WM) + (B.remainder_W - A.remainder_W);
}

/// What to compute of a marker's motion.
enum class MotionLevel {
  pose,      ///< R_WM, p_WM
  jacobian,  ///< and J
  velocity,  ///< and twist
  full,      ///< and twist_gradient and bias
};

/// A marker whose frame is not rigidly fixed in one frame: a function of time in its body, a point of a beam, a point
/// at a moving coordinate. Implementations live in the kernel and in plugins.
class MarkerShape {
 public:
  virtual ~MarkerShape() = default;

  /// Blocks that the pose depends on, in the order of the columns of J.
  virtual std::vector<BlockId> blocks() const = 0;
  /// Their sizes; to be overridden where other blocks than positions and rotations are among them.
  virtual std::vector<int> block_sizes() const { return std::vector<int>(blocks().size(), 3); }
  /// Evaluates at x, where the marker's blocks stand from index `first` on.
  virtual void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const = 0;
  /// Adds d(J^T w)/dq for the wrench w = (force on the origin in world components; moment in marker components) to
  /// the square matrix K, which is `motion.dofs` wide.
  virtual void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                                Eigen::Ref<Eigen::MatrixXd> K) const = 0;
};

/// A frame fixed in something: the ground, a frame with an offset, or a MarkerShape with an offset.
///
/// Copies share their shape. Poses: X_WM = X_WF X_FM with F the ground, the frame or the shape.
class TRAMMEL_API Marker {
 public:
  /// A marker fixed in the world.
  static Marker ground(const Mat3& R_WM = Mat3::Identity(), const Vec3& p_WM = Vec3::Zero());
  /// A marker fixed in a frame.
  static Marker on_frame(const Frame& frame, const Mat3& R_FM = Mat3::Identity(),
                         const Vec3& p_FM_F = Vec3::Zero());
  /// The origin of a position block, without orientation: its joints may use its position only.
  static Marker on_point(BlockId position);
  static Marker on_shape(std::shared_ptr<const MarkerShape> shape);

  /// The same marker with a further constant offset: X_FM' = X_FM X_MM'.
  Marker offset(const Mat3& R_MN, const Vec3& p_MN_M = Vec3::Zero()) const;

  bool is_ground() const { return kind_ == Kind::ground; }
  bool is_rigid_frame() const { return kind_ == Kind::frame; }
  bool is_point() const { return kind_ == Kind::point; }
  bool has_shape() const { return kind_ == Kind::shape; }
  const MarkerShape* shape() const { return shape_.get(); }
  /// The frame that a rigid marker is fixed in (blocks are `no_block` for the ground).
  const Frame& frame() const { return frame_; }
  const Mat3& R_FM() const { return R_FM_; }
  const Vec3& p_FM_F() const { return p_FM_F_; }
  /// True where the marker's origin is the origin of a frame or a point.
  bool at_frame_origin() const;

  /// What the user called it: "crank.start".
  const std::string& name() const { return name_; }
  Marker named(std::string name) const;

  /// The marker's blocks, in the order of the columns of J.
  std::vector<BlockId> blocks() const;
  int block_count() const;
  std::vector<int> block_sizes() const;

  void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const;
  /// Rate of the twist at the accelerations of x: (acceleration of the origin in world components; rate of w_WM_M).
  /// `motion` is what `evaluate` gave at x with MotionLevel::full.
  Vec6 acceleration(const LocalState& x, int first, const MarkerMotion& motion) const;
  void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const;

 private:
  enum class Kind { ground, frame, point, shape };
  Kind kind_ = Kind::ground;
  bool offset_is_identity_ = true;
  Frame frame_;
  Mat3 R_FM_ = Mat3::Identity();
  Vec3 p_FM_F_ = Vec3::Zero();
  std::shared_ptr<const MarkerShape> shape_;
  std::string name_ = "ground";
  Reserved<2> reserved_;
};

}  // namespace trammel
