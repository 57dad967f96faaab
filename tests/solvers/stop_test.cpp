#include "solvers/newton/stop_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

/// Asks to stop from the n-th question on.
class FromQuestion final : public StopRequest {
 public:
  FromQuestion(int first, Stop how) : first_(first), how_(how) {}
  Stop asked() const override { return ++questions_ < first_ ? Stop::no : how_; }
  int questions() const { return questions_; }

 private:
  int first_;
  Stop how_;
  mutable int questions_ = 0;
};

class Log : public Monitor {
 public:
  void accepted(const StepReport&, const State& s) override {
    last_accepted = s.value, times.push_back(s.time);
  }
  void stage_ends(const Stage&, const StepReport&, const State&) override { ++stages_ended; }
  void stopped(const StepReport& report, const State& s) override {
    ++stops;
    time_reported = report.time;
    state = s.value;
  }
  std::vector<double> times, last_accepted, state;
  double time_reported = -1;
  int stops = 0, stages_ended = 0;
};

std::vector<Stage> swing() {
  DynamicStage d;
  d.until = 1;
  d.step = 0.1;
  return {{"", d}, {"", d}};
}

struct Swing : TestSystem {
  Swing() {
    const double start = 1;
    entity("bob", "mass");
    const BlockId q = add_length("x", start);
    builder.add(LineMass{1}, {q});
    entity("spring", "spring");
    builder.add(Hardening{}, {q});
    finish();
  }
  /// Takes some iterations a step.
  struct Hardening {
    void evaluate(const LocalState& x, LocalSystem& out) const {
      const double q = x.value(0)[0];
      out.residual()[0] = 50 * q + 500 * q * q * q;
      if (out.request.tangent) out.K()(0, 0) = 50 + 1500 * q * q;
    }
  };
};

TEST(StopRequest, is_followed_at_any_iterate_and_leaves_the_last_accepted_state) {
  int within = 0, between = 0;
  for (int first = 1; first < 90; ++first) {
    for (const Stop how : {Stop::after_step, Stop::at_once}) {
      Swing model;
      Simulation run(*model.assembler);
      Log log;
      const FromQuestion request(first, how);
      run.add(log);
      run.obey(request);
      run.run(swing());
      ASSERT_TRUE(run.summary().stopped.has_value());
      const RunSummary::StoppedAt at = *run.summary().stopped;
      EXPECT_EQ(log.stops, 1);
      EXPECT_EQ(at.time, log.times.empty() ? 0 : log.times.back());
      EXPECT_EQ(at.time, log.time_reported);
      EXPECT_EQ(run.state().time, at.time);
      if (!log.times.empty()) {
        EXPECT_EQ(log.state, log.last_accepted);
      }
      if (how == Stop::after_step) {
        EXPECT_FALSE(at.given_up);
      }
      // The iterates of one step are asked further where it may be finished, and no more where not.
      if (how == Stop::at_once) {
        EXPECT_LE(request.questions(), first);
        ++(at.given_up ? within : between);
      }
    }
  }
  EXPECT_GT(within, 5);
  EXPECT_GT(between, 5);
}

TEST(StopRequest, before_the_last_stage_keeps_that_stage_from_beginning) {
  Swing model;
  Simulation whole(*model.assembler), run(*model.assembler);
  const FromQuestion never(1 << 30, Stop::no);
  whole.obey(never);
  DynamicStage d;
  d.until = 1;
  d.step = 0.1;
  whole.run(std::vector<Stage>{{"", d}});
  EXPECT_FALSE(whole.summary().stopped.has_value());
  // At the last iterate of a stage: it has ended, and the next one does not begin.
  const FromQuestion request(never.questions(), Stop::after_step);
  Log log;
  run.add(log);
  run.obey(request);
  run.run(swing());
  EXPECT_EQ(log.stages_ended, 1);
  EXPECT_EQ(log.times.back(), 1);
  EXPECT_EQ(run.summary().stopped->time, 1);
}

}  // namespace
}  // namespace trammel::testing
