#pragma once

#include "trammel/export.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel {

/// JointTerms of any size, as the assembly of a joint reads them; n = 6 + coordinates. Matrices by rows.
struct JointTermsView {
  int equations, coordinates;
  const double* C;           ///< equations
  const double* G;           ///< equations x n
  const double* H;           ///< equations, each n x n, symmetric; read where tangents or bias are asked for
  const double *C_t, *C_tt;  ///< equations
  const double* G_t;         ///< equations x n

  int variables() const { return 6 + coordinates; }
  /// The relative wrench G_zeta^T lambda: (force in A's components; moment in B's).
  TRAMMEL_API Vec6 wrench(const double* lambda) const;
};

/// Adds a joint's residual, tangents and rates to its local system: the blocks of A, those of B, the coordinates, the
/// multipliers, which start at the blocks `coordinate_block` (where there are any) and `multiplier_block`. Of `motion`,
/// poses alone are read where nothing but the residual is asked for.
TRAMMEL_API void assemble_joint(const JointSite& site, const LocalState& x, const RelativeMotion& motion,
                                const JointTermsView& terms, int coordinate_block, int multiplier_block,
                                LocalSystem& out);

/// The motion of a joint's marker B relative to A at the start: p_AB_A, R_AB, and (d/dt p_AB_A; w_AB_B).
struct RelativeStart {
  Mat3 R_AB;
  Vec3 p_AB_A;
  Vec6 twist;
};
TRAMMEL_API RelativeStart relative_start(const Builder& builder, const JointSite& site);

/// Rates of a joint's coordinates that meet G xi + C_t = 0 with the given relative twist, of least norm.
TRAMMEL_API Eigen::VectorXd coordinate_rates(const JointTermsView& terms, const Vec6& twist);

}  // namespace trammel
