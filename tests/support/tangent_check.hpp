#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "trammel/element.hpp"
#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/local_system.hpp"
#include "trammel/state.hpp"

/// Random states of a stencil, and the derivatives of an instance that is not part of a model.
namespace trammel::testing {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  double number(double low = -1, double high = 1) {
    return std::uniform_real_distribution(low, high)(engine_);
  }
  Vec3 vector(double size = 1) { return size * Vec3(number(), number(), number()); }
  Mat3 rotation() {
    return Eigen::Quaterniond(number(), number(), number(), number()).normalized().toRotationMatrix();
  }
  /// Symmetric, positive definite, and within the triangle inequality: the inertia of a cloud of points.
  Mat3 inertia() {
    Mat3 J = Mat3::Zero();
    for (int i = 0; i < 5; ++i) {
      const Vec3 r = vector();
      J -= skew(r) * skew(r);
    }
    return J;
  }

 private:
  std::mt19937 engine_;
};

/// A stencil whose blocks, with their values, rates and accelerations, are given one by one.
class ProbeState {
 public:
  explicit ProbeState(double time = 0.3) : time_(time) { rebuild(); }

  ProbeState& position(const Vec3& p, const Vec3& v = Vec3::Zero(), const Vec3& a = Vec3::Zero()) {
    return add(BlockKind::position, p, v, a);
  }
  ProbeState& rotation(const Mat3& R, const Vec3& w = Vec3::Zero(), const Vec3& alpha = Vec3::Zero()) {
    const Quaternion q = so3::quaternion(R);
    return add(BlockKind::rotation, Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()), w, alpha);
  }
  ProbeState& numbers(BlockKind kind, const Eigen::VectorXd& y, const Eigen::VectorXd& rate,
                      const Eigen::VectorXd& second) {
    return add(kind, y, rate, second);
  }
  ProbeState& random_position(Draw& draw, double size = 2) {
    return position(draw.vector(size), draw.vector(size), draw.vector(size));
  }
  ProbeState& random_rotation(Draw& draw, double size = 2) {
    return rotation(draw.rotation(), draw.vector(size), draw.vector(size));
  }
  ProbeState& random_frame(Draw& draw, double size = 2) {
    return random_position(draw, size).random_rotation(draw, size);
  }

  int dofs() const { return test_state_.dofs(); }
  const State& state() const { return test_state_.state(); }
  LocalState local() const { return test_state_.local(); }
  const TestState& test_state() const { return test_state_; }

 private:
  ProbeState& add(BlockKind kind, const Eigen::VectorXd& value, const Eigen::VectorXd& rate,
                  const Eigen::VectorXd& second) {
    Block block;
    block.kind = kind;
    block.size = static_cast<int>(rate.size());
    block.name = "block " + std::to_string(blocks_.size());
    const auto assign = [](const Eigen::VectorXd& numbers, BlockNumbers& to) {
      to.assign({numbers.data(), static_cast<std::size_t>(numbers.size())}, to.size());
    };
    assign(value, block.initial);
    assign(rate, block.initial_rate);
    blocks_.push_back(block);
    accelerations_.insert(accelerations_.end(), second.begin(), second.end());
    rebuild();
    return *this;
  }
  void rebuild() {
    test_state_ = TestState(blocks_);
    test_state_.state().acceleration = accelerations_;
    test_state_.state().time = time_;
  }

  double time_;
  std::vector<Block> blocks_;
  std::vector<double> accelerations_;
  TestState test_state_{std::vector<Block>()};
};

template <class E>
Eigen::VectorXd residual_of(const E& element, const ProbeState& x) {
  LocalSystem out{Request{}};
  out.begin(x.dofs());
  element.evaluate(x.local(), out);
  return out.residual();
}

/// Holds K, D and M of an instance, and where it is a constraint its rates, against differences.
template <class E>
void expect_tangent(const E& element, const ProbeState& x, double tolerance = 1e-8) {
  RangeOf<E> range;
  std::vector<BlockId> stencil(x.test_state().blocks().size());
  std::iota(stencil.begin(), stencil.end(), 0);
  range.add(element, std::move(stencil), x.dofs(), 0);
  const CheckedTerm worst = check_derivatives(range, 0, x.test_state()).front();
  EXPECT_LT(worst.relative(), tolerance) << worst.what;
  EXPECT_LT(
      (evaluate(range, 0, x.test_state(), {true, false, false}).residual - residual_of(element, x)).norm(),
      1e-13 * (1 + residual_of(element, x).norm()))
      << "residual with and without tangent";
}

/// Rate of f along the motion with the rates and accelerations of x, by central differences.
inline double time_derivative(const std::function<double(const TestState&)>& f, const ProbeState& x) {
  constexpr double h = 1e-4;
  return (f(x.test_state().after(h)) - f(x.test_state().after(-h))) / (2 * h);
}

}  // namespace trammel::testing
