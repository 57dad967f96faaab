#include "solvers/methods/radau_chart.hpp"

#include <Eigen/LU>

#include "trammel/lie.hpp"

namespace trammel {

namespace {

using Vec6d = Eigen::Matrix<double, 6, 1>;
using Mat6d = Eigen::Matrix<double, 6, 6>;

constexpr int most_iterations = 30;
// After an increment of this size the quadratic error of Newton's method is below rounding.
constexpr double enough = 1e-9;

}  // namespace

Mat6d RadauChart::derivative() const {
  Mat6d J;
  for (int i = 0; i < radau::stages; ++i) {
    const Vec3& x = turn(i);
    const Vec3 rate = radau::D[i][0] * x_[0] + radau::D[i][1] * x_[1];
    const Mat3 T = so3::T(x);
    for (int j = 0; j < radau::stages; ++j) J.block<3, 3>(3 * i, 3 * j) = radau::D[i][j] * T;
    J.block<3, 3>(3 * i, 3 * i) += so3::dT(x, rate);
  }
  return J;
}

bool RadauChart::solve(const std::array<Vec3, radau::stages>& p) {
  x_ = p;
  for (int k = 0; k < most_iterations; ++k) {
    Vec6d open;
    for (int i = 0; i < radau::stages; ++i) {
      const Vec3 rate = radau::D[i][0] * x_[0] + radau::D[i][1] * x_[1];
      const Vec3 wanted = radau::D[i][0] * p[0] + radau::D[i][1] * p[1];
      open.segment<3>(3 * i) = so3::T(turn(i)) * rate - wanted;
    }
    const Vec6d change = derivative().partialPivLu().solve(open);
    double size = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] -= change.segment<3>(3 * static_cast<Eigen::Index>(i));
      size += x_[i].norm();
    }
    if (change.norm() <= enough * size || size == 0) return true;
    if (!(size < HUGE_VAL)) return false;
  }
  return false;
}

Mat6d RadauChart::tangent() const {
  Mat6d by_p;
  for (int i = 0; i < radau::stages; ++i)
    for (int j = 0; j < radau::stages; ++j)
      by_p.block<3, 3>(3 * i, 3 * j) = radau::D[i][j] * Mat3::Identity();
  Mat6d out = derivative().partialPivLu().solve(by_p);
  for (int i = 0; i < radau::stages; ++i)
    out.middleRows<3>(3 * i) = (so3::T(turn(i)) * out.middleRows<3>(3 * i)).eval();
  return out;
}

}  // namespace trammel
