#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/convergence.hpp"
#include "test_models.hpp"

/// Events, cuts that reviews ask for, and convergence where there is nothing to be small against.
namespace trammel::testing {
namespace {

using ::testing::HasSubstr;

std::vector<Stage> dynamic(double until, double step, DynamicStage::Form form = DynamicStage::Form::index3) {
  DynamicStage d;
  d.until = until;
  d.step = step;
  d.form = form;
  return {Stage{"", d}};
}

class Times : public Monitor {
 public:
  void accepted(const StepReport&, const State& s) override { all.push_back(s.time); }
  std::vector<double> all;
};

/// Asks for a cut at a part of every step, always.
struct Restless {
  double part = 0.5;
  void evaluate(const LocalState&, LocalSystem&) const {}
  Review review(const LocalState&, const StepInfo& step) const {
    return step.end > 0.35 ? Review::cut(step.start + part * (step.end - step.start)) : Review::keep();
  }
};

struct Patient {
  void evaluate(const LocalState&, LocalSystem&) const {}
  Review review(const LocalState&, const StepInfo&) const { return Review::keep(); }
};

TEST(Reviews, that_ask_for_cuts_without_end_are_named) {
  for (const double part : {0.5, 1e-4}) {
    TestSystem m;
    m.entity("bob");
    const double one = 1, down = -1;
    const BlockId q = m.builder.add_block(BlockKind::coordinate, "q", {&one, 1}, {&down, 1}, "m");
    m.builder.add(LineMass{1}, {q});
    m.entity("calm", "clutch");
    m.builder.add(Patient{}, {q});
    m.entity("nervous", "clutch");
    m.builder.add(Restless{part}, {q});
    m.finish();
    Simulation run(*m.assembler);
    const std::string text = error_of(run, dynamic(1, 0.1));
    EXPECT_THAT(text, HasSubstr("'nervous' (clutch) asks for ever more cuts of the step to t = "));
    EXPECT_NEAR(run.state().time, 0.35, 0.06);
  }
}

/// Flips its status at every review.
struct Flipping {
  bool up = false;
  void evaluate(const LocalState&, LocalSystem&) const {}
  Review review(const LocalState&, const StepInfo& step) {
    if (step.end < 0.35) return Review::keep();
    up = !up;
    return Review::changed();
  }
};

TEST(Reviews, that_change_without_end_are_named) {
  TestSystem m;
  m.entity("bob");
  const double one = 1;
  const BlockId q = m.builder.add_block(BlockKind::coordinate, "q", {&one, 1}, {}, "m");
  m.builder.add(LineMass{1}, {q});
  m.entity("toggle", "contact");
  m.builder.add(Flipping{}, {q});
  m.finish();
  Simulation run(*m.assembler);
  EXPECT_THAT(error_of(run, dynamic(1, 0.1)), HasSubstr("'toggle' (contact) changes without end"));
}

/// Takes over a mass at a time: its force changes from then on.
struct Kick {
  double time = 0, force = 0;
  bool on = false;
  void evaluate(const LocalState&, LocalSystem& out) const { out.residual()[0] = on ? -force : 0.0; }
  Review review(const LocalState&, const StepInfo& step) const {
    return step.start < time && step.end > time ? Review::cut(time) : Review::keep();
  }
  void commit(const LocalState&, const StepInfo& step) { on = on || step.end >= time; }
};

TEST(Events, of_one_step_happen_in_the_order_of_time_however_they_are_declared) {
  // Two at different times, two at the same.
  const Kick kicks[] = {{0.53, 2}, {0.51, -3}, {0.57, 1}, {0.57, 4}};
  std::vector<double> ends;
  for (const auto& order : {std::array{0, 1, 2, 3}, std::array{3, 2, 1, 0}, std::array{2, 0, 3, 1}}) {
    TestSystem m;
    m.entity("bob");
    const double zero = 0;
    const BlockId q = m.builder.add_block(BlockKind::coordinate, "q", {&zero, 1}, {}, "m");
    m.builder.add(LineMass{1}, {q});
    for (const int i : order) {
      m.entity("kick" + std::to_string(i));
      m.builder.add(kicks[i], {q});
    }
    m.finish();
    Simulation run(*m.assembler);
    Times times;
    run.add(times);
    run.run(dynamic(1, 0.1));
    std::vector<double> inside;
    for (const double t : times.all)
      if (t > 0.505 && t < 0.595) inside.push_back(t);
    EXPECT_EQ(inside, (std::vector<double>{0.51, 0.53, 0.57}));
    ends.push_back(*m.value(run.state(), q));
  }
  EXPECT_NEAR(ends[1], ends[0], 1e-14);
  EXPECT_NEAR(ends[2], ends[0], 1e-14);
}

TEST(Convergence, does_not_need_a_force) {
  // Speeds and positions whose sums round: nothing but rounding is left as a scale of forces.
  for (const double speed : {0.1234567, 3.7654321, 1234.56789})
    for (const double step : {1e-5, 0.0137, 3.1}) {
      TestSystem m;
      m.entity("bob", "rigid_body");
      const Frame f = m.builder.add_frame("", Mat3::Identity(), Vec3(0.1, -0.7, 0.3),
                                          speed * Vec3(0.3, -0.7, 0.11), Vec3(0.1, 0.2, -0.3));
      m.builder.add(TopBody{2.7, Vec3(0.3, 0.3, 0.3), Vec3::Zero()}, {f.position, f.rotation});
      m.finish();
      Simulation run(*m.assembler);
      EXPECT_EQ(error_of(run, dynamic(20 * step, step)), "") << speed << " " << step;
      EXPECT_EQ(run.summary().timings.cuts, 0) << speed << " " << step;
      EXPECT_NEAR(m.rate(run.state(), f.position)[0], 0.3 * speed, 1e-12 * speed);
    }
}

/// A stiff spring along x between two masses that fly side by side, unstretched.
struct StiffSpring {
  double stiffness = 1e9, length = 0.1;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double n = stiffness * (x.position(1)[0] - x.position(0)[0] - length);
    out.residual()[0] = -n;
    out.residual()[3] = n;
    if (!out.request.tangent) return;
    auto K = out.K();
    K(0, 0) = K(3, 3) = stiffness;
    K(0, 3) = K(3, 0) = -stiffness;
  }
};

struct Particle {
  double mass = 1;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual().head<3>() = mass * x.acceleration(0);
    if (out.request.tangent) out.M().diagonal().setConstant(mass);
  }
};

TEST(Convergence, does_not_need_a_force_in_a_stiff_body_that_flies) {
  for (const double speed : {0.1234567, 321.9876543}) {
    TestSystem m;
    m.entity("pair", "spring");
    const BlockId a = m.builder.add_position("a", Vec3(0.3, 0, 0), speed * Vec3(0.7, 0.1, 0)),
                  b = m.builder.add_position("b", Vec3(0.4, 0, 0), speed * Vec3(0.7, 0.1, 0));
    m.builder.add(Particle{0.37}, {a});
    m.builder.add(Particle{0.71}, {b});
    m.builder.add(StiffSpring{}, {a, b});
    m.finish();
    Simulation run(*m.assembler);
    EXPECT_EQ(error_of(run, dynamic(0.137, 0.00137)), "") << speed;
    EXPECT_EQ(run.summary().timings.cuts, 0) << speed;
  }
}

TEST(Convergence, takes_no_noise_for_divergence) {
  ModelScales scales;
  scales.length = 0.2;
  scales.mass = scales.heaviest = 2;
  ConvergenceTest test;
  test.begin(1e-11, scales, 1e7, 1e3, false);
  // A coasting bead off its line by 1e-3 m: no force at first, rounding after the constraint is met.
  FieldNorms norms;
  norms.residual[FieldNorms::constraint] = 1e-3;
  EXPECT_FALSE(test.accept(norms, {}, {0, true, true}));
  norms.residual = {};
  norms.residual[FieldNorms::force] = 2e-16;
  norms.acceleration = 1e-17;
  norms.change[0] = norms.size[0] = 1e-3;
  EXPECT_FALSE(test.accept(norms, {}, {1, true, true}));
  EXPECT_LE(test.contraction(), 1);
  norms.change[0] = 1e-17;
  EXPECT_TRUE(test.accept(norms, {}, {2, true, true}));
}

}  // namespace
}  // namespace trammel::testing
