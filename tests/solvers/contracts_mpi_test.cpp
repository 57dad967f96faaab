// Small elements that prove what the contract promises to elements that come later: unilateral contact,
// unknowns solved inside an element, a stencil that moves across ranks while a run goes on.

#include <gtest/gtest.h>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

Stage dynamic(double until, double step) {
  DynamicStage d;
  d.until = until;
  d.step = step;
  return {"", d};
}

Stage load_steps(int steps) {
  StaticStage s;
  s.steps = steps;
  return {"", s};
}

/// A value of one block on every rank: its owner tells the others.
double on_all_ranks(const TestSystem& s, const State& state, BlockId id) {
  const UnknownBlock* u = s.layout->knows(id) ? s.layout->unknown_of(id) : nullptr;
  double value = u != nullptr && u->owned ? state.value[static_cast<std::size_t>(u->offset.value)] : 0;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return value;
}

/// A linear spring from a coordinate to the origin, pulled by load(t).
struct Pulled {
  double stiffness = 1, load = 0;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = stiffness * x.value(0)[0] - load * std::sin(4 * x.time());
    if (out.request.tangent) out.K()(0, 0) = stiffness;
  }
};

/// A wall at q = gap that pushes and never pulls. Stencil: coordinate, multiplier; the multiplier's row is
/// the gap while it is closed and the multiplier itself while it is open.
struct Wall {
  double gap = 1;
  struct History {
    static constexpr int version = 1;
    bool closed = false;

    void serialize(Archive& archive) { archive(closed); }
  } trial = {};

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = x.value(1)[0];
    const bool closed = trial.closed;
    out.residual()[1] = closed ? x.value(0)[0] - gap : x.value(1)[0];
    if (!out.request.tangent) return;
    out.K()(0, 1) = 1;
    out.K()(1, closed ? 0 : 1) = 1;
  }
  Review review(const LocalState& x, const StepInfo&) {
    const bool should = trial.closed ? x.value(1)[0] >= 0 : x.value(0)[0] > gap;
    if (should == trial.closed) return Review::keep();
    trial.closed = should;
    return Review::changed();
  }
  History& history() { return trial; }
};

TEST(Contracts, a_unilateral_wall_closes_and_opens) {
  const double k = 10, load = 30;
  TestSystem s;
  s.entity("pulled");
  const BlockId q = s.add_length("q");
  s.builder.add(Pulled{k, load}, {q});
  s.entity("wall");
  const BlockId force = s.add_force(1);
  s.builder.add(Wall{1.5}, {q, force});
  s.finish();
  Simulation run(*s.assembler);
  struct : Monitor {
    const TestSystem* system = nullptr;
    BlockId q = no_block, force = no_block;
    int closed = 0;
    double worst = 0;
    void accepted(const StepReport&, const State& state) override {
      const double free = 30 * std::sin(4 * state.time) / 10, position = on_all_ranks(*system, state, q);
      const double push = on_all_ranks(*system, state, force);
      worst = std::max(worst, std::abs(position - std::min(free, 1.5)));
      worst = std::max(worst, std::abs(push - std::max(0.0, 10 * (free - 1.5))));
      closed += free > 1.5 ? 1 : 0;
    }
  } watch;
  watch.system = &s;
  watch.q = q;
  watch.force = force;
  run.add(watch);
  run.run(std::vector{load_steps(40)});
  EXPECT_LT(watch.worst, 1e-9);
  EXPECT_GT(watch.closed, 5);
  EXPECT_LT(watch.closed, 35);
}

/// An elastic-plastic spring with linear hardening: the plastic stretch is solved for inside the element and
/// condensed, and becomes history only where a step is accepted.
struct PlasticSpring {
  double stiffness = 100, yield = 5, hardening = 20;
  struct History {
    static constexpr int version = 1;
    double plastic = 0;  ///< of the last accepted state

    void serialize(Archive& archive) { archive(plastic); }
  } kept = {};

  double plastic_at(double stretch) const {
    const double plastic = kept.plastic;
    const double trial = stiffness * (stretch - plastic) - hardening * plastic;
    const double over = std::abs(trial) - yield;
    return over <= 0 ? plastic : plastic + std::copysign(over / (stiffness + hardening), trial);
  }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double stretch = x.value(0)[0], y = plastic_at(stretch);
    out.residual()[0] = stiffness * (stretch - y);
    if (out.request.tangent)
      out.K()(0, 0) =
          y == kept.plastic ? stiffness : stiffness - stiffness * stiffness / (stiffness + hardening);
  }
  void commit(const LocalState& x, const StepInfo&) { kept.plastic = plastic_at(x.value(0)[0]); }
  History& history() { return kept; }
};

TEST(Contracts, local_unknowns_are_condensed_and_become_history_on_commit) {
  for (const int steps : {4, 64}) {
    TestSystem s;
    s.entity("spring");
    const BlockId q = s.add_length("q");
    s.builder.add(PlasticSpring{}, {q});
    s.builder.add(Pulled{0, 12}, {q});
    s.finish();
    Simulation run(*s.assembler);
    StaticStage up, down;
    up.steps = down.steps = steps;
    up.until = std::acos(-1.0) / 8;    // the load is at its peak, 12
    down.until = std::acos(-1.0) / 4;  // and gone
    run.run(std::vector{Stage{"up", up}});
    EXPECT_NEAR(on_all_ranks(s, run.state(), q), 12.0 / 100 + 7.0 / 20, 1e-9);
    run.run(std::vector{Stage{"down", down}});
    // The back stress 20 q flows back until it is at the yield force.
    EXPECT_NEAR(on_all_ranks(s, run.state(), q), 5.0 / 20, 1e-9);
  }
}

/// A rider coupled by a spring to one mass of a row, the next one after every `period`.
struct Rider {
  std::vector<BlockId> row;
  BlockId rider = no_block;
  double period = 0.1, stiffness = 40;

  std::size_t host(double time) const {
    return std::min(static_cast<std::size_t>(time / period + 1e-9), row.size() - 1);
  }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double d = x.value(1)[0] - x.value(0)[0];
    out.residual() << -stiffness * d, stiffness * d;
    if (!out.request.tangent) return;
    out.K() << stiffness, -stiffness, -stiffness, stiffness;
  }
  Review review(const LocalState&, const StepInfo& step) {
    if (host(step.end) == host(step.start)) return Review::keep();
    return Review::move({rider, row[host(step.end)]}, false);
  }
};

/// The same rider with all masses in its stencil from the start.
struct WideRider {
  Rider rider;
  std::size_t at = 0;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double k = rider.stiffness, d = x.value(static_cast<int>(at) + 1)[0] - x.value(0)[0];
    const auto i = static_cast<Eigen::Index>(at + 1);
    out.residual()[0] = -k * d;
    out.residual()[i] = k * d;
    if (!out.request.tangent) return;
    out.K()(0, 0) = out.K()(i, i) = k;
    out.K()(0, i) = out.K()(i, 0) = -k;
  }
  void commit(const LocalState&, const StepInfo& step) { at = rider.host(step.end); }
};

struct Row : TestSystem {
  std::vector<BlockId> masses;
  BlockId rider = no_block;

  Row(int n, bool wide) {
    for (int i = 0; i < n; ++i) {
      entity("mass" + std::to_string(i));
      const double zero = 0, rate = std::sin(i);
      masses.push_back(add_length("q", zero, rate));
      builder.add(LineMass{1}, {masses.back()});
      builder.add(Pulled{5, 1}, {masses.back()});
    }
    entity("rider");
    const double start = 0.5;
    rider = add_length("q", start);
    builder.add(LineMass{2}, {rider});
    const Rider moving{masses, rider};
    if (wide) {
      std::vector<BlockId> stencil{rider};
      stencil.insert(stencil.end(), masses.begin(), masses.end());
      builder.add(WideRider{moving}, std::move(stencil));
    } else {
      builder.add(moving, {rider, masses[0]});
    }
    finish();
  }
};

TEST(Contracts, a_stencil_that_moves_across_ranks_gives_the_motion_of_one_with_all_blocks) {
  const int n = 20;
  Row moving(n, false), wide(n, true);
  Simulation a(*moving.assembler), b(*wide.assembler);
  a.run(std::vector{dynamic(1.9, 0.01)});
  b.run(std::vector{dynamic(1.9, 0.01)});
  EXPECT_NEAR(on_all_ranks(moving, a.state(), moving.rider), on_all_ranks(wide, b.state(), wide.rider), 1e-9);
  for (const std::size_t i : {std::size_t{0}, std::size_t{9}, std::size_t{18}})
    EXPECT_NEAR(on_all_ranks(moving, a.state(), moving.masses[i]),
                on_all_ranks(wide, b.state(), wide.masses[i]), 1e-9);
}

/// Throws, or refuses every step, on the one rank that holds it: where it is evaluated or asked for a review.
struct Faulty {
  bool throws = false, reviews = false;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (!reviews) refuse(x.time());
    out.residual()[0] = x.value(0)[0];
    if (out.request.tangent) out.K()(0, 0) = 1;
  }
  Review review(const LocalState& x, const StepInfo&) {
    refuse(x.time());
    return Review::keep();
  }
  void refuse(double time) const {
    if (time > 0.5 && throws) throw std::runtime_error("no such state");
    if (time > 0.5) throw RejectStep("outside the domain");
  }
};

TEST(Contracts, a_failure_on_one_rank_ends_the_run_on_all_with_one_message) {
  for (const auto& [throws, reviews] :
       {std::pair(true, false), std::pair(false, false), std::pair(true, true), std::pair(false, true)}) {
    TestSystem s;
    for (int i = 0; i < 12; ++i) {
      s.entity("thing" + std::to_string(i), "faulty");
      const BlockId q = s.add_length("q");
      s.builder.add(LineMass{1}, {q});
      if (i == 11)
        s.builder.add(Faulty{throws, reviews}, {q});
      else
        s.builder.add(Pulled{5, 1}, {q});
    }
    s.finish();
    Simulation run(*s.assembler);
    try {
      run.run(std::vector{dynamic(1, 0.1)});
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(throws ? "no such state" : "0.5"), std::string::npos) << e.what();
    }
    EXPECT_NEAR(run.state().time, 0.5, 0.11);
  }
}

/// Asks for ever more cuts of a step.
struct Asking {
  bool asks = false;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = x.value(0)[0];
    if (out.request.tangent) out.K()(0, 0) = 1;
  }
  Review review(const LocalState&, const StepInfo& step) {
    if (!asks) return Review::keep();
    return Review::cut(0.5 * (step.start + step.end));
  }
};

TEST(Contracts, the_requester_of_ever_more_cuts_is_named_on_all_ranks) {
  TestSystem s;
  for (int i = 0; i < 12; ++i) {
    s.entity("thing" + std::to_string(i), "asking");
    const BlockId q = s.add_length("q");
    s.builder.add(LineMass{1}, {q});
    s.builder.add(Asking{i == 11}, {q});
  }
  s.finish();
  try {
    Simulation(*s.assembler).run(std::vector{dynamic(1, 0.1)});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("'thing11' (asking) asks for ever more cuts"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace trammel::testing
