#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/canvas.hpp"
#include "trammel/element_range.hpp"
#include "trammel/export.hpp"
#include "trammel/marker.hpp"
#include "trammel/outputs.hpp"
#include "trammel/parameters.hpp"
#include "trammel/registry.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// How the axes of a joint's two markers are set at the start.
enum class JointAxes {
  own,        ///< each marker keeps its own, unless `rotation` is given
  common,     ///< both take those of marker A, or `rotation`
  along_axis  ///< both take e3 along `axis` (the Dymore convention), or `rotation`
};

/// Requirements of a joint on its markers.
struct JointRequirement {
  JointAxes axes = JointAxes::common;
  bool markers_meet = true;    ///< the origins of both markers coincide at the start
  bool needs_rotation = true;  ///< both markers must have an orientation; a point is refused
  bool may_slide =
      false;  ///< the origins may differ at the start, in the directions in which the joint slides
  std::uint32_t reserved = 0;
};

using JointDemand [[deprecated("now JointRequirement")]] = JointRequirement;

namespace detail {
/// Requirements of joint J on its markers; `demand` is the member's former name.
template <class J>
constexpr JointRequirement requirement_of() {
  if constexpr (requires { J::demand; })
    return J::demand;
  else
    return J::requirement;
}
}  // namespace detail

/// Forces [N] and moments [N m] of a joint on the bodies of its markers. The moments are about the origins of the
/// markers; all components are in world axes.
struct JointForces {
  Vec3 force_on_A = Vec3::Zero(), moment_on_A = Vec3::Zero();
  Vec3 force_on_B = Vec3::Zero(), moment_on_B = Vec3::Zero();
  Reserved<2> reserved{};
};

/// The two markers of a joint, and the functions that all joints have in common.
class TRAMMEL_API JointSite {
 public:
  Marker A, B;
  bool shares_position = false;  ///< the layout has identified the position blocks of A and B
  /// The layout has identified the rotation blocks, which differ by a constant rotation.
  bool shares_rotation = false;
  double size = 0;  ///< length of the glyph [m]; 0: a point; negative: from the size of the model
  Reserved<4> reserved{};

  /// Blocks of A, then of B.
  std::vector<BlockId> blocks() const;
  int block_count() const { return A.block_count() + B.block_count(); }
  /// Power that leaves the system through markers with a prescribed motion [W]. `row_A` and `row_B` are the rows of
  /// r = B^T lambda at the markers: (force in world components [N]; moment in marker components [N m]). Exactly
  /// zero for other markers.
  double dissipated_power(const LocalState& x, const Vec6& row_A, const Vec6& row_B) const;
  /// True if the pose of a marker may depend explicitly on time.
  bool moves_in_time() const { return A.has_shape() || B.has_shape(); }

  /// Offers to identify the position blocks or the rotation blocks, by `part`. This satisfies the rows of
  /// `multiplier`. No offer is made if the case forbids it (`share: no`) or the markers do not permit it: see
  /// Builder::offer_identity. The layout later tells the joint whether the offer was accepted, and the joint then
  /// sets `shares_position` and `shares_rotation`.
  void offer_identity(const Parameters& in, Builder& builder, FramePart part, BlockId multiplier) const;

  /// The forces that belong to r = B^T lambda, given for each marker as (force in world components; moment about its
  /// origin in its own components), and to what is shared.
  JointForces forces(const Mat3& R_WA, const Mat3& R_WB, const Vec6& row_A, const Vec6& row_B,
                     const ReactionContributions& contributions) const;

  /// Reports what all joints have: forces and moments at both markers, in the world and in the axes of A, relative
  /// displacement p_AB_A and rotation vector of R_AB.
  void report(const MarkerMotion& motion_A, const MarkerMotion& motion_B, const JointForces& forces,
              OutputSink& sink) const;

  /// Draws the joint's point, with the fields `force` and `moment` (on B, world) and `axis` (e3 of A). Its shape: Glyph.
  void draw(const MarkerMotion& motion_A, const MarkerMotion& motion_B, const JointForces& forces,
            Canvas& canvas) const;
};

/// Parameters that all joints have (between, axis or rotation, position, share, assemble, size), then `own`.
TRAMMEL_API std::vector<Parameter> joint_parameters(const JointRequirement& requirement,
                                                    std::vector<Parameter> own = {});

/// A joint's type in a case, with the parameters that all joints have, then `own`.
TRAMMEL_API Type joint_type(std::string name, std::string summary, const JointRequirement& requirement,
                            std::vector<Parameter> own,
                            std::function<void(const Parameters&, Builder&)> build);

/// Reads the common parameters, sets up the markers with the joint's axes, and checks that they meet.
///
/// A `ground` without a place of its own takes the other marker's; `position` (world, at the start) moves both.
/// Throws Error that states the gap where the markers do not meet and `assemble` is not `yes`.
TRAMMEL_API JointSite read_joint_site(const Parameters& in, Builder& builder,
                                      const JointRequirement& requirement);

}  // namespace trammel
