// Signals that depend on velocities, and functions of many signals.

#include <gtest/gtest.h>

#include <cmath>

#include "trammel/bound_function.hpp"
#include "trammel/element.hpp"
#include "trammel/element_check.hpp"
#include "trammel/lie.hpp"

namespace trammel {
namespace {

/// Reads a function of signals into a force on the first number of its last block.
struct Reader {
  BoundFunction f;
  int columns = 0, blocks = 0;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int row = columns;
    out.residual()[row] = out.request.tangent ? f.add_gradient(x, 0, 0, row, 1, out) : f.at(x, 0);
  }
};

/// sum_i (i + 1) s_i + s_0 s_last
class Mixture final : public Function {
 public:
  explicit Mixture(int n) : Function("mixture", names(n)) {}

 private:
  static std::vector<std::string> names(int n) {
    std::vector<std::string> all;
    for (int i = 0; i < n; ++i) all.push_back("s" + std::to_string(i));
    return all;
  }
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double, std::span<const double> s, FunctionValue& out) const override {
    const auto n = static_cast<int>(s.size());
    out.reset(n);
    for (int i = 0; i < n; ++i) {
      out.value += (i + 1) * s[static_cast<std::size_t>(i)];
      out.gradient(i) = i + 1;
    }
    out.value += s.front() * s.back();
    out.gradient(0) += s.back();
    out.gradient(n - 1) += s.front();
    out.hessian(0, n - 1) = out.hessian(n - 1, 0) = 1;
  }
};

Block block(BlockKind kind, int size) {
  Block b;
  b.kind = kind;
  b.size = size;
  b.initial.resize(static_cast<std::size_t>(std::max(size, 8)));
  b.initial_rate.resize(static_cast<std::size_t>(std::max(size, 8)));
  if (kind == BlockKind::rotation) b.initial[0] = 1;
  return b;
}

/// The worst of what a function of these signals gives, against differences.
double worst(const std::vector<std::shared_ptr<const Signal>>& signals, const std::vector<Block>& of_each) {
  std::vector<BoundFunction::Source> sources;
  std::vector<int> widths;
  std::vector<Block> blocks;
  int columns = 0;
  for (const auto& signal : signals) {
    sources.push_back({signal, false});
    for (const Block& b : of_each) {
      widths.push_back(b.size);
      blocks.push_back(b);
      columns += b.size;
    }
  }
  blocks.push_back(block(BlockKind::coordinate, 1));
  Reader reader{BoundFunction(std::make_shared<Mixture>(static_cast<int>(signals.size())), sources, widths),
                columns, static_cast<int>(blocks.size())};
  std::vector<BlockId> stencil;
  for (std::size_t k = 0; k < blocks.size(); ++k) stencil.push_back(static_cast<BlockId>(k));
  RangeOf<Reader> range;
  range.add(std::move(reader), stencil, columns + 1, 0);
  return worst_derivative(range, 0, TestState(blocks), 2).relative();
}

const std::vector<Block> two_frames{block(BlockKind::position, 3), block(BlockKind::rotation, 3),
                                    block(BlockKind::position, 3), block(BlockKind::rotation, 3)};
const Marker a = Marker::on_frame({0, 1}, so3::exp(Vec3(0.4, -1.2, 0.7)), Vec3(0.3, -0.2, 0.5));
const Marker b = Marker::on_frame({2, 3}, so3::exp(Vec3(-0.4, 0.2, 1.7)), Vec3(2, 3, 1));

TEST(SignalRates, of_position_and_velocity_agree_with_differences) {
  const auto difference = [](const std::function<double(double)>& f) {
    const double h = 1e-3;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  for (int i = 0; i < 6; ++i)
    for (const bool of_velocity : {false, true}) {
      if (!of_velocity && i >= 3) continue;
      const auto signal = of_velocity ? velocity_signal(a, b, i) : position_signal(a, b, i);
      const auto at = [&signal](const TestState& s) {
        SignalValue v;
        signal->evaluate(s.local(), 0, true, v);
        return v;
      };
      TestState s(two_frames);
      s.disturb(static_cast<std::uint64_t>(i) + 1);
      const SignalValue v = at(s);
      EXPECT_DOUBLE_EQ(signal->value_at(s.local(), 0), v.value);
      EXPECT_NEAR(v.rate, difference([&](double h) { return at(s.after(h)).value; }), 1e-8);
      const double second = difference([&](double h) { return at(s.after(h)).rate; });
      if (of_velocity)
        EXPECT_TRUE(std::isnan(v.second_rate)) << "a velocity does not know it";
      else
        EXPECT_NEAR(v.second_rate, second, 1e-8);
      ASSERT_EQ(v.by_rate.size(), of_velocity ? 12 : 0);
      for (int j = 0; j < 12; ++j) {
        const auto moved = [&](double h) { return at(s.moved(h * Eigen::VectorXd::Unit(12, j))); };
        EXPECT_NEAR(v.gradient[j], difference([&](double h) { return moved(h).value; }), 1e-9);
        const auto faster = [&](double h) {
          TestState other = s;
          other.state().rate[static_cast<std::size_t>(j)] += h;
          return at(other).value;
        };
        EXPECT_NEAR(of_velocity ? v.by_rate[j] : 0, difference(faster), 1e-9);
        for (int k = 0; k < v.second.cols(); ++k)
          EXPECT_NEAR(v.second(k, j), difference([&](double h) { return moved(h).gradient[k]; }), 1e-9);
      }
      EXPECT_EQ(v.second.cols(), of_velocity ? 0 : 12);
    }
}

TEST(SignalRates, enter_the_damping_matrix_for_a_function_of_velocities) {
  EXPECT_LT(worst({velocity_signal(a, b, 1), position_signal(a, b, 0), velocity_signal(a, b, 5)}, two_frames),
            1e-7);
}

TEST(SignalRates, are_given_for_a_function_of_twelve_signals) {
  std::vector<std::shared_ptr<const Signal>> signals;
  for (int i = 0; i < 12; ++i) signals.push_back(component_signal(0, BlockKind::coordinate, 13, i, "m"));
  EXPECT_LT(worst(signals, {block(BlockKind::coordinate, 13)}), 1e-9);
}

}  // namespace
}  // namespace trammel
