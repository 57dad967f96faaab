#pragma once

#include <Eigen/Core>

#include "trammel/export.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/joint_structure.hpp"
#include "trammel/local_system.hpp"
#include "trammel/motion_level.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel {

/// The motions of a joint's markers at the level that its residual, tangents and rates need for `request`: the pose alone
/// serves those of rigid markers, and without tangents the pose and the twist.
inline void evaluate_markers(const JointSite& site, const LocalState& x, const Request& request,
                             MarkerMotion& A, MarkerMotion& B) {
  const bool rigid = !site.A.has_shape() && !site.B.has_shape();
  const MotionLevel level =
      level_of_position_rows(request, rigid ? MotionLevel::pose : MotionLevel::jacobian);
  const int first_of_B = site.A.block_count();
  if (rigid && (level == MotionLevel::pose || level == MotionLevel::velocity)) {
    site.A.evaluate_rigid(x, 0, level == MotionLevel::velocity, A);
    site.B.evaluate_rigid(x, first_of_B, level == MotionLevel::velocity, B);
    return;
  }
  site.A.evaluate(x, 0, level, A);
  site.B.evaluate(x, first_of_B, level, B);
}

/// The pose of B relative to A; p_AB_A is left zero where `meets`.
inline RelativePose relative_pose(const MarkerMotion& A, const MarkerMotion& B, bool meets = false) {
  const Mat3 R_AW = A.R_WM.transpose();
  return {A, B, R_AW * B.R_WM, meets ? Vec3(Vec3::Zero()) : Vec3(R_AW * p_AB_W(A, B))};
}

/// Adds the residual of a joint's equations, its tangents and the equations' rates to its local system: the blocks of A,
/// those of B, the coordinates, the multipliers. The markers' motions are those that `evaluate_markers` gives, or better
/// ones. Equations of the displacement in the world hold on the constraint only what is objective.
TRAMMEL_API void assemble_joint(const JointSite& site, const LocalState& x, const RelativePose& at,
                                const JointTermsView& terms, const JointStructure& structure,
                                const JointRows& rows, LocalSystem& out);

/// The rows of r = B^T lambda at both markers: (force in world components; moment in marker components).
struct JointWrenches {
  Vec6 on_A, on_B;
};
TRAMMEL_API JointWrenches joint_wrenches(const RelativePose& at, const JointTermsView& terms,
                                         const JointStructure& structure, const JointRows& rows);

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
