#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"

/// Events, and cuts that reviews ask for.
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
  /// Those between two times.
  std::vector<double> inside(double first, double last) const {
    std::vector<double> out;
    for (const double t : all)
      if (t > first && t < last) out.push_back(t);
    return out;
  }
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

/// Sees an event at 0.55 from far, and a little before it from near.
struct Advanced {
  void evaluate(const LocalState&, LocalSystem&) const {}
  Review review(const LocalState&, const StepInfo& step) const {
    if (step.start > 0.54) return Review::keep();
    if (step.end > 0.56) return Review::cut(0.55);
    return step.end > 0.54999995 ? Review::cut(0.5499999) : Review::keep();
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
    const BlockId q = m.add_length("q", one, down);
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

TEST(Reviews, that_change_the_history_without_end_are_named) {
  TestSystem m;
  m.entity("bob");
  const double one = 1;
  const BlockId q = m.add_length("q", one);
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

TEST(Events, of_one_step_happen_in_the_order_of_time) {
  // Two at different times, two at the same.
  const Kick kicks[] = {{0.53, 2}, {0.51, -3}, {0.57, 1}, {0.57, 4}};
  std::vector<double> ends;
  for (const auto& order : {std::array{0, 1, 2, 3}, std::array{3, 2, 1, 0}, std::array{2, 0, 3, 1}}) {
    TestSystem m;
    m.entity("bob");
    const BlockId q = m.add_length("q");
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
    EXPECT_EQ(times.inside(0.505, 0.595), (std::vector<double>{0.51, 0.53, 0.57}));
    ends.push_back(*m.value(run.state(), q));
  }
  EXPECT_NEAR(ends[1], ends[0], 1e-14);
  EXPECT_NEAR(ends[2], ends[0], 1e-14);
}

TEST(Events, whose_prediction_moves_to_an_earlier_time_leave_no_step_between) {
  TestSystem m;
  m.entity("mass");
  const double zero = 0, one = 1;
  const BlockId q = m.add_length("q", zero, one);
  m.builder.add(LineMass{}, {q});
  m.builder.add(Advanced{}, {q});
  m.finish();
  Simulation run(*m.assembler);
  Times times;
  run.add(times);
  run.run(dynamic(1, 0.1));
  EXPECT_EQ(times.inside(0.505, 0.595), (std::vector<double>{0.5499999}));
}

}  // namespace
}  // namespace trammel::testing
