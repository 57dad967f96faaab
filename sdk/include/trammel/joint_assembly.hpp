#pragma once

#include "trammel/export.hpp"
#include "trammel/joint_pullback.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel {

/// Adds the residual, tangents and rates of a joint, of whose equations nothing is known, to its local system (see
/// JointPullback): the blocks of A, those of B, the coordinates, the multipliers.
TRAMMEL_API void assemble_joint(const JointSite& site, const LocalState& x, const RelativePose& at,
                                const JointTermsView& terms, const JointRows& rows, LocalSystem& out);

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
