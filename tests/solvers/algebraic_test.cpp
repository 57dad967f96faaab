// Algebraic unknowns: no rate, no mass, an equation of their own beside positions, velocities and first-order states.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "algebraic_models.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/run/snapshot.hpp"
#include "solvers/start/model_energy.hpp"

namespace trammel::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A force on a coordinate that grows with time to `full` at t = 1.
struct Load {
  double full = 1;
  void evaluate(const LocalState& x, LocalSystem& out) const { out.residual()[0] = -full * x.time(); }
};

struct SeriesModel : TestSystem {
  BlockId q = no_block, z = no_block;

  explicit SeriesModel(double mass, double start, double guess, double unit = 1, double load = 0) {
    entity("bead");
    q = add_length("q", start);
    if (mass > 0) builder.add(LineMass{mass, 0}, {q});
    entity("springs");
    const Measure measure = Measure::nominal(0.1 * unit);
    z = builder.add_algebraic("node", {&guess, 1}, {&measure, 1}, "m");
    builder.add(Series{}, {q, z});
    if (load != 0) builder.add(Load{load}, {q});
    finish();
  }
  double of(const State& state, BlockId id) const { return on_all_ranks(*this, state, id); }
};

Stage load_steps(int steps) {
  StaticStage s;
  s.steps = steps;
  return {"", s};
}

TEST(Algebraic, node_without_mass_between_two_springs_is_found_in_statics) {
  SeriesModel m(0, 0, 0.02, 1, 8);
  Simulation run(*m.assembler);
  run.run(std::vector{load_steps(4)});
  // The force F goes through both: z = F / a, q = z + cbrt(F / b).
  EXPECT_NEAR(m.of(run.state(), m.z), 8.0 / 100, 1e-9);
  EXPECT_NEAR(m.of(run.state(), m.q), 8.0 / 100 + std::cbrt(8.0 / 5000), 1e-8);
}

/// Records how far the node is from where it belongs, and the energy.
struct Watch : Monitor {
  SeriesModel* m = nullptr;
  double worst = 0, least = 1e300, most = 0, fastest = 0;
  void look(const State& state) {
    worst = std::max(worst, std::abs(m->of(state, m->z) - node_at(m->of(state, m->q))));
    const Energy e = model_energy(*m->assembler, state).energy;
    least = std::min(least, e.kinetic + e.strain);
    most = std::max(most, e.kinetic + e.strain);
  }
  void stage_begins(const Stage&, const StepReport&, const State& state) override { look(state); }
  void accepted(const StepReport&, const State& state) override { look(state); }
};

TEST(Algebraic, node_satisfies_its_equation_in_every_form_from_any_guess) {
  for (const DynamicStage::Form form : forms)
    for (const double guess : {0.0, 0.4, -3.0}) {
      SeriesModel m(2, 0.3, guess);
      Watch watch;
      watch.m = &m;
      Simulation run(*m.assembler);
      run.add(watch);
      run.run(std::vector{dynamic(form, 1, 0.002)});
      EXPECT_LT(watch.worst, 1e-8) << static_cast<int>(form) << " " << guess;
      EXPECT_LT(watch.most - watch.least, 2e-4 * watch.most) << static_cast<int>(form) << " " << guess;
      EXPECT_EQ(run.summary().timings.cuts, 0);
    }
}

TEST(Algebraic, node_gives_the_motion_of_both_springs_in_series) {
  // The same motion by a scheme of its own: Runge-Kutta of order 4 with the node solved for.
  const auto acceleration = [](double q) { return -100 * node_at(q) / 2; };
  double q = 0.3, v = 0;
  constexpr int steps = 20000;
  constexpr double h = 0.5 / steps;
  for (int i = 0; i < steps; ++i) {
    const double k1 = acceleration(q), k2 = acceleration(q + h / 2 * v),
                 k3 = acceleration(q + h / 2 * v + h * h / 4 * k1),
                 k4 = acceleration(q + h * v + h * h / 2 * k2);
    q += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  double errors[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    SeriesModel m(2, 0.3, 0.1);
    Simulation run(*m.assembler);
    run.run(std::vector{dynamic(DynamicStage::Form::index3, 0.5, 0.01 / (1 << i))});
    errors[i] = std::abs(m.of(run.state(), m.q) - q);
  }
  EXPECT_LT(errors[2], 1e-4);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.15);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

/// y' = -rate y.
struct Decay {
  double rate = 3;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = x.rate(0)[0] + rate * x.value(0)[0];
    if (!out.request.tangent) return;
    out.K()(0, 0) = rate;
    out.D()(0, 0) = 1;
  }
};

/// z + z^3 = gain y: driven by a first-order state. Stencil: state, algebraic.
struct Driven {
  double gain = 10;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double z = x.value(1)[0];
    out.residual()[1] = z + z * z * z - gain * x.value(0)[0];
    if (!out.request.tangent) return;
    out.K()(1, 0) = -gain;
    out.K()(1, 1) = 1 + 3 * z * z;
  }
  static bool couples(int row, int) { return row == 1; }
};

TEST(Algebraic, unknown_follows_a_state_that_drives_it) {
  TestSystem m;
  m.entity("source");
  const BlockId y = m.add_state("y", 1);
  m.builder.add(Decay{}, {y});
  m.entity("driven");
  const Measure measure = Measure::nominal(1);
  const double guess = 0;
  const BlockId z = m.builder.add_algebraic("z", {&guess, 1}, {&measure, 1}, "");
  m.builder.add(Driven{}, {y, z});
  m.finish();
  struct : Monitor {
    TestSystem* m = nullptr;
    BlockId y = no_block, z = no_block;
    double worst = 0;
    void look(const State& state) {
      const double at = on_all_ranks(*m, state, z);
      worst = std::max(worst, std::abs(at + at * at * at - 10 * on_all_ranks(*m, state, y)));
    }
    void stage_begins(const Stage&, const StepReport&, const State& state) override { look(state); }
    void accepted(const StepReport&, const State& state) override { look(state); }
  } watch;
  watch.m = &m;
  watch.y = y;
  watch.z = z;
  Simulation run(*m.assembler);
  run.add(watch);
  run.run(std::vector{dynamic(DynamicStage::Form::index3, 1, 0.001)});
  EXPECT_LT(watch.worst, 1e-6);
  EXPECT_NEAR(on_all_ranks(m, run.state(), y), std::exp(-3), 1e-6);
}

/// A damper and a spring in series: c (v - rate of what is between) does not occur, but g = a z - c v does. Stencil:
/// coordinate, algebraic.
struct SpeedSensing {
  double a = 50, c = 4;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double z = x.value(1)[0];
    out.residual()[0] = a * z;
    out.residual()[1] = a * z - c * x.rate(0)[0];
    if (!out.request.tangent) return;
    out.K()(0, 1) = out.K()(1, 1) = a;
    out.D()(1, 0) = -c;
  }
};

TEST(Algebraic, equation_that_reads_velocities_damps_the_motion) {
  TestSystem m;
  m.entity("bead");
  const BlockId q = m.add_length("q", 0, 1.5);
  m.builder.add(LineMass{2, 0}, {q});
  m.entity("damper");
  const Measure measure = Measure::nominal(0.1);
  const double guess = 7;
  const BlockId z = m.builder.add_algebraic("z", {&guess, 1}, {&measure, 1}, "m");
  m.builder.add(SpeedSensing{}, {q, z});
  m.finish();
  Simulation run(*m.assembler);
  run.run(std::vector{dynamic(DynamicStage::Form::index3, 1, 0.001)});
  // 2 v' = -4 v
  EXPECT_NEAR(on_all_ranks(m, run.state(), q, true), 1.5 * std::exp(-2), 1e-6);
  EXPECT_NEAR(on_all_ranks(m, run.state(), z), 4 * 1.5 * std::exp(-2) / 50, 1e-7);
}

TEST(Algebraic, unknowns_may_have_any_unit) {
  // Rows and columns have scales of their own: a tangent in other units converges in the same iterations.
  struct Scaled {
    double unit = 1, force = 1;
    void evaluate(const LocalState& x, LocalSystem& out) const {
      const Series springs;
      const double q = x.value(0)[0], z = x.value(1)[0] / unit, s = q - z;
      out.residual()[0] = springs.b * s * s * s;
      out.residual()[1] = (springs.a * z - springs.b * s * s * s) * force;
      if (!out.request.tangent) return;
      const double k = 3 * springs.b * s * s;
      out.K() << k, -k / unit, -k * force, (springs.a + k) * force / unit;
    }
  };
  const auto end = [](double unit, double force) {
    TestSystem m;
    m.entity("bead");
    const BlockId q = m.add_length("q", 0.3);
    m.builder.add(LineMass{2, 0}, {q});
    m.entity("springs");
    const Measure measure = Measure::nominal(0.1 * unit);
    const double guess = 0;
    const BlockId z = m.builder.add_algebraic("node", {&guess, 1}, {&measure, 1}, "m");
    m.builder.add(Scaled{unit, force}, {q, z});
    m.finish();
    Simulation run(*m.assembler);
    run.run(std::vector{dynamic(DynamicStage::Form::index3, 0.5, 0.005)});
    return std::pair(on_all_ranks(m, run.state(), q), run.summary().timings.iterations);
  };
  const auto [right, iterations] = end(1, 1);
  for (const double unit : {1e-9, 1e9})
    for (const double force : {1e-12, 1e12}) {
      const auto [q, count] = end(unit, force);
      EXPECT_NEAR(q, right, 1e-10) << unit << " " << force;
      EXPECT_NEAR(static_cast<double>(count), static_cast<double>(iterations),
                  0.05 * static_cast<double>(iterations));
    }
}

TEST(Algebraic, unknown_without_an_equation_is_named_at_the_start) {
  for (const bool in_statics : {false, true})
    for (const bool has_element : {false, true}) {
      TestSystem m;
      m.entity("bead");
      const BlockId q = m.add_length("q", 0.3);
      m.builder.add(LineMass{2, 0}, {q});
      m.entity("muscle", "hill");
      const Measure measures[] = {Measure::length(), Measure::length()};
      const double guess[] = {0, 0};
      const BlockId z = m.builder.add_algebraic("fibre", guess, measures, "m");
      if (has_element) {
        /// Writes the first row alone.
        struct Half {
          void evaluate(const LocalState& x, LocalSystem& out) const {
            out.residual()[1] = x.value(1)[0] - x.value(0)[0];
            if (!out.request.tangent) return;
            out.K()(1, 1) = 1;
            out.K()(1, 0) = -1;
          }
        };
        m.builder.add(Half{}, {q, z});
      }
      m.finish();
      Simulation run(*m.assembler);
      EXPECT_THAT(error_of(run, {in_statics ? load_steps(1) : dynamic(DynamicStage::Form::index3, 1, 0.1)}),
                  HasSubstr("'muscle' (hill): algebraic unknown " + std::string(has_element ? "2" : "1") +
                            " of 'muscle.fibre' has no equation: no element writes its row"));
    }
}

TEST(Algebraic, equations_that_do_not_determine_their_unknowns_are_named) {
  /// An equation that does not contain its own unknown.
  struct Blind {
    void evaluate(const LocalState& x, LocalSystem& out) const {
      out.residual()[0] = x.value(1)[0];
      out.residual()[1] = x.value(0)[0] - 0.3;
      if (!out.request.tangent) return;
      out.K()(0, 1) = out.K()(1, 0) = 1;
    }
  };
  TestSystem m;
  m.entity("bead");
  const BlockId q = m.add_length("q", 0.25);
  m.builder.add(LineMass{2, 0}, {q});
  m.entity("blind");
  const Measure measure = Measure::length();
  const double guess = 0;
  const BlockId z = m.builder.add_algebraic("z", {&guess, 1}, {&measure, 1}, "m");
  m.builder.add(Blind{}, {q, z});
  m.finish();
  Simulation run(*m.assembler);
  const std::string error = error_of(run, {dynamic(DynamicStage::Form::index3, 1, 0.1)});
  EXPECT_THAT(error, HasSubstr("the algebraic unknowns cannot be found"));
  EXPECT_THAT(error, HasSubstr("no equation that determines 'blind.z' (1)"));
}

TEST(Algebraic, unknowns_of_an_inactive_joint_are_kept) {
  /// Holds a coordinate at the algebraic unknown, z = 0.5 q. Stencil: coordinate, algebraic, multiplier.
  struct Held {
    void evaluate(const LocalState& x, LocalSystem& out) const {
      out.residual() << x.value(2)[0], x.value(1)[0] - 0.5 * x.value(0)[0], x.value(0)[0];
      if (out.request.rates) out.rate()[2] = x.rate(0)[0];
      if (out.request.bias) out.bias()[2] = 0;
      if (!out.request.tangent) return;
      auto K = out.K();
      K(0, 2) = K(2, 0) = K(1, 1) = 1;
      K(1, 0) = -0.5;
    }
  };
  TestSystem m;
  m.entity("bead");
  const BlockId q = m.add_length("q", 0);
  m.builder.add(LineMass{2, 3}, {q});
  m.entity("latch", "latch");
  m.let_be_active(-1, 0.25);
  const Measure measure = Measure::length();
  const double guess = 4;
  const BlockId z = m.builder.add_algebraic("z", {&guess, 1}, {&measure, 1}, "m");
  m.builder.add(Held{}, {q, z, m.add_force(1)});
  m.finish();
  Simulation run(*m.assembler);
  run.run(std::vector{dynamic(DynamicStage::Form::index3, 1, 0.01)});
  EXPECT_NEAR(on_all_ranks(m, run.state(), q), 0.5 * 1.5 * 0.75 * 0.75, 1e-9);
  EXPECT_NEAR(on_all_ranks(m, run.state(), z), 0, 1e-12);
}

/// Stencil: coordinate q, algebraic z, multiplier. q is held at 0 and z follows from q, but for one entry that may not be.
struct RuleBreaker {
  double by_multiplier = 0;    ///< of the equation of z
  double by_acceleration = 0;  ///< likewise
  double of_constraint = 0;    ///< of the constraint by z^2: nothing at the start, where z = 0

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double q = x.value(0)[0], z = x.value(1)[0], lambda = x.value(2)[0];
    out.residual() << lambda, z - 0.5 * q + by_multiplier * lambda + by_acceleration * x.second_rate(0)[0],
        q + of_constraint * z * z;
    if (out.request.rates) out.rate()[2] = x.rate(0)[0];
    if (out.request.bias) out.bias()[2] = 0;
    if (!out.request.tangent) return;
    auto K = out.K();
    K(0, 2) = K(2, 0) = K(1, 1) = 1;
    K(1, 0) = -0.5;
    K(1, 2) = by_multiplier;
    K(2, 1) = 2 * of_constraint * z;
    if (by_acceleration != 0) out.M()(1, 0) = by_acceleration;
  }
};

TEST(Algebraic, equation_or_constraint_with_a_forbidden_dependence_is_named_at_the_start) {
  const auto message = [](const RuleBreaker& breaker, bool in_statics) {
    TestSystem m;
    m.entity("bead");
    const BlockId q = m.add_length("q", 0);
    m.builder.add(LineMass{2, 0}, {q});
    m.entity("latch", "hook");
    const Measure measure = Measure::length();
    const double guess = 0;
    const BlockId z = m.builder.add_algebraic("z", {&guess, 1}, {&measure, 1}, "m");
    m.builder.add(RuleBreaker(breaker), {q, z, m.add_force(1)});
    m.finish();
    Simulation run(*m.assembler);
    return error_of(run, {in_statics ? load_steps(1) : dynamic(DynamicStage::Form::index3, 0.1, 0.1)});
  };
  EXPECT_EQ(message({}, false), "");
  const std::string equation = "the equation of the algebraic unknown 'latch.z' depends on the ";
  for (const bool in_statics : {false, true}) {
    EXPECT_THAT(message({.by_multiplier = 0.1}, in_statics),
                AllOf(HasSubstr("'latch' (type 'hook'"), HasSubstr(equation + "multiplier 'latch.force'")));
    EXPECT_THAT(message({.by_acceleration = 0.1}, in_statics),
                AllOf(HasSubstr("'latch' (type 'hook'"), HasSubstr(equation + "acceleration of 'bead.q'")));
    // At the start nothing is seen of it: z = 0.
    EXPECT_THAT(message({.of_constraint = 0.1}, in_statics),
                HasSubstr("the constraint of the multiplier 'latch.force' depends on the algebraic unknown "
                          "'latch.z'"));
  }
}

}  // namespace
}  // namespace trammel::testing
