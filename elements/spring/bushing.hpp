#pragma once

#include "trammel/element.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::spring {

/// A linear elastic and viscous connection of two markers in six directions. Stencil: the blocks of A, then of B.
///
/// With u = p_AB_A and the rotation vector theta = log R_AB, z = (u, theta), z' = (u', T^-1(theta) w_AB_B):
/// the generalized force is f = K z + C z', and the residual is J^T (f_u, T^-T(theta) f_theta).
class Bushing {
 public:
  Bushing(Marker a, Marker b, const Mat6& stiffness, const Mat6& damping, const Vec6& rest)
      : a_(std::move(a)), b_(std::move(b)), stiffness_(stiffness), damping_(damping), rest_(rest) {}

  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;
  /// Draws an eye of A and an inner tube of B, and the rubber between both.
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  Marker a_, b_;
  Mat6 stiffness_, damping_;
  Vec6 rest_;  ///< z where the springs are free
};

}  // namespace trammel::spring
