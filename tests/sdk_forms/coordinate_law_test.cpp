#include "trammel/coordinate_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinate_case.hpp"
#include "law_samples.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;

class Entangled : public CoordinateLaw<Entangled, 1, 1> {
 public:
  static constexpr std::array<FormulaNumber, 1> state_names{{{"lag", "N", Measure::nominal(2)}}};
  static constexpr std::array<FormulaNumber, 1> algebraic_names{{{"root", "rad", Measure::angle()}}};

  Entangled() = default;
  explicit Entangled(const Parameters& in) : k_(in.real("stiffness")) {}

  template <class S>
  void force(const State<S>& x, Force<S>& f) const {
    f.force = -k_ * x.q * x.z[0] - x.rate * abs(x.y[0]) + select(x.q > 0.0, x.q * x.q, 0.0);
    f.rate[0] = x.rate - min(x.y[0], x.q * 2.0) + sin(x.t);
    f.equation[0] = x.z[0] + pow(x.z[0], 3) - x.q * x.y[0];
  }
  template <class S>
  S stored(const State<S>& x) const {
    return 0.5 * k_ * x.q * x.q + x.y[0] * x.z[0];
  }

 private:
  double k_ = 3;
};

const CoordinateTarget second_of_two{1, 2, Measure::angle(), "rad", "N m"};

Sample<Entangled> sample_law() {
  Entangled law;
  law.set_target(second_of_two);
  return {std::move(law),
          {sample_block(BlockKind::coordinate, 2, "q"), sample_block(BlockKind::state, 1, "y"),
           sample_block(BlockKind::algebraic, 1, "z")}};
}

TEST(CoordinateLaw, has_exact_tangents) {
  const Sample<Entangled> sample = sample_law();
  expect_exact(sample, 20);
}

TEST(CoordinateLaw, has_powers_that_balance) {
  const Sample<Entangled> sample = sample_law();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const auto solved = [&](double tau) {
      TestState later = s.after(tau);
      later.state().value[2] = s.state().value[2] + tau * s.state().rate[2];
      for (int pass = 0; pass < 30; ++pass) {
        const Evaluation e = evaluate(sample.range, 0, later, {true, false, false});
        later.state().value[3] -= e.residual[3] / e.K(3, 3);
      }
      return later;
    };
    const auto strain = [&](double tau) { return sample.range.energy(0, solved(tau).local()).strain; };
    constexpr double h = 1e-4;
    const double rate = (8 * (strain(h / 2) - strain(-h / 2)) - (strain(h) - strain(-h))) / (6 * h);
    const TestState now = solved(0);
    const double taken = evaluate(sample.range, 0, now, {}).residual.dot(now.velocities());
    EXPECT_NEAR(taken, rate + sample.range.energy(0, now.local()).dissipated_power,
                1e-6 * (1 + std::abs(taken)));
  }
}

TEST(CoordinateLaw, is_a_type_of_a_case) {
  testing::CoordinateCase c;
  c.registry.set_source("law", "");
  c.registry.add(coordinate_type<Entangled>(
      "entangled", "a law",
      {Parameter::make(Parameter::Kind::real, "stiffness", "N m/rad", "of it").positive().must()}));
  c.joint("A", {{"angle", "rad"}});
  EXPECT_EQ(c.on("entangled", "A", "angle", "{stiffness: 2}"), "");
  EXPECT_EQ(c.model.blocks.back().kind, BlockKind::algebraic);
  EXPECT_THAT(c.on("entangled", "A", "angle", "{stiffness: -2}"), HasSubstr("stiffness"));
  EXPECT_THAT(c.on("entangled", "A", "slide", "{stiffness: 2}"), HasSubstr("no coordinate 'slide'"));
}

}  // namespace
}  // namespace trammel
