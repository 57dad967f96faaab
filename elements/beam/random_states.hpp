#pragma once

#include <array>
#include <random>

#include "helicoid.hpp"

/// Random element states and differences along their increments, for the tests of the beam.
namespace trammel::beam::testing {

struct ElementState {
  std::array<NodeMotion, 2> node;
};

class RandomStates {
 public:
  explicit RandomStates(unsigned seed) : engine_(seed) {}

  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution(low, high)(engine_);
  }
  Vec3 vector(double size = 1) { return size * Vec3(number(), number(), number()); }
  Mat3 rotation() {
    return Eigen::Quaterniond(number(), number(), number(), number()).normalized().toRotationMatrix();
  }
  Mat6 positive_definite(double size = 1) {
    Mat6 A;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) A(i, j) = number();
    return size * (A * A.transpose() + Mat6::Identity());
  }
  /// Two triads that differ by a rotation of `angle`, with velocities and accelerations.
  ElementState element(double angle) {
    ElementState s;
    for (NodeMotion& n : s.node) {
      n.p_WS = vector(2);
      n.v_WS = vector(2);
      n.w_WS_S = vector(2);
      n.a_WS = vector(3);
      n.wdot_WS_S = vector(3);
    }
    s.node[0].R_WS = rotation();
    const Vec3 direction = vector().normalized();
    s.node[1].R_WS = s.node[0].R_WS * so3::exp(Vec3(angle * direction));
    s.node[1].p_WS = s.node[0].p_WS + s.node[0].R_WS * (Vec3(1.3, 0, 0) + vector(0.4));
    return s;
  }

 private:
  std::mt19937 engine_;
};

enum class Vary { configuration, velocity, acceleration };

inline ElementState moved(ElementState s, Vary what, const Vec12& d) {
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec3 dp = d.segment<3>(static_cast<int>(6 * i));
    const Vec3 dtheta = d.segment<3>(static_cast<int>(6 * i) + 3);
    NodeMotion& n = s.node[i];
    switch (what) {
      case Vary::configuration:
        n.p_WS += dp;
        n.R_WS = n.R_WS * so3::exp(dtheta);
        break;
      case Vary::velocity:
        n.v_WS += dp;
        n.w_WS_S += dtheta;
        break;
      case Vary::acceleration:
        n.a_WS += dp;
        n.wdot_WS_S += dtheta;
        break;
    }
  }
  return s;
}

/// Derivative of f(state), a vector of n numbers, by central differences of order four.
template <class F>
Eigen::MatrixXd differences(const F& f, const ElementState& s, Vary what, double step = 1e-3) {
  const auto n = f(s).size();
  Eigen::MatrixXd J(n, 12);
  for (int k = 0; k < 12; ++k) {
    const auto at = [&](double x) -> Eigen::VectorXd { return f(moved(s, what, Vec12(x * Vec12::Unit(k)))); };
    J.col(k) = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
  }
  return J;
}

/// Largest difference over largest entry.
inline double relative_error(const Eigen::MatrixXd& value, const Eigen::MatrixXd& reference) {
  const double scale = std::max(1e-12, reference.cwiseAbs().maxCoeff());
  return (value - reference).cwiseAbs().maxCoeff() / scale;
}

}  // namespace trammel::beam::testing
