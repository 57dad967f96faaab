#pragma once

#include <algorithm>
#include <array>

#include "contact_joint.hpp"
#include "contact_motion.hpp"
#include "contact_search.hpp"

namespace trammel::surface_contact {

/// The parameters of the contact point on both surfaces, with their rates and second rates.
struct SlidingMotion {
  Eigen::Vector4d parameters, rates, second_rates;  ///< u1, v1, u2, v2
};

/// The history of the sliding plane: the parameters at the last accepted state.
struct SlidingPlaneHistory : JointHistory {
  static constexpr int version = 3;

  std::array<double, 4> last{};
  bool moves = false;              ///< whether `at` and `rates` are known
  RelativePlacement at;            ///< the pose at that state
  std::array<double, 24> rates{};  ///< derivatives of the parameters by the pose, 4 x 6, by columns
  ContactSearch search;
  SurfaceCrossings crossings;

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(last, moves, at.R_AB, at.p_AB_A, rates, search, crossings);
  }
};

/// Two surfaces slide on one another, one equation: the point on the second surface lies in the tangent plane of the first,
///
///     n1 . (p_AB_A + R_AB S2(u2, v2) - S1(u1, v1)) = 0
///
/// The parameters are functions of the pose, which the four equations of the common normal define. Every evaluation solves these
/// equations, starting from a linear extrapolation of the parameters from the last accepted state. The gradient is that at fixed
/// parameters, because along a common normal the gap does not change with them; the second derivatives follow from the implicit
/// function theorem. The multiplier is minus the normal force [N].
class SlidingPlane : public Joint<SlidingPlane, 1, 0, SlidingPlaneHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  SlidingPlane(Surfaces surfaces, const CommonNormal& start);

  /// Enables the search for other contact points, to which the contact then jumps.
  void search_others() { shapes_ = std::make_shared<const SurfaceShapes>(surfaces_.one, surfaces_.two); }

  void terms(const RelativeState<0>& x, bool second, Terms& out) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

  /// The parameters at a pose, solved from those of the last accepted state. Throws RejectStep if there is no solution.
  Eigen::Vector4d solve(const SurfacePair& pair) const;
  SlidingMotion motion(const LocalState& x) const;

 private:
  /// Newton's method at a pose. `out` is the system at the last iterate but one, `step` the last increment. Throws RejectStep if
  /// there is no solution.
  Eigen::Vector4d solve(const SurfacePair& pair, NormalSystem& out, Eigen::Vector4d& step) const;
  Eigen::Vector4d guess(const SurfacePair& pair) const;
  /// Stores the pose and the derivatives there, for the extrapolation.
  void remember(const SurfacePair& pair, const Eigen::Vector4d& c);
  SurfacePair pair(const RelativeState<0>& x) const {
    return {*surfaces_.one, *surfaces_.two, x.R_AB, x.p_AB_A};
  }

  Facing contact(const RelativePlacement& at) const;

  std::array<EndOfStep, 4> ends(const LocalState& x) const;
  /// Whether there are jumps of curvature.
  bool jumps() const { return any_jumps(curvature_jumps_); }

  Surfaces surfaces_;
  std::array<CurvatureJumps, 4> curvature_jumps_;
  std::shared_ptr<const ShapePair> shapes_;  ///< null: other contact points are not searched
};

}  // namespace trammel::surface_contact
