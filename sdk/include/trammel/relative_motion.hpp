#pragma once

#include "trammel/export.hpp"
#include "trammel/marker.hpp"

namespace trammel {

using PairJacobian = ByMarkerPair<6>;

/// The motion of marker B relative to marker A, and its pull-back to the blocks of both.
///
/// Relative variations and twists are zeta = (d p_AB_A; dtheta) with R_AB <- R_AB exp(dtheta~): six numbers, the
/// translation in A's components, the rotation in B's. Both parts see only the relative pose, so whatever is built on
/// them is objective.
class TRAMMEL_API RelativeMotion {
 public:
  Mat3 R_AB;
  Vec3 p_AB_A;
  Vec6 twist;                   ///< (d/dt p_AB_A; w_AB_B)
  Vec6 bias;                    ///< rate of the twist when all block accelerations vanish
  PairJacobian J;               ///< zeta = J dq, columns of A first
  PairJacobian twist_gradient;  ///< d(twist)/dq along the increments, v fixed

  MarkerMotion A, B;
  Reserved<2> reserved{};

  int dofs() const { return A.dofs + B.dofs; }

  /// Evaluates both markers; the blocks of B follow those of A in the stencil.
  void evaluate(const LocalState& x, const Marker& a, const Marker& b, int first_block, MotionLevel level);

  /// Adds d(J^T w)/dq for the relative wrench w (force in A's components; moment in B's), which is power-conjugate to
  /// `twist`.
  void add_second_order(const LocalState& x, const Marker& a, const Marker& b, int first_block, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const;

  /// Wrench on A and on B that belongs to the relative wrench w in the sense of B^T lambda = J^T w:
  /// (force in world components; moment about the marker's origin in marker components).
  Vec6 wrench_on_A(const Vec6& w) const;
  Vec6 wrench_on_B(const Vec6& w) const;
};

}  // namespace trammel
