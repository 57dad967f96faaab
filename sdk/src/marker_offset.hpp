#pragma once

#include "trammel/marker.hpp"

namespace trammel {

/// Pose of a marker M in its base frame B, which may move: rates of the origin in B's components, angular velocity
/// w_BM_M and its rate in M's.
struct OffsetMotion {
  Mat3 R_BM = Mat3::Identity();
  Vec3 p_BM_B = Vec3::Zero();
  Vec3 rate = Vec3::Zero();
  Vec3 second_rate = Vec3::Zero();
  Vec3 w_BM_M = Vec3::Zero();
  Vec3 alpha_BM_M = Vec3::Zero();
};

/// Turns the motion of the base B into that of M.
void add_offset(const OffsetMotion& offset, MotionLevel level, MarkerMotion& motion);

/// The wrench (force on the origin, world components; moment, own components) on B that is equivalent to w on M.
Vec6 wrench_at_base(const Mat3& R_WB, const Mat3& R_BM, const Vec3& p_BM_B, const Vec6& w);

/// Adds what the offset contributes to d(J^T w)/dq; `base` holds the base's pose and J.
void add_offset_second_order(const MarkerMotion& base, const Vec3& p_BM_B, const Vec6& w,
                             Eigen::Ref<Eigen::MatrixXd> K);

}  // namespace trammel
