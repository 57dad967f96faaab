// A block of any size: an element of many coordinates, as a superelement with its modes is.

#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

constexpr int modes = 20;

/// The stiffness of twenty coordinates, coupled, with the eigenvalues (1 + i)^2 over a mass of 1, and springs to the origin that
/// harden.
Eigen::MatrixXd stiffness() {
  const Eigen::VectorXd n = Eigen::VectorXd::LinSpaced(modes, 1, 2).normalized();
  const Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(modes, modes) - 2 * n * n.transpose();
  Eigen::VectorXd eigenvalues(modes);
  for (int i = 0; i < modes; ++i) eigenvalues[i] = (1.0 + i) * (1.0 + i);
  return turn * eigenvalues.asDiagonal() * turn.transpose();
}

/// In blocks of `size` coordinates each.
struct Modes {
  int size = modes;
  Eigen::MatrixXd K = stiffness();

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Eigen::VectorXd q = numbers(x, false);
    out.residual() = numbers(x, true) + K * q + 3 * q.array().cube().matrix();
    if (!out.request.tangent) return;
    out.M().setIdentity();
    out.K() = K;
    out.K().diagonal() += 9 * q.array().square().matrix();
  }
  Eigen::VectorXd numbers(const LocalState& x, bool second) const {
    Eigen::VectorXd all(modes);
    for (int i = 0; i < modes; ++i) all[i] = (second ? x.second_rate(i / size) : x.value(i / size))[i % size];
    return all;
  }
};

std::vector<double> after_a_while(int size, bool in_statics) {
  TestSystem m;
  m.entity("superelement");
  std::vector<BlockId> blocks;
  for (int k = 0; k < modes / size; ++k) {
    std::vector<double> start, rate;
    for (int i = 0; i < size; ++i) {
      start.push_back(0.1 * std::sin(1.0 + k * size + i));
      rate.push_back(0.3 * std::cos(2.0 + k * size + i));
    }
    const std::vector<Measure> measures(static_cast<std::size_t>(size), Measure::nominal(0.1));
    blocks.push_back(m.builder.add_coordinates("modes" + std::to_string(k), start, rate, measures, ""));
  }
  m.builder.add(Modes{size}, blocks);
  m.finish();
  Simulation run(*m.assembler);
  Stage stage;
  if (in_statics) {
    stage.what = StaticStage{};
  } else {
    DynamicStage d;
    d.until = 1;
    d.step = 0.01;
    d.newton.tolerance = 1e-12;
    stage.what = d;
  }
  run.run(std::vector{stage});
  std::vector<double> all;
  for (const BlockId id : blocks)
    all.insert(all.end(), m.value(run.state(), id), m.value(run.state(), id) + size);
  return all;
}

TEST(BlockSize, of_twenty_coordinates_gives_the_motion_of_twenty_blocks) {
  const std::vector<double> apart = after_a_while(1, false), together = after_a_while(modes, false),
                            by_ten = after_a_while(10, false);
  double largest = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) {
    EXPECT_NEAR(together[i], apart[i], 1e-13) << i;
    EXPECT_NEAR(by_ten[i], apart[i], 1e-13) << i;
    largest = std::max(largest, std::abs(apart[i]));
  }
  EXPECT_GT(largest, 0.01);
}

TEST(BlockSize, of_twenty_coordinates_gives_the_static_solution) {
  for (const double q : after_a_while(modes, true)) EXPECT_NEAR(q, 0, 1e-9);
}

constexpr int held = 12;

/// Holds twelve coordinates at their start.
struct Hold {
  static constexpr int n = held;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const ConstVectorMap q(x.value(0), n), lambda(x.value(1), n);
    out.residual().head(n) = lambda;
    out.residual().tail(n) = q - Eigen::VectorXd::LinSpaced(n, 1, 2);
    if (out.request.rates) out.rate().tail(n) = ConstVectorMap(x.rate(0), n);
    if (out.request.bias) out.bias().tail(n).setZero();
    if (!out.request.tangent) return;
    out.K().topRightCorner(n, n).setIdentity();
    out.K().bottomLeftCorner(n, n).setIdentity();
  }
};
struct Weights {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual() = ConstVectorMap(x.second_rate(0), held) - Eigen::VectorXd::LinSpaced(held, 3, 4);
    if (out.request.tangent) out.M().setIdentity();
  }
};

TEST(BlockSize, may_be_twelve_for_multipliers) {
  for (const auto form : {DynamicStage::Form::index3, DynamicStage::Form::projected,
                          DynamicStage::Form::index2, DynamicStage::Form::index1}) {
    TestSystem m;
    m.entity("weights");
    const Eigen::VectorXd start = Eigen::VectorXd::LinSpaced(held, 1, 2);
    const std::vector<Measure> measures(held, Measure::length());
    const std::vector<double> zero(held, 0.0);
    const BlockId q = m.builder.add_coordinates("q", {start.data(), held}, zero, measures, "m");
    m.builder.add(Weights{}, {q});
    m.entity("hold");
    const BlockId force = m.add_force(held);
    m.builder.add(Hold{}, {q, force});
    m.finish();
    Simulation run(*m.assembler);
    DynamicStage d;
    d.until = 0.1;
    d.step = 0.01;
    d.form = form;
    run.run(std::vector{Stage{"", d}});
    for (int i = 0; i < held; ++i) {
      EXPECT_NEAR(m.value(run.state(), q)[i], start[i], 1e-10);
      EXPECT_NEAR(m.value(run.state(), force)[i], 3 + i / (held - 1.0), 1e-8);
    }
  }
}

}  // namespace
}  // namespace trammel::testing
