#pragma once

#include <array>

#include "contact_joint.hpp"

namespace trammel::surface_contact {

/// Where the contact point and the sliding plane lie, and how they move in their bodies.
struct SlidingMotion {
  Eigen::Vector4d parameters, rates, second_rates;  ///< u1, v1, u2, v2
};

/// Of a point that moves along a surface, in the surface's axes.
struct PathMotion {
  Vec3 velocity, tangential_acceleration, centripetal_acceleration;
};
PathMotion path_motion(const Surface& surface, const SurfaceParameters& at, const Eigen::Vector2d& rates,
                       const Eigen::Vector2d& second_rates);

/// What the sliding plane remembers: the parameters at the last accepted state.
struct SlidingPlaneHistory : JointHistory {
  std::array<double, 4> last{};

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(last);
  }
};

/// Two surfaces slide on one another, one equation: the point on the second surface lies in the tangent plane of the first,
///
///     n1 . (p_AB_A + R_AB S2(u2, v2) - S1(u1, v1)) = 0
///
/// while the parameters are functions of the state, which the four equations of the common normal define. They are solved in
/// every evaluation, from the parameters of the last accepted state. The gradient is that at fixed parameters, since along a
/// common normal the gap does not change with them; the second derivatives follow by the implicit function theorem. The
/// multiplier is minus the normal force.
class SlidingPlane : public Joint<SlidingPlane, 1, 0, SlidingPlaneHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  SlidingPlane(Surfaces surfaces, const CommonNormal& start);

  void terms(const RelativeState<0>& x, bool second, Terms& out) const;
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

  /// The parameters at a pose, solved from those of the last accepted state. Throws RejectStep where there are none.
  Eigen::Vector4d solve(const SurfacePair& pair) const;
  SlidingMotion motion(const LocalState& x) const;

 private:
  SurfacePair pair(const RelativeState<0>& x) const {
    return {*surfaces_.one, *surfaces_.two, x.R_AB, x.p_AB_A};
  }

  Surfaces surfaces_;
};

}  // namespace trammel::surface_contact
