#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

using ::testing::HasSubstr;

class Log : public Monitor {
 public:
  void accepted(const StepReport& report, const State& s) override {
    times.push_back(s.time);
    nominal.push_back(report.at_nominal);
    last = report;
  }
  void note(std::string_view text) override { notes.emplace_back(text); }
  void failed(const StepReport&, const State& s, std::string_view text) override {
    failure = text;
    last_good = s.time;
  }
  std::vector<double> times;
  std::vector<bool> nominal;
  std::vector<std::string> notes;
  std::string failure;
  double last_good = -1;
  StepReport last;
};

Stage dynamic(double until, double step, double radius = 0.9,
              DynamicStage::Start start = DynamicStage::Start::consistent) {
  DynamicStage d;
  d.until = until;
  d.step = step;
  d.radius = radius;
  d.start = start;
  return {"", d};
}

TEST(FirstOrder, states_have_order_2_for_every_radius) {
  const double k = 3, t = 2;
  const double exact = (k * k * std::sin(t) - k * std::cos(t) + k * std::exp(-k * t)) / (k * k + 1);
  for (const double radius : {0.0, 0.5, 0.9, 1.0}) {
    double error[2];
    for (int i = 0; i < 2; ++i) {
      TestSystem s;
      s.entity("follower");
      const BlockId y = s.add_state("y");
      s.builder.add(Follower{k}, {y});
      s.finish();
      Simulation run(*s.assembler);
      run.run(std::vector{dynamic(t, 0.02 / (1 << i), radius)});
      error[i] = std::abs(*s.value(run.state(), y) - exact);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << "radius " << radius;
  }
}

/// A hardening spring to the origin, pulled by f(t) = load t; it refuses increments over `limit`.
struct Spring {
  double k = 1, cubic = 0, load = 0, limit = 1e30;
  double last = 0;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double q = x.value(0)[0];
    if (std::abs(q - last) > limit) throw RejectStep("too far");
    out.residual()[0] = k * q + cubic * q * q * q - load * x.time();
    if (out.request.tangent) out.K()(0, 0) = k + 3 * cubic * q * q;
  }
  void commit(const LocalState& x, const StepInfo&) { last = x.value(0)[0]; }
  Energy energy(const LocalState& x) const {
    Energy e;
    const double q = x.value(0)[0];
    e.strain = 0.5 * k * q * q + 0.25 * cubic * q * q * q * q;
    return e;
  }
};

/// Counts what was told between the first accepted step and the last one.
class ToldInSteps : public Monitor {
 public:
  void accepted(const StepReport&, const State&) override {
    if (++steps > 1) changes += std::exchange(since, 0);
    since = 0;
  }
  void histories_change() override { ++since; }
  int steps = 0, changes = 0, since = 0;
};

TEST(Monitor, is_told_of_changes_in_steps_only_where_elements_have_histories) {
  for (const bool remembers : {false, true}) {
    TestSystem s;
    s.entity("thing");
    if (remembers)
      s.builder.add(Spring{.load = 1}, {s.add_length("x")});
    else
      s.builder.add(Follower{1}, {s.add_state("y")});
    s.finish();
    ToldInSteps told;
    Simulation run(*s.assembler);
    run.add(told);
    if (remembers) {
      StaticStage stage;
      stage.steps = 5;
      run.run(std::vector{Stage{"", stage}});
    } else {
      run.run(std::vector{dynamic(0.5, 0.1)});
    }
    EXPECT_EQ(told.steps, 5);
    EXPECT_EQ(told.changes > 0, remembers);
  }
}

TEST(Monitor, is_told_the_energies_of_an_accepted_state) {
  struct Energies : Monitor {
    explicit Energies(Assembler& its) : assembler(its) {}
    void accepted(const StepReport& report, const State& state) override {
      ASSERT_TRUE(report.energy.has_value());
      EXPECT_EQ(report.energy->total(), model_energy(assembler, state).total());
      EXPECT_GT(report.energy->size, 0);
      ++steps;
    }
    Assembler& assembler;
    int steps = 0;
  };
  TestSystem s;
  s.entity("top");
  const BlockId x = s.add_length("x", 0.1, 2);
  struct Mass {
    void evaluate(const LocalState& its, LocalSystem& out) const {
      out.residual()[0] = 2 * *its.second_rate(0) + 3 * its.value(0)[0];
      if (!out.request.tangent) return;
      out.M()(0, 0) = 2;
      out.K()(0, 0) = 3;
    }
    Energy energy(const LocalState& its) const {
      Energy e;
      e.kinetic = *its.rate(0) * *its.rate(0);
      e.strain = 1.5 * its.value(0)[0] * its.value(0)[0];
      return e;
    }
  };
  s.builder.add(Mass{}, {x});
  s.finish();
  Energies energies(*s.assembler);
  Simulation run(*s.assembler, SimulationOptions{.energy = true});
  run.add(energies);
  run.run(std::vector{dynamic(0.5, 0.1)});
  EXPECT_EQ(energies.steps, 5);
}

struct SpringModel : TestSystem {
  BlockId q;
  SpringModel(Spring spring, double mass, double start = 0, double rate = 0) {
    entity("spring", "spring");
    q = add_length("stretch", start, rate);
    builder.add(spring, {q});
    if (mass > 0) {
      entity("bob", "mass");
      builder.add(LineMass{mass}, {q});
    }
    finish();
  }
};

TEST(Statics, finds_equilibrium) {
  SpringModel m(Spring{2, 5, 7}, 0);
  Simulation run(*m.assembler);
  run.run(std::vector<Stage>{{"", StaticStage{}}});
  EXPECT_NEAR(*m.value(run.state(), m.q), 1, 1e-9);
}

TEST(Statics, halves_load_steps_and_enlarges_them_again) {
  SpringModel m(Spring{2, 5, 7, 0.3}, 0);
  Simulation run(*m.assembler);
  Log log;
  run.add(log);
  StaticStage s;
  s.steps = 2;
  run.run(std::vector<Stage>{{"", s}});
  EXPECT_NEAR(*m.value(run.state(), m.q), 1, 1e-9);
  EXPECT_GT(run.summary().timings.cuts, 0);
  EXPECT_FALSE(log.notes.empty());
  EXPECT_NE(std::ranges::find(log.times, 0.5), log.times.end());
  EXPECT_EQ(log.times.back(), 1);
  EXPECT_TRUE(log.last.last);
}

TEST(Statics, names_a_block_without_stiffness) {
  TestSystem s;
  s.entity("bob", "mass");
  const BlockId p = s.builder.add_position("position", Vec3(1, 0, 0));
  struct Pull {
    void evaluate(const LocalState&, LocalSystem& out) const {
      out.residual()[0] = -1;
      if (out.request.tangent) out.K()(0, 0) = 0;
    }
  };
  s.builder.add(Pull{}, {p});
  s.finish();
  Simulation run(*s.assembler);
  Log log;
  run.add(log);
  const std::string text = error_of(run, {{"", StaticStage{}}});
  EXPECT_THAT(text, HasSubstr("no stiffness or mass in 'bob.position' (1, 2, 3)"));
  EXPECT_EQ(log.failure, text);
  EXPECT_EQ(log.last_good, 0);
  // Twelve cuts, in two lines.
  ASSERT_EQ(log.notes.size(), 2U);
  EXPECT_THAT(log.notes[0], HasSubstr("cut to 0.5: after 0 iterations the system is singular"));
  EXPECT_THAT(log.notes[1], HasSubstr("and 11 times more for that reason, to 0.000244"));
}

TEST(Statics, reports_where_it_does_not_converge) {
  SpringModel m(Spring{2, 5, 7, 1e-9}, 0);
  Simulation run(*m.assembler);
  StaticStage s;
  s.max_cuts = 2;
  const std::string text = error_of(run, {{"", s}});
  EXPECT_THAT(text, HasSubstr("no convergence at t = 0.25"));
}

TEST(Dynamics, counts_energy_without_a_source) {
  // A load of 1 N that does not tell its work.
  struct Push {
    void evaluate(const LocalState&, LocalSystem& out) const { out.residual()[0] = -1; }
  };
  TestSystem s;
  s.entity("bob", "mass");
  const double start = 0;
  const BlockId q = s.add_length("place", start, start);
  s.builder.add(LineMass{2}, {q});
  s.builder.add(Push{}, {q});
  s.finish();
  Simulation run(*s.assembler);
  Log log;
  run.add(log);
  run.run(std::vector{dynamic(4, 0.5, 1.0)});
  EXPECT_THAT(log.notes, ::testing::ElementsAre(HasSubstr("does not report its work"), HasSubstr("WARNING")));
  const double work = std::pow(4, 2) / (2 * 2);
  EXPECT_NEAR(run.summary().gained, work, 1e-9);
  EXPECT_NEAR(run.summary().largest_energy, work, 1e-9);
  EXPECT_EQ(run.summary().gained_at, 4);
}

TEST(Dynamics, keeps_the_energy_of_an_oscillator_and_halves_a_rejected_step) {
  SpringModel m(Spring{1, 0, 0, 0.3, 1}, 1, 1);
  Simulation run(*m.assembler);
  Log log;
  run.add(log);
  run.run(std::vector{dynamic(2, 0.5, 1.0)});
  EXPECT_GT(run.summary().timings.cuts, 0);
  EXPECT_NEAR(*m.value(run.state(), m.q), std::cos(2), 0.05);
  EXPECT_LT(run.summary().largest_gain, 0.03);
  EXPECT_NE(std::ranges::find(log.times, 1.5), log.times.end());
}

/// Reports the moment at which a coordinate passes zero, once.
struct Crossing {
  bool done = false;
  double before = 1;
  void evaluate(const LocalState&, LocalSystem&) const {}
  Review review(const LocalState& x, const StepInfo& step) const {
    const double q = x.value(0)[0];
    if (done || q >= 0 || std::abs(q) < 1e-12) return Review::keep();
    return Review::cut(step.start + (step.end - step.start) * before / (before - q));
  }
  void commit(const LocalState& x, const StepInfo&) {
    before = x.value(0)[0];
    if (before < 1e-4) done = true;
  }
};

TEST(Dynamics, shortens_a_step_to_an_event) {
  const double one = 1, down = -1;
  TestSystem m;
  m.entity("bob");
  const BlockId q = m.add_length("q", one, down);
  m.builder.add(LineMass{1}, {q});
  m.builder.add(Crossing{}, {q});
  m.finish();
  Simulation run(*m.assembler);
  Log log;
  run.add(log);
  run.run(std::vector{dynamic(2.1, 0.7)});
  bool found = false;
  for (std::size_t i = 0; i < log.times.size(); ++i)
    if (std::abs(log.times[i] - 1) < 1e-9) found = !log.nominal[i];
  EXPECT_TRUE(found);
  EXPECT_NEAR(*m.value(run.state(), q), -1.1, 1e-9);
}

/// A top held twice at the same point: three equations repeat the others.
struct HeldTwice : TestSystem {
  BlockId force[2] = {no_block, no_block};

  HeldTwice() {
    entity("top", "rigid_body");
    const Frame f = builder.add_frame("", Mat3::Identity(), Vec3(0, 1, 0));
    builder.add(TopBody{}, {f.position, f.rotation});
    for (const int i : {0, 1}) {
      entity(i == 0 ? "a" : "b", "spherical");
      force[i] = add_force();
      builder.add(HeldPoint{Vec3(0, -1, 0), Vec3::Zero()}, {f.position, f.rotation, force[i]});
    }
    finish();
  }
};

TEST(Redundancy, names_the_redundant_joint) {
  HeldTwice m;
  Simulation run(*m.assembler);
  DynamicStage stage;
  stage.until = 1;
  stage.step = 0.1;
  stage.redundancy = Redundancy::stop;
  const std::string text = error_of(run, {Stage{"", stage}});
  EXPECT_THAT(text, HasSubstr("redundant constraints"));
  EXPECT_THAT(text, HasSubstr("'b' has 3 redundant equations, which follow from those of 'a': force"));
}

TEST(Redundancy, divides_the_reaction_equally) {
  for (const auto form :
       {DynamicStage::Form::index3, DynamicStage::Form::index2, DynamicStage::Form::index1}) {
    HeldTwice m;
    Simulation run(*m.assembler);
    DynamicStage stage;
    stage.until = 0.01;
    stage.step = 0.001;
    stage.form = form;
    run.run(std::vector<Stage>{{"", stage}});
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
      const auto at = [&](int i) {
        return run.state().value[static_cast<std::size_t>(m.layout->offset(m.force[i]).value + k)];
      };
      EXPECT_NEAR(at(0), at(1), 1e-9 * (1 + std::abs(at(0))));
      largest = std::max(largest, std::abs(at(0)));
    }
    EXPECT_GT(largest, 1);
    EXPECT_LT(run.summary().largest_violation, 1e-9);
  }
}

TEST(Assemble, closes_a_gap_with_the_least_motion) {
  TestSystem m;
  m.entity("top", "rigid_body");
  const Frame f = m.builder.add_frame("", Mat3::Identity(), Vec3(0.3, 1.2, -0.2));
  m.builder.add(TopBody{}, {f.position, f.rotation});
  m.entity("pivot", "spherical");
  m.builder.add(HeldPoint{Vec3(0, -1, 0), Vec3::Zero()}, {f.position, f.rotation, m.add_force()});
  m.finish();
  Simulation run(*m.assembler);
  run.run(std::vector<Stage>{{"", AssembleStage{}}, dynamic(0.01, 0.001)});
  EXPECT_LT(run.summary().largest_violation, 1e-9);
}

TEST(Start, changes_velocities_by_the_least_amount) {
  // A point of a rod held at its end: the consistent velocity of p = (0, -1, 0) + given spin.
  TestSystem m;
  m.entity("rod", "rigid_body");
  const Frame f = m.builder.add_frame("", Mat3::Identity(), Vec3(0, -1, 0), Vec3(2, 0, 0));
  m.builder.add(TopBody{}, {f.position, f.rotation});
  m.entity("pivot", "spherical");
  m.builder.add(HeldPoint{Vec3(0, 1, 0), Vec3::Zero()}, {f.position, f.rotation, m.add_force()});
  m.finish();
  Simulation run(*m.assembler);
  Log log;
  run.add(log);
  run.run(std::vector{dynamic(1e-6, 1e-6)});
  // Least change with m = J = 1: angular momentum about the pivot stays, (1 + 1) w = 2.
  EXPECT_NEAR(m.rate(run.state(), f.rotation)[2], 1, 1e-4);
  EXPECT_NEAR(m.rate(run.state(), f.position)[0], 1, 1e-4);
  EXPECT_NEAR(run.summary().start_energy_change, -1, 1e-9);
  ASSERT_FALSE(log.notes.empty());
  EXPECT_THAT(log.notes[0], HasSubstr("velocities changed"));
}

/// A blade on the plane: it moves along its own x-axis alone.
struct Blade {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Mat3 R = x.rotation(1);
    const Vec3 n = R.col(1), v = x.velocity(0);
    const double lambda = x.value(2)[0];
    out.residual().head<3>() = lambda * n;
    out.residual()[6] = n.dot(v);
    const Vec3 w = x.velocity(1);
    if (out.request.tangent) {
      auto K = out.K();
      // dn = R (dtheta x e_y)
      const Mat3 dn = -R * skew(Vec3(0, 1, 0));
      K.block<3, 3>(0, 3) = lambda * dn;
      K.block<3, 1>(0, 6) = n;
      K.block<1, 3>(6, 3) = v.transpose() * dn;
      out.D().block<1, 3>(6, 0) = n.transpose();
    }
    if (out.request.bias) out.bias()[6] = v.dot(R * w.cross(Vec3(0, 1, 0)));
  }
};

struct Skate : TestSystem {
  Frame f;
  Skate() {
    entity("skate", "rigid_body");
    f = builder.add_frame("", Mat3::Identity(), Vec3::Zero(), Vec3(1, 0.5, 0), Vec3(0, 0, 2));
    builder.add(TopBody{1, Vec3::Ones(), Vec3::Zero()}, {f.position, f.rotation});
    entity("edge", "blade");
    builder.add(Blade{}, {f.position, f.rotation,
                          builder.add_velocity_multiplier("force", rows_of(Dimension::velocity, 1))});
    finish();
  }
};

TEST(Dynamics, has_order_2_with_a_velocity_constraint) {
  // Constant speed 1 along a body that spins with 2 rad/s: a circle of radius 1/2.
  for (const auto form :
       {DynamicStage::Form::index3, DynamicStage::Form::index2, DynamicStage::Form::index1}) {
    double error[2];
    for (int i = 0; i < 2; ++i) {
      Skate m;
      Simulation run(*m.assembler);
      Stage stage = dynamic(1, 0.02 / (1 << i));
      std::get<DynamicStage>(stage.what).form = form;
      run.run(std::vector{stage});
      const Vec3 p = Eigen::Map<const Vec3>(m.value(run.state(), m.f.position));
      error[i] = (p - 0.5 * Vec3(std::sin(2), 1 - std::cos(2), 0)).norm();
      EXPECT_LT(run.summary().largest_rate_violation, 1e-7);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1);
    EXPECT_LT(error[1], 1e-3);
  }
}

TEST(Stages, refuse_impossible_input) {
  SpringModel m(Spring{}, 1);
  Simulation run(*m.assembler);
  EXPECT_THAT(error_of(run, {dynamic(1, 0)}), HasSubstr("step"));
  EXPECT_THAT(error_of(run, {dynamic(1, 0.1, 1.5)}), HasSubstr("radius"));
  EXPECT_THAT(error_of(run, {dynamic(-1, 0.1)}), HasSubstr("cannot end"));
}

TEST(Stages, can_prestress_and_then_release) {
  SpringModel m(Spring{4, 0, 2}, 1);
  Simulation run(*m.assembler);
  StaticStage s;
  Stage release = dynamic(1, 0.001, 1.0);
  std::get<DynamicStage>(release.what).from = 0;
  run.run(std::vector<Stage>{{"", s}, release});
  // Static q = 1/2 at t = 1; then the load restarts from zero: q'' + 4 q = 2 t.
  const double exact = 0.5 * std::cos(2.0) + 0.5 - 0.25 * std::sin(2.0);
  EXPECT_NEAR(*m.value(run.state(), m.q), exact, 1e-5);
}

}  // namespace
}  // namespace trammel::testing
