#include "solvers/run/step_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "solvers/newton/diagnosis.hpp"
#include "solvers/run/dense_output.hpp"
#include "solvers/run/force_jump.hpp"
#include "solvers/run/no_convergence.hpp"

namespace trammel {

namespace {
// Times an answer of an element to a converged step may ask for the step to be solved again.
constexpr int max_reviews = 20;
// Cuts of a step in a row after which a shorter one is tried, where sizes follow from an accuracy: a step much longer than the time in
// which the event's force acts finds the event slowly.
constexpr int many_cuts = 8;
}  // namespace

StepLoop::StepLoop(Simulation& simulation, StepReport& report, const StageParts& parts,
                   std::function<void(Archive&)> stage)
    : simulation_(simulation),
      assembler_(simulation.assembler_),
      history_(simulation.history_),
      state_(simulation.state_),
      report_(report),
      parts_(parts),
      method_(parts.method),
      stage_(std::move(stage)),
      cuts_([&simulation](const std::string& text) { simulation.note(text); }) {
  method_.obey(simulation.request_);
}

void StepLoop::run() {
  try {
    while (!done()) {
      if (plan_.done()) plan();
      step();
    }
  } catch (const Stopped& stop) {
    if (stop.given_up()) reject();
    cuts_.end();
    hand_out_snapshot(true);
    throw;
  }
}

bool StepLoop::done() const {
  return parts_.accuracy != nullptr ? report_.last : report_.nominal >= parts_.grid.steps;
}

void StepLoop::plan() {
  const double until = report_.until;
  if (parts_.accuracy != nullptr) {
    const double h = parts_.accuracy->next(state_);
    const bool last = h >= until - state_.time;
    return plan_.begin_single(last ? until : state_.time + h, h, parts_.max_cuts);
  }
  if (parts_.ends != nullptr) {
    const double end = (*parts_.ends)[static_cast<std::size_t>(report_.nominal)];
    return plan_.begin(end, end - state_.time, parts_.max_cuts);
  }
  plan_.begin(parts_.grid.end_of(report_.nominal + 1, until), parts_.h, parts_.max_cuts);
}

void StepLoop::step() {
  for (int solves = 1;; ++solves) {
    const Target target = plan_.next();
    const NewtonResult result = method_.attempt(state_, target.time, target.h);
    iterations_ += result.iterations;
    factorizations_ += result.factorizations;
    MergedReview review;
    if (result.converged)
      review = history_.review(method_.trial(),
                               {.start = state_.time, .end = target.time, .in_statics = !moves()});
    const Verdict verdict = judge(result, review, target);
    if (verdict == Verdict::accept) return accept(target, review);
    if (verdict == Verdict::cut) return cut(target, review);
    if (verdict == Verdict::halve) return halve(target, result);
    if (solves > max_reviews) throw_restless(target, review);
    if (verdict == Verdict::solve_again) {
      if (review.new_stencil) revise();
      continue;
    }
    reject();
    if (verdict == Verdict::other_equations) take_redundant();
    if (verdict == Verdict::begin_again) {
      plan_.begin_again(state_.time);
      switch_rows(review.at_begin);
    }
    if (verdict == Verdict::shorten || (verdict == Verdict::begin_again && parts_.accuracy != nullptr)) {
      plan_.drop();
      plan();
    }
  }
}

StepLoop::Verdict StepLoop::judge(const NewtonResult& result, const MergedReview& review,
                                  const Target& target) {
  if (!result.converged || review.rejected) return Verdict::halve;
  if (!review.at_begin.empty()) return Verdict::begin_again;
  if (review.cut_time) return Verdict::cut;
  if (review.solve_again) return Verdict::solve_again;
  if (loops_changed()) return Verdict::other_equations;
  if (parts_.accuracy == nullptr) return Verdict::accept;
  const double h = target.h;
  if (!parts_.accuracy->accepts(method_, h, !parts_.loops.has_redundant(), target.event || review.event))
    return Verdict::shorten;
  if (parts_.guard != nullptr && !parts_.guard->allows(method_.trial(), h) && parts_.accuracy->halve(h))
    return Verdict::shorten;
  return Verdict::accept;
}

void StepLoop::accept(const Target& target, const MergedReview& review) {
  const StepInfo info{.start = state_.time, .end = target.time, .in_statics = !moves()};
  RunSummary& summary = simulation_.summary_;
  plan_.reached();
  if (parts_.accuracy != nullptr) plan_.drop();
  if (parts_.inside)
    simulation_.tell([&](Monitor& m) { m.passes(report_, {assembler_.layout(), state_, method_.trial()}); });
  cuts_.end();
  report_.at_nominal = plan_.done();
  const auto pattern = assembler_.pattern_changes();
  RankTotals totals;
  method_.accept(state_, totals);
  if (const std::string met = parts_.loops.follow(state_); !met.empty()) simulation_.note(met);
  const bool event = moves() && (target.event || review.event);
  if (event) simulation_.tell([&](Monitor& m) { m.event_comes(report_, state_); });
  // Residuals with different stencils cannot be compared. A new stencil is a change of host elements, not of forces.
  std::optional<ForceJump> jump;
  if (event && !review.new_stencil && review.at_end.empty()) jump.emplace(assembler_, state_);
  history_.commit(state_, info, totals.fault);
  // Where stencils are new, energies are those after the layout follows them.
  if (parts_.ledger != nullptr && !review.new_stencil) parts_.ledger->take(state_, totals);
  const Violations own = method_.violations();
  std::array left{own.position, own.rate};
  totals.add_maxima(left);
  for (Monitor* monitor : simulation_.monitors_) monitor->add_requests(totals);
  if (!totals.agree(assembler_)) assembler_.throw_refused(state_);
  history_.committed(state_);
  const bool jumps = jump && jump->at(state_);
  ++summary.timings.steps;
  summary.largest_violation = std::max(summary.largest_violation, left[0]);
  summary.largest_rate_violation = std::max(summary.largest_rate_violation, left[1]);
  if (parts_.loops.exchange()) take_redundant();
  if (review.new_stencil) {
    revise();
    if (parts_.ledger != nullptr) parts_.ledger->take(state_, totals);
    if (!totals.agree(assembler_)) assembler_.throw_refused(state_);
  }
  if (parts_.ledger != nullptr) parts_.ledger->book(state_.time, info.size());
  std::optional<std::string> from_nowhere;
  if (parts_.guard != nullptr)
    from_nowhere = parts_.guard->judge(assembler_.pattern_changes() == pattern ? &method_.trial() : nullptr,
                                       state_, info.size());
  if (parts_.accuracy != nullptr) {
    parts_.accuracy->accepted(state_, target.h, plan_.nominal(), event);
    refuse_crowding();
    if (const std::string creeping = parts_.accuracy->creeping(state_); !creeping.empty())
      simulation_.note("WARNING: " + creeping);
  }
  if (!review.at_end.empty())
    switch_rows(review.at_end);
  else if (jumps)
    restart({});
  else if (event)
    method_.pass_kink();
  if (event && (jumps || !review.at_end.empty()))
    simulation_.tell([&](Monitor& m) { m.event_restarts(report_, state_); });
  ++report_.number;
  if (report_.at_nominal) ++report_.nominal;
  report_.time = state_.time;
  report_.step = target.h;
  report_.last = report_.at_nominal && state_.time >= report_.until;
  report_.iterations = std::exchange(iterations_, 0);
  report_.factorizations = std::exchange(factorizations_, 0);
  // Where an impulse or other equations follow, the energies are those before.
  if (parts_.ledger != nullptr && !jumps && review.at_end.empty()) report_.energy = parts_.ledger->now();
  simulation_.tell([&](Monitor& m) { m.accepted(report_, state_); });
  report_.energy.reset();
  warn();
  hand_out_snapshot(false);
  if (from_nowhere) throw EnergyError(*from_nowhere);
  if (!report_.last && method_.stop() != Stop::no) throw Stopped(false);
}

void StepLoop::cut(const Target& target, const MergedReview& review) {
  if (plan_.too_many_events())
    throw Error(fmt::format("at t = {:.9g} {} asks for ever more cuts of the step to t = {:.9g}: {} so far",
                            state_.time, asker(review, "something"), target.time, plan_.events()));
  reject();
  who_cut_ = asker(review, "a joint or an element");
  if (plan_.events_in_a_row() >= many_cuts && plan_shorter(target.h)) return;
  plan_.cut(*review.cut_time, state_.time);
}

bool StepLoop::plan_shorter(double h) {
  if (parts_.accuracy == nullptr || !parts_.accuracy->halve(h)) return false;
  plan_.drop();
  plan();
  return true;
}

void StepLoop::hand_out_snapshot(bool stops) {
  std::vector<Monitor*> takers;
  for (Monitor* monitor : simulation_.monitors_)
    if (stops ? monitor->wants_snapshot_at_stop(report_) : monitor->wants_snapshot(report_))
      takers.push_back(monitor);
  if (takers.empty()) return;
  method_.drop_factorization();
  if (parts_.start != nullptr) parts_.start->drop_factorization();
  Snapshot snapshot;
  snapshot.take(report_, state_, history_);
  Archive archive;
  stage_(archive);
  serialize(archive);
  snapshot.contents_.run = archive.bytes();
  for (Monitor* monitor : takers) monitor->take(snapshot);
}

void StepLoop::warn() {
  if (!moves() || warned_) return;
  const std::string warning = parts_.form->warning();
  if (warning.empty()) return;
  warned_ = true;
  simulation_.summary_.warnings.push_back(fmt::format("by t = {:.6g} s {}", state_.time, warning));
  simulation_.note("WARNING: " + simulation_.summary_.warnings.back());
}

void StepLoop::serialize(Archive& archive) {
  method_.serialize(archive);
  archive(plan_, warned_);
  if (parts_.accuracy != nullptr) archive(*parts_.accuracy);
  if (parts_.ledger != nullptr) archive(*parts_.ledger, *parts_.guard);
}

void StepLoop::halve(const Target& target, const NewtonResult& result) {
  if (!result.converged) refuse_massless();
  // A steep wall may need steps far shorter than those of the flight to it.
  const bool shorter = plan_.halve() || plan_shorter(target.h);
  const std::string why = result.converged ? assembler_.rejection() : method_.failure(!shorter);
  reject();
  if (!shorter) {
    cuts_.end();
    throw NoConvergence(fmt::format("no convergence at t = {:g} after {} iterations: {}", target.time,
                                    result.iterations, why));
  }
  ++simulation_.summary_.timings.cuts;
  cuts_.add(target.time, 0.5 * target.h, result.iterations, why);
  constexpr int many = 20, often = 10;
  if (++failed_ < many || failed_ * often < report_.number || std::exchange(told_cause_, true)) return;
  if (const std::string cause = method_.frequent_cause(); !cause.empty())
    simulation_.note(
        fmt::format("{} steps of {} so far were cut, {}", failed_, report_.number + failed_, cause));
}

void StepLoop::refuse_massless() {
  if (!moves() || report_.number > 0) return;
  const Entity* body = body_without_mass(assembler_, state_);
  if (body == nullptr) return;
  const std::string why = method_.failure(true);
  if (why.find("the system is singular") != std::string::npos)
    throw Error(body->where,
                fmt::format("{} '{}' ({}) has no mass, and nothing else determines its motion: {}",
                            body->category, body->name, body->type, why));
}

void StepLoop::refuse_crowding() const {
  const EventCrowding& events = parts_.accuracy->events();
  if (!events.crowded()) return;
  throw Error(
      fmt::format("at t = {:.9g} events crowd: the last {} of them took {:.3g} s, each sooner than the one "
                  "before, and none would "
                  "come after t = {:.9g}; the last one is of {}",
                  state_.time, events.events(), events.duration(), events.limit(), who_cut_));
}

void StepLoop::throw_restless(const Target& target, const MergedReview& review) const {
  throw Error(fmt::format(
      "at t = {:g} the status of {} changes without end: after {} solves of the same step it still "
      "changes",
      target.time, asker(review, "contacts or hosts"), max_reviews));
}

std::string StepLoop::asker(const MergedReview& review, const char* or_else) const {
  if (review.asker < 0) return or_else;
  const Entity& e = assembler_.model().entities[static_cast<std::size_t>(review.asker)];
  return fmt::format("{} '{}' ({})", e.category, e.name, e.type);
}

bool StepLoop::loops_changed() {
  RedundancyMonitor& loops = parts_.loops;
  if (!loops.has_redundant()) return false;
  double open = method_.violations().redundant;
  MPI_Allreduce(MPI_IN_PLACE, &open, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  if (open <= loops.allowed()) return false;
  const State& trial = method_.trial();
  if (!loops.find_anew(trial))
    throw Error(
        fmt::format("at t = {:g} the constraints contradict each other: redundant equations are open "
                    "by {:.3g}: {}",
                    trial.time, open, loops.in_words()));
  simulation_.note(
      fmt::format("at t = {:g} the rank of the constraints changed: {}", trial.time, loops.in_words()));
  return true;
}

void StepLoop::revise() {
  State* const states[] = {&state_};
  assembler_.layout().revise(states);
  assembler_.revise();
  method_.revise();
  parts_.loops.revise();
  if (parts_.start != nullptr) parts_.start->revise();
}

void StepLoop::take_redundant() {
  if (parts_.loops.pattern_changed())
    revise();
  else
    method_.take_redundant();
}

void StepLoop::reject() {
  if (history_.reject()) revise();
}

void StepLoop::switch_rows(std::span<const RowSwitch> rows) {
  // Velocities of index 3 violate the constraints slightly, which must not become a motion along a released row.
  const bool lets_go =
      std::ranges::any_of(rows, [](const RowSwitch& s) { return s.status == RowStatus::inactive; });
  if (moves() && lets_go && parts_.form->holds_velocities()) parts_.start->velocities(state_);
  std::set<ConstraintRow> active_before;
  for (const RowSwitch& s : rows)
    if (assembler_.statuses().of(s.row.block, s.row.component) == RowStatus::active)
      active_before.insert(s.row);
  history_.switch_rows(rows, state_, beginning());
  simulation_.note(
      fmt::format("at t = {:g} {}", state_.time, parts_.loops.follow_switches(state_, rows, active_before)));
  take_redundant();
  if (!moves()) return;
  // A gap that is left open by rounding would be closed within the first step, which multipliers would tell of.
  const Model& model = assembler_.model();
  int touches = 0;
  for (const RowSwitch& s : rows)
    if (s.status == RowStatus::active && assembler_.layout().knows(s.row.block) &&
        model.block(s.row.block).rows[static_cast<std::size_t>(s.row.component)].law == RowLaw::unilateral)
      touches = 1;
  MPI_Allreduce(MPI_IN_PLACE, &touches, 1, MPI_INT, MPI_MAX, assembler_.layout().comm());
  if (touches != 0) parts_.start->close_gaps(state_);
  restart(rows);
}

void StepLoop::restart(std::span<const RowSwitch> switched) {
  const Model& model = assembler_.model();
  std::map<int, std::vector<BlockId>> activated;  // by entity
  for (const RowSwitch& s : switched) {
    if (s.status != RowStatus::active) continue;
    std::vector<BlockId>& blocks = activated[entity_of(s.row.block)];
    if (blocks.empty() || blocks.back() != s.row.block) blocks.push_back(s.row.block);
  }
  RunSummary& summary = simulation_.summary_;
  const double kinetic = parts_.ledger != nullptr ? parts_.ledger->now().energy.kinetic : 0;
  ConsistentStart& start = *parts_.start;
  State consistent = state_;
  double added = 0;
  std::string impulses;
  const auto report = [&](double energy) {
    added = energy;
    for (const auto& [entity, multipliers] : activated) {
      const auto [force, moment] = start.impulse(multipliers);
      if (entity >= 0)
        impulses += fmt::format("{}'{}' with {:.6g} N s and {:.6g} N m s", impulses.empty() ? "" : ", ",
                                model.entities[static_cast<std::size_t>(entity)].name, force, moment);
    }
  };
  bool other_pattern = false;
  const auto follow = [&](std::span<const RowSwitch> rows) {
    simulation_.note(
        fmt::format("at t = {:g} {}", state_.time, parts_.loops.follow_switches(consistent, rows)));
    if (!parts_.loops.pattern_changed()) return;
    other_pattern = true;
    start.revise();
  };
  if (parts_.form->holds_velocities() || !activated.empty())
    start.motion(consistent, beginning(), follow, report);
  else
    start.accelerations(consistent, beginning(), follow);
  parts_.loops.take_least_norm(consistent);
  state_ = std::move(consistent);
  if (other_pattern) revise();
  method_.take_redundant();
  method_.restart(state_);
  history_.begin(state_, beginning());
  if (parts_.accuracy != nullptr) parts_.accuracy->restarted(state_);
  // After the motion has come to rest, remaining velocities are rounding.
  const double size = std::max(std::abs(kinetic), summary.largest_energy);
  const bool impulse = !activated.empty() && std::abs(added) > 1e-9 * size;
  if (parts_.ledger != nullptr) parts_.ledger->jump(state_, impulse ? added : 0.0);
  if (!impulse) return;
  summary.start_energy_change += added;
  simulation_.note(
      fmt::format("at t = {:g} an impulse changes velocities, {}, and the kinetic energy by {:.4g} J",
                  state_.time, impulses, added));
}

}  // namespace trammel
