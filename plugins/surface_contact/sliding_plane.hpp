#pragma once

#include <array>

#include "contact_joint.hpp"
#include "contact_motion.hpp"
#include "contact_search.hpp"

namespace trammel::surface_contact {

/// Where the contact point and the sliding plane lie, and how they move in their bodies.
struct SlidingMotion {
  Eigen::Vector4d parameters, rates, second_rates;  ///< u1, v1, u2, v2
};

/// What the sliding plane remembers: the parameters at the last accepted state.
struct SlidingPlaneHistory : JointHistory {
  static constexpr int version = 2;

  std::array<double, 4> last{};
  bool moves = false;              ///< what follows is known
  RelativePlacement at;            ///< the pose then
  std::array<double, 24> rates{};  ///< the derivatives of the parameters by it, column after column
  ContactSearch search;

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(last, moves, at.R_AB, at.p_AB_A, rates, search);
  }
};

/// Two surfaces slide on one another, one equation: the point on the second surface lies in the tangent plane of the first,
///
///     n1 . (p_AB_A + R_AB S2(u2, v2) - S1(u1, v1)) = 0
///
/// while the parameters are functions of the state, which the four equations of the common normal define. They are solved in
/// every evaluation, from where they would be by their derivatives at the last accepted state. The gradient is that at fixed parameters, since along a
/// common normal the gap does not change with them; the second derivatives follow by the implicit function theorem. The
/// multiplier is minus the normal force.
class SlidingPlane : public Joint<SlidingPlane, 1, 0, SlidingPlaneHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};

  SlidingPlane(Surfaces surfaces, const CommonNormal& start);

  /// Looks for other places at which the surfaces may touch, and goes on there.
  void search_others() { shapes_ = std::make_shared<const SurfaceShapes>(surfaces_.one, surfaces_.two); }

  void terms(const RelativeState<0>& x, bool second, Terms& out) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

  /// The parameters at a pose, solved from those of the last accepted state. Throws RejectStep where there are none.
  Eigen::Vector4d solve(const SurfacePair& pair) const;
  SlidingMotion motion(const LocalState& x) const;

 private:
  /// Newton's method at a pose. `out` is the system at the parameters before the last step. Throws RejectStep where there are no
  /// such parameters.
  Eigen::Vector4d solve(const SurfacePair& pair, NormalSystem& out, Eigen::Vector4d& step) const;
  Eigen::Vector4d guess(const SurfacePair& pair) const;
  /// Takes the pose and the derivatives there, for guesses.
  void remember(const SurfacePair& pair, const Eigen::Vector4d& c);
  SurfacePair pair(const RelativeState<0>& x) const {
    return {*surfaces_.one, *surfaces_.two, x.R_AB, x.p_AB_A};
  }

  Facing contact(const RelativePlacement& at) const;

  Surfaces surfaces_;
  std::shared_ptr<const ShapePair> shapes_;  ///< null: other places are not searched
};

}  // namespace trammel::surface_contact
