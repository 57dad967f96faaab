#include "beam_point.hpp"

#include <gtest/gtest.h>

#include "random_states.hpp"

namespace trammel::beam {
namespace {

using namespace testing;

constexpr double length = 1.4;
constexpr double s_first = 3.0;

/// Two frames and a coordinate, laid out as the kernel lays out a State.
struct Blocks {
  State state;
  std::array<BlockOffset, 5> offsets{{{0, 0}, {3, 3}, {16, 6}, {19, 9}, {32, 12}}};

  Blocks(RandomStates& random, double angle) {
    const ElementState s = random.element(angle);
    state.value.resize(33);
    state.rate.resize(13);
    state.acceleration.resize(13, 0.0);
    state.compensation.resize(13, 0.0);
    for (std::size_t i = 0; i < 2; ++i) {
      set_position(i, s.node[i].p_WS);
      set_rotation(i, s.node[i].R_WS);
      velocity().segment<3>(static_cast<int>(6 * i)) = s.node[i].v_WS;
      velocity().segment<3>(static_cast<int>(6 * i) + 3) = s.node[i].w_WS_S;
    }
    state.value[32] = s_first + random.number(0.1, 0.9) * length;
    state.rate[12] = random.number();
  }
  Eigen::Map<Eigen::VectorXd> velocity() { return {state.rate.data(), 13}; }
  void set_position(std::size_t i, const Vec3& p) { Eigen::Map<Vec3>(state.value.data() + 16 * i) = p; }
  void set_rotation(std::size_t i, const Mat3& R) { Eigen::Map<Mat3>(state.value.data() + 16 * i + 3) = R; }
  LocalState local() const { return {state, offsets.data()}; }

  Blocks moved(const Eigen::VectorXd& d) const {
    Blocks b = *this;
    for (std::size_t i = 0; i < 2; ++i) {
      const int k = static_cast<int>(6 * i);
      b.set_position(i, local().position(static_cast<int>(2 * i)) + d.segment<3>(k));
      b.set_rotation(i, local().rotation(static_cast<int>(2 * i) + 1) * so3::exp(Vec3(d.segment<3>(k + 3))));
    }
    if (d.size() == 13) b.state.value[32] += d[12];
    return b;
  }
};

template <class F>
Eigen::MatrixXd gradient(const F& f, const Blocks& b, int n, double step = 1e-3) {
  Eigen::MatrixXd G(f(b).size(), n);
  for (int k = 0; k < n; ++k) {
    const auto at = [&](double x) -> Eigen::VectorXd { return f(b.moved(x * Eigen::VectorXd::Unit(n, k))); };
    G.col(k) = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
  }
  return G;
}

class BeamPoints : public ::testing::TestWithParam<bool> {
 protected:
  BeamPoint point(double xi) const {
    const Frame first{0, 1};
    const Frame second{2, 3};
    return GetParam() ? BeamPoint(first, second, 4, s_first, length) : BeamPoint(first, second, xi);
  }
  int dofs() const { return GetParam() ? 13 : 12; }
};

TEST_P(BeamPoints, have_derivatives_that_agree_with_differences) {
  RandomStates random(21);
  for (const double angle : {1e-7, 0.1, 1.0, 2.5}) {
    for (int trial = 0; trial < 10; ++trial) {
      Blocks b(random, angle);
      const BeamPoint marker = point(random.number(0, 1));
      MarkerMotion m;
      marker.evaluate(b.local(), 0, MotionLevel::full, m);
      ASSERT_EQ(m.dofs, dofs());
      const auto pose_change = [&](const Blocks& x) {
        MarkerMotion y;
        marker.evaluate(x.local(), 0, MotionLevel::pose, y);
        Vec6 change;
        change << y.p_WM, so3::log(Mat3(m.R_WM.transpose() * y.R_WM));
        return change;
      };
      EXPECT_LT(relative_error(m.J, gradient(pose_change, b, dofs())), 1e-8);
      const Eigen::VectorXd v = b.velocity().head(dofs());
      EXPECT_LT((m.twist - m.J * v).norm(), 1e-12 * (1 + m.twist.norm()));
      const auto twist = [&](const Blocks& x) {
        MarkerMotion y;
        marker.evaluate(x.local(), 0, MotionLevel::velocity, y);
        return y.twist;
      };
      EXPECT_LT(relative_error(m.twist_gradient, gradient(twist, b, dofs())), 1e-7);
      EXPECT_LT((m.bias - m.twist_gradient * v).norm(), 1e-12 * (1 + m.bias.norm()));

      Vec6 w;
      w << random.vector(), random.vector();
      const auto pulled_back = [&](const Blocks& x) -> Eigen::VectorXd {
        MarkerMotion y;
        marker.evaluate(x.local(), 0, MotionLevel::jacobian, y);
        return y.J.transpose() * w;
      };
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(dofs(), dofs());
      marker.add_second_order(b.local(), 0, m, w, K);
      EXPECT_LT(relative_error(K, gradient(pulled_back, b, dofs())), 1e-7);
    }
  }
}

TEST_P(BeamPoints, at_the_ends_are_the_nodes) {
  RandomStates random(22);
  Blocks b(random, 1.3);
  for (const double xi : {0.0, 1.0}) {
    b.state.value[32] = s_first + xi * length;
    MarkerMotion m;
    point(xi).evaluate(b.local(), 0, MotionLevel::full, m);
    const int node = xi == 0.0 ? 0 : 2;
    EXPECT_LT((m.p_WM - b.local().position(node)).norm(), 1e-13);
    EXPECT_LT((m.R_WM - b.local().rotation(node + 1)).norm(), 1e-13);
    if (!GetParam()) {
      EXPECT_LT((m.twist.head<3>() - b.local().velocity(node)).norm(), 1e-12);
    }
    EXPECT_LT((m.J.middleCols<6>(3 * node) - Mat6::Identity()).norm(), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(FixedAndMoving, BeamPoints, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "moving" : "fixed"; });

}  // namespace
}  // namespace trammel::beam
