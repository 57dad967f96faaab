#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "trammel/element.hpp"
#include "trammel/lie.hpp"
#include "trammel/local_system.hpp"
#include "trammel/state.hpp"

/// Random states of a stencil, and differences of an instance's residual along its increments.
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

/// The blocks of one stencil with their values, rates and accelerations.
class ProbeState {
 public:
  explicit ProbeState(double time = 0.3) { state_.time = time; }

  ProbeState& position(const Vec3& p, const Vec3& v = Vec3::Zero(), const Vec3& a = Vec3::Zero()) {
    begin(BlockKind::position, 3);
    append(state_.value, p);
    append(state_.rate, v);
    append(state_.acceleration, a);
    return *this;
  }
  ProbeState& rotation(const Mat3& R, const Vec3& w = Vec3::Zero(), const Vec3& alpha = Vec3::Zero()) {
    begin(BlockKind::rotation, 3);
    state_.value.resize(state_.value.size() + 13);
    set_rotation(state_, static_cast<int>(kinds_.size()) - 1, R);
    append(state_.rate, w);
    append(state_.acceleration, alpha);
    return *this;
  }
  ProbeState& numbers(BlockKind kind, const Eigen::VectorXd& y, const Eigen::VectorXd& rate,
                      const Eigen::VectorXd& second) {
    begin(kind, static_cast<int>(y.size()));
    append(state_.value, y);
    append(state_.rate, rate);
    append(state_.acceleration, second);
    return *this;
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

  int dofs() const { return static_cast<int>(state_.rate.size()); }
  State& state() { return state_; }
  LocalState local() const { return {state_, places_.data()}; }

  /// The configuration moved along the increment d of all blocks.
  ProbeState moved(const Eigen::VectorXd& d) const {
    ProbeState out = *this;
    for (int k = 0; k < static_cast<int>(kinds_.size()); ++k) {
      const auto i = static_cast<std::size_t>(k);
      const int dof = places_[i].dof;
      if (kinds_[i] == BlockKind::rotation) {
        const Vec3 theta = d.segment<3>(dof);
        set_rotation(out.state_, k, Mat3(local().rotation(k)) * so3::exp(theta));
      } else {
        for (int c = 0; c < sizes_[i]; ++c)
          out.state_.value[static_cast<std::size_t>(places_[i].value + c)] += d(dof + c);
      }
    }
    return out;
  }
  /// The rates and accelerations moved.
  ProbeState with_rate(const Eigen::VectorXd& d) const {
    ProbeState out = *this;
    for (int i = 0; i < dofs(); ++i) out.state_.rate[static_cast<std::size_t>(i)] += d(i);
    return out;
  }
  ProbeState with_acceleration(const Eigen::VectorXd& d) const {
    ProbeState out = *this;
    for (int i = 0; i < dofs(); ++i) out.state_.acceleration[static_cast<std::size_t>(i)] += d(i);
    return out;
  }
  /// The state after the time h of the motion with these rates and accelerations, correct to second order in h for
  /// configurations and to first for rates.
  ProbeState after(double h) const {
    const Eigen::VectorXd v = ConstVectorMap(state_.rate.data(), dofs());
    const Eigen::VectorXd a = ConstVectorMap(state_.acceleration.data(), dofs());
    ProbeState out = moved(h * v + 0.5 * h * h * a).with_rate(h * a);
    out.state_.time += h;
    return out;
  }

 private:
  void begin(BlockKind kind, int size) {
    kinds_.push_back(kind);
    sizes_.push_back(size);
    places_.push_back(
        {static_cast<std::int32_t>(state_.value.size()), static_cast<std::int32_t>(state_.rate.size())});
  }
  template <class V>
  static void append(std::vector<double>& to, const V& v) {
    to.insert(to.end(), v.data(), v.data() + v.size());
  }
  void set_rotation(State& state, int k, const Mat3& R) const {
    double* to = state.value.data() + places_[static_cast<std::size_t>(k)].value;
    Eigen::Map<Mat3>(to, 3, 3) = R;
    const Eigen::Quaterniond q(R);
    to[9] = q.w(), to[10] = q.x(), to[11] = q.y(), to[12] = q.z();
  }

  State state_;
  std::vector<BlockKind> kinds_;
  std::vector<int> sizes_;
  std::vector<BlockPlace> places_;
};

template <class E>
Eigen::VectorXd residual_of(const E& element, const ProbeState& x) {
  LocalSystem out{Request{}};
  out.begin(x.dofs());
  element.evaluate(x.local(), out);
  return out.residual();
}

/// df/dd at 0 by central differences of fourth order.
inline Eigen::MatrixXd differences(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& f, int n) {
  constexpr double h = 1e-3;
  Eigen::MatrixXd out;
  for (int j = 0; j < n; ++j) {
    const auto at = [&](double s) { return f(s * Eigen::VectorXd::Unit(n, j)); };
    const Eigen::VectorXd column = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    if (j == 0) out.resize(column.size(), n);
    out.col(j) = column;
  }
  return out;
}

inline void expect_close(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double tolerance,
                         const char* what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what << "\nfound\n"
                                                                         << found << "\nexpected\n"
                                                                         << expected;
}

/// Holds K, D and M of an instance against differences of its residual; largest error over largest entry.
template <class E>
void expect_tangent(const E& element, const ProbeState& x, double tolerance = 1e-8) {
  Request asked;
  asked.tangent = true;
  LocalSystem out(asked);
  out.begin(x.dofs());
  element.evaluate(x.local(), out);
  expect_close(out.residual(), residual_of(element, x), 1e-13, "residual with and without tangent");
  const int n = x.dofs();
  const auto by = [&](auto&& move) {
    return differences([&](const Eigen::VectorXd& d) { return residual_of(element, move(d)); }, n);
  };
  expect_close(out.K(), by([&](const Eigen::VectorXd& d) { return x.moved(d); }), tolerance, "K");
  expect_close(out.D(), by([&](const Eigen::VectorXd& d) { return x.with_rate(d); }), tolerance, "D");
  expect_close(out.M(), by([&](const Eigen::VectorXd& d) { return x.with_acceleration(d); }), tolerance, "M");
}

/// f at the time h after and before x: d/dt f by central differences.
inline double time_derivative(const std::function<double(const ProbeState&)>& f, const ProbeState& x) {
  constexpr double h = 1e-4;
  return (f(x.after(h)) - f(x.after(-h))) / (2 * h);
}

}  // namespace trammel::testing
