#pragma once

#include <array>

#include "trammel/linear_algebra.hpp"

namespace trammel {

/// The two-stage Radau IIA method (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.5): y_i =
/// y_n + h sum_j a_ij y'_j at the times t_n + c_i h; the second stage is the end of the step.
namespace radau {
inline constexpr int stages = 2;
inline constexpr double c[stages] = {1.0 / 3, 1};
inline constexpr double A[stages][stages] = {{5.0 / 12, -1.0 / 12}, {3.0 / 4, 1.0 / 4}};
/// A^-1, and its square.
inline constexpr double D[stages][stages] = {{1.5, 0.5}, {-4.5, 2.5}};
inline constexpr double DD[stages][stages] = {{0, 2}, {-18, 4}};
}  // namespace radau

/// Rotations of the stages in the exponential chart of the step's start, R_i = R_n exp(x_i~), where x' = T(x)^-1 w:
///
///     T(x_i) sum_j d_ij x_j = sum_j d_ij p_j,    p_i = h sum_j a_ij w_j
class RadauChart {
 public:
  /// Finds x from p, both rotation vectors in the body frame [rad]. False where Newton's method does not.
  bool solve(const std::array<Vec3, radau::stages>& p);

  const Vec3& turn(int stage) const { return x_[static_cast<std::size_t>(stage)]; }
  /// axial(R_i^T dR_i) = sum_j (block i, j) dp_j, at the last solution.
  Eigen::Matrix<double, 6, 6> tangent() const;

 private:
  Eigen::Matrix<double, 6, 6> derivative() const;

  std::array<Vec3, radau::stages> x_{Vec3::Zero(), Vec3::Zero()};
};

}  // namespace trammel
