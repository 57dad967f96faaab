#include "solvers/stage_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/diagnosis.hpp"
#include "solvers/force_jump.hpp"
#include "solvers/generalized_alpha.hpp"
#include "solvers/model_scales.hpp"
#include "solvers/petsc_owned.hpp"
#include "solvers/start_check.hpp"
#include "solvers/start_values.hpp"
#include "solvers/statics.hpp"
#include "solvers/who_asks.hpp"

namespace trammel {

namespace {

// Times an answer of an element to a converged step may ask for the step to be solved again.
constexpr int max_reviews = 20;
// Times that reviews may cut a step before a part of it is accepted, and a nominal step in all.
constexpr int max_cuts_in_a_row = 60;
constexpr int max_cuts_in_a_step = 2000;
// Two times closer than this part of a step are the same.
constexpr double same_time = 1e-9;

double total(const Energy& e) { return e.kinetic + e.strain + e.potential; }

/// Largest |B v + C_t| of the position constraints [m/s or rad/s]. Collective.
double constraint_rate(Assembler& assembler, const State& state) {
  const Layout& layout = assembler.layout();
  const OwnedVec r(layout.create_vector());
  if (!assembler.residual(state, ConstraintLevel::velocity, r.get())) return HUGE_VAL;
  const PetscScalar* rows = nullptr;
  double largest = 0;
  TRAMMEL_PETSC(VecGetArrayRead(r.get(), &rows));
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned && u.kind == BlockKind::multiplier)
      for (int k = 0; k < u.size; ++k) largest = std::max(largest, std::abs(rows[u.local + k]));
  TRAMMEL_PETSC(VecRestoreArrayRead(r.get(), &rows));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
  return largest;
}

}  // namespace

StageRun::StageRun(Simulation& simulation, const Stage& stage, int index)
    : simulation_(simulation), assembler_(simulation.assembler_), stage_(stage) {
  report_.stage = index;
  report_.begin = report_.until = report_.time = simulation.state_.time;
}

template <class Call>
void StageRun::tell(Call&& call) {
  const double begin = MPI_Wtime();
  for (Monitor* monitor : simulation_.monitors_) call(*monitor);
  simulation_.summary_.timings.output += MPI_Wtime() - begin;
}

void StageRun::note(const std::string& text) {
  tell([&](Monitor& m) { m.note(text); });
}

void StageRun::stop_before_stage() const {
  if (simulation_.request_ == nullptr) return;
  int asked = static_cast<int>(simulation_.request_->asked());
  MPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_INT, MPI_MAX, assembler_.layout().comm());
  if (asked != 0) throw Stopped(false);
}

void StageRun::run() {
  stop_before_stage();
  std::visit([this](const auto& what) { run(what); }, stage_.what);
}

void StageRun::number_unknowns(bool stabilized) {
  Layout& layout = assembler_.layout();
  if (layout.stabilized() == stabilized) return;
  layout.set_stabilized(stabilized);
  assembler_.revise();
  if (loops_) loops_->revise();
}

void StageRun::run(const AssembleStage& stage) {
  number_unknowns(false);
  State& state = simulation_.state_;
  simulation_.algorithmic_.reset();
  tell([&](Monitor& m) { m.stage_begins(stage_, report_, state); });
  const ModelScales scales = measure_scales(assembler_, state);
  find_loops(scales, Redundancy::leave_out);
  ConsistentStart start(assembler_, scales, simulation_.summary_.timings);
  State moved = state;
  const double gap = start.assemble(moved, stage);
  state = std::move(moved);
  note(fmt::format("assembled: joints were open by up to {:.3g}", gap));
  place(scales, stage);
  report_.last = true;
  tell([&](Monitor& m) { m.stage_ends(stage_, report_, state); });
}

void StageRun::place(const ModelScales& scales, const AssembleStage& options) {
  if (simulation_.placed_) return;
  StartValues values(assembler_);
  if (!values.any(StartPhase::positions)) return;
  State moved = simulation_.state_;
  values.assemble(moved, scales, options, simulation_.summary_.timings);
  simulation_.state_ = std::move(moved);
  note("coordinates have their initial values");
}

void StageRun::run(const StaticStage& stage) {
  State& state = simulation_.state_;
  if (stage.from) state.time = *stage.from;
  if (stage.steps < 1)
    throw Error(fmt::format("a static stage needs at least one load step, found {}", stage.steps));
  if (!(stage.until >= state.time))
    throw Error(fmt::format("a static stage from t = {:g} cannot end at t = {:g}", state.time, stage.until));
  number_unknowns(false);
  simulation_.algorithmic_.reset();
  report_.restarted = true;  // at rest
  std::ranges::fill(state.rate, 0.0);
  std::ranges::fill(state.acceleration, 0.0);
  report_.begin = report_.time = state.time;
  report_.until = stage.until;
  const ModelScales scales = measure_scales(assembler_, state);
  place(scales, {});
  simulation_.placed_ = true;
  find_loops(scales, stage.redundancy);
  Statics method(assembler_, scales, typical_stiffness(assembler_, state, scales.length), stage,
                 simulation_.summary_.timings);
  tell([&](Monitor& m) { m.stage_begins(stage_, report_, state); });
  const double span = stage.until - state.time;
  march(method, stage.steps, span > 0 ? span / stage.steps : 1.0, span > 0 ? stage.max_cuts : 0);
  tell([&](Monitor& m) { m.stage_ends(stage_, report_, state); });
}

void StageRun::run(const DynamicStage& stage) {
  State& state = simulation_.state_;
  if (stage.from) {
    state.time = *stage.from;
    simulation_.algorithmic_.reset();
  }
  if (!(stage.step > 0))
    throw Error(fmt::format("the step of a dynamic stage must be positive, found {:g}", stage.step));
  if (!(stage.radius >= 0 && stage.radius <= 1))
    throw Error(
        fmt::format("the spectral radius of a dynamic stage must lie in [0, 1], found {:g}", stage.radius));
  if (!(stage.until > state.time))
    throw Error(fmt::format("a dynamic stage from t = {:g} cannot end at t = {:g}", state.time, stage.until));
  report_.begin = report_.time = state.time;
  report_.until = stage.until;
  number_unknowns(false);
  const ModelScales scales = measure_scales(assembler_, state);
  scales_ = scales;
  require_closed(assembler_, state, scales);
  place(scales, {});
  simulation_.placed_ = true;
  find_loops(scales, stage.redundancy);
  report_.restarted = stage.start == DynamicStage::Start::consistent;
  if (report_.restarted)
    start(stage, scales);
  else if (StartValues(assembler_).any(StartPhase::velocities) && !simulation_.pushed_)
    throw Error("initial rates of coordinates need `start: consistent` in the first dynamic stage");
  else if (!simulation_.algorithmic_)
    require_closed_rates(assembler_, state);
  number_unknowns(stage.form == DynamicStage::Form::index2);

  const double span = stage.until - state.time;
  const double count = std::ceil(span / stage.step * (1 - same_time));
  if (!(count < 1e9)) throw Error(fmt::format("{:g} steps of {:g} s are too many", count, stage.step));
  const int steps = std::max(1, static_cast<int>(count));
  GeneralizedAlpha method(assembler_, scales, stage, state, simulation_.algorithmic_, simulation_.last_step_,
                          simulation_.summary_.timings);
  balance_ = simulation_.options_.energy;
  if (balance_) {
    energy_ = assembler_.energy(state);
    RunSummary& summary = simulation_.summary_;
    if (!std::exchange(simulation_.moved_, true)) summary.energy_at_start = energy_;
    reference_ = total(energy_) + summary.lost;
  }
  tell([&](Monitor& m) { m.stage_begins(stage_, report_, state); });
  march(method, steps, span / steps, stage.max_cuts);
  simulation_.algorithmic_ = method.algorithmic();
  simulation_.last_step_ = method.last_step();
  if (stage.form == DynamicStage::Form::index3) {
    double& rate = simulation_.summary_.largest_rate_violation;
    rate = std::max(rate, constraint_rate(assembler_, state));
  }
  tell([&](Monitor& m) { m.stage_ends(stage_, report_, state); });
}

void StageRun::start(const DynamicStage&, const ModelScales& scales) {
  State& state = simulation_.state_;
  simulation_.algorithmic_.reset();
  Timings& timings = simulation_.summary_.timings;
  State consistent = state;
  double added = ConsistentStart(assembler_, scales, timings).velocities(consistent);
  if (StartValues values(assembler_);
      !std::exchange(simulation_.pushed_, true) && values.any(StartPhase::velocities)) {
    added += values.velocities(consistent, scales, timings);
    find_loops(scales, Redundancy::leave_out);
  }
  ConsistentStart start(assembler_, scales, timings);
  start.accelerations(consistent);
  if (loops_) loops_->settle(consistent);
  state = std::move(consistent);
  simulation_.summary_.start_energy_change += added;
  const double energy = std::abs(assembler_.energy(state).kinetic);
  if (std::abs(added) > 1e-9 * energy)
    note(fmt::format("start: velocities changed to satisfy the constraints, kinetic energy by {:.4g} J",
                     added));
  if (!start.massless().empty())
    note("start: no mass and no constraint in " + start.massless() + "; accelerations there start at zero");
}

void StageRun::find_loops(const ModelScales& scales, Redundancy redundancy) {
  loops_.emplace(assembler_, scales.length);
  for (const std::string& line : loops_->begin(simulation_.state_)) {
    if (redundancy == Redundancy::stop) throw Error("redundant constraints: " + line);
    note("redundant constraints: " + line);
  }
}

bool StageRun::loops_changed(StepMethod& method) {
  if (!loops_ || !loops_->leaves_out()) return false;
  const double open = method.left_out_violation();
  if (open <= loops_->allowed()) return false;
  if (!loops_->find_anew(method.trial()))
    throw Error(
        fmt::format("at t = {:g} the constraints contradict each other: equations that repeat others are "
                    "open by {:.3g}: {}",
                    method.trial().time, open, loops_->in_words()));
  note(fmt::format("at t = {:g} the rank of the constraints changed: {} are left out now",
                   method.trial().time, loops_->in_words()));
  return true;
}

void StageRun::march(StepMethod& method, int steps, double h, int max_cuts) {
  method.obey(simulation_.request_);
  const double begin = report_.begin;
  for (int k = 1; k <= steps; ++k) {
    const double end = k == steps ? report_.until : begin + (report_.until - begin) * k / steps;
    reach(method, {end, h}, max_cuts);
  }
}

void StageRun::reach(StepMethod& method, Target nominal, int max_cuts) {
  const double smallest = nominal.h * std::pow(0.5, max_cuts) * (1 - same_time);
  std::vector<Target> targets{nominal};
  for (int k = 0; k < level_; ++k) {
    targets.back().h *= 0.5;
    targets.push_back({targets.back().time - targets.back().h, targets.back().h});
  }
  double last = nominal.h;
  review_cuts_ = 0;
  while (!targets.empty()) {
    last = targets.back().h;
    try {
      const bool reached = step(method, targets, smallest);
      if (reached && !report_.last && method.stop() != Stop::no) throw Stopped(false);
    } catch (const Stopped& stop) {
      if (stop.given_up()) reject(method);
      end_cuts();
      throw;
    }
  }
  // The next nominal step starts with the size that worked last, or twice that.
  const int level = static_cast<int>(std::lround(std::log2(nominal.h / last)));
  level_ = std::clamp(level - 1, 0, max_cuts);
}

bool StageRun::step(StepMethod& method, std::vector<Target>& targets, double smallest) {
  State& state = simulation_.state_;
  for (int round = 0;; ++round) {
    const Target target = targets.back();
    // Restarts after accepted steps are made there; this is for what the last review changed, or a rejected step took back.
    if (!std::exchange(status_followed_, false)) follow_status(method, round > 0);
    if (jumped_) restart(method);
    const NewtonResult result = method.attempt(state, target.time, target.h);
    iterations_ += result.iterations;
    factorizations_ += result.factorizations;
    if (!result.converged) {
      reject(method);
      refuse_massless(method);
      cut(method, targets, smallest, result.iterations, false);
      return false;
    }
    const StepInfo info{state.time, target.time};
    const MergedReview review = assembler_.review(method.trial(), info);
    if (review.rejected) {
      reject(method);
      if (review.revision) revise(method);
      cut(method, targets, smallest, result.iterations, true);
      return false;
    }
    bool event = target.event;
    if (review.cut_time) {
      const double margin = same_time * target.h;
      const double time = *review.cut_time;
      if (time > info.start + margin && time < info.end - margin) {
        if (++review_cuts_in_a_row_ > max_cuts_in_a_row || ++review_cuts_ > max_cuts_in_a_step)
          throw Error(fmt::format(
              "at t = {:.9g} {} asks for ever more cuts of the step to t = {:.9g}: {} so far", info.start,
              who_asks(assembler_, method.trial(), info, Review::Verdict::cut, "something"), target.time,
              std::max(review_cuts_in_a_row_ - 1, review_cuts_)));
        reject(method);
        if (review.revision) revise(method);
        // A later event was foreseen from a longer step; the rest, which may be next to nothing, is not gone in steps of its own.
        while (targets.size() > 1 && targets.back().event) targets.pop_back();
        targets.back().h = targets.back().time - time;
        targets.push_back({time, time - info.start, true});
        return false;
      }
      event = event || time > info.start + margin;
    }
    if (!review.solve_again && loops_changed(method)) {
      reject(method);
      revise(method);
      continue;
    }
    if (!review.solve_again) {
      targets.pop_back();
      end_cuts();
      report_.at_nominal = targets.empty();
      accept(method, {target.time, target.h, event}, review.revision);
      return true;
    }
    if (review.revision) revise(method);
    if (round == max_reviews)
      throw Error(fmt::format(
          "at t = {:g} the status of {} changes without end: after {} solves of the same step it still "
          "changes",
          target.time,
          who_asks(assembler_, method.trial(), info, Review::Verdict::changed, "contacts or hosts"),
          max_reviews));
  }
}

void StageRun::refuse_massless(StepMethod& method) {
  if (!moves() || report_.number > 0) return;
  const Entity* body = body_without_mass(assembler_, simulation_.state_);
  if (body == nullptr) return;
  const std::string why = method.failure(true);
  if (why.starts_with("the system is singular"))
    throw Error(body->where,
                fmt::format("{} '{}' ({}) has no mass, and nothing else determines its motion: {}",
                            body->category, body->name, body->type, why));
}

void StageRun::cut(StepMethod& method, std::vector<Target>& targets, double smallest, int iterations,
                   bool refused) {
  const Target target = targets.back();
  const double half = 0.5 * target.h;
  const bool last = half < smallest;
  const std::string why = refused ? assembler_.rejection() : method.failure(last);
  if (last) {
    end_cuts();
    throw Error(
        fmt::format("no convergence at t = {:g} after {} iterations: {}", target.time, iterations, why));
  }
  ++simulation_.summary_.timings.cuts;
  note_cut(target, half, iterations, why);
  targets.back().h = half;
  targets.push_back({target.time - half, half});
}

void StageRun::note_cut(const Target& target, double half, int iterations, const std::string& why) {
  last_cut_ = half;
  if (why == why_cut_) {
    ++more_cuts_;
    return;
  }
  end_cuts();
  note(fmt::format("step to t = {:g} cut to {:.3g}: after {} iterations {}", target.time, half, iterations,
                   why));
  why_cut_ = why;
}

void StageRun::end_cuts() {
  if (more_cuts_ > 0)
    note(fmt::format("  and {} times more for that reason, to {:.3g}", more_cuts_, last_cut_));
  why_cut_.clear();
  more_cuts_ = 0;
}

void StageRun::revise(StepMethod& method) {
  std::vector<State*> states{&simulation_.state_};
  State history;  // travels as the acceleration of a state
  if (before_restart_) {
    history = before_restart_->state;
    history.acceleration = before_restart_->history.algorithmic;
    states.insert(states.end(), {&before_restart_->state, &history});
  }
  method.revise(states);
  if (before_restart_) before_restart_->history.algorithmic = std::move(history.acceleration);
  if (loops_) loops_->revise();
}

void StageRun::reject(StepMethod& method) {
  assembler_.reject();
  if (!before_restart_) return;
  simulation_.state_ = std::move(before_restart_->state);
  method.restore(std::move(before_restart_->history));
  reference_ -= before_restart_->added;
  simulation_.summary_.start_energy_change -= before_restart_->added;
  before_restart_.reset();
  if (balance_) energy_ = assembler_.energy(simulation_.state_);
  taken_back_ = true;
}

void StageRun::follow_status(StepMethod& method, bool again) {
  State& state = simulation_.state_;
  const bool back = std::exchange(taken_back_, false);
  if (!loops_ || !loops_->status_changed(state)) return;
  note(fmt::format("at t = {:g} {}", state.time, loops_->renew(state)));
  const bool restarts_again = before_restart_.has_value();
  if (moves() && !restarts_again) before_restart_ = {state, method.history()};
  revise(method);
  if (moves() && !back) {
    // A joint that begins to hold over a whole step, at whose begin it is still open, has no instant.
    jumped_ = !again || is_closed(assembler_, state, *scales_);
    activated_ = loops_->activated();
  }
  if (!restarts_again && !(again && jumped_)) before_restart_.reset();
}

void StageRun::restart(StepMethod& method) {
  jumped_ = false;
  const auto activated = std::exchange(activated_, {});
  const auto& stage = std::get<DynamicStage>(stage_.what);
  State& state = simulation_.state_;
  RunSummary& summary = simulation_.summary_;
  const bool stabilized = assembler_.layout().stabilized();
  const double kinetic = balance_ ? energy_.kinetic : 0;
  number_unknowns(false);
  ConsistentStart start(assembler_, *scales_, summary.timings);
  State consistent = state;
  const bool drifts = stage.form == DynamicStage::Form::index1 && !stage.projection;
  const double added = !drifts || !activated.empty() ? start.velocities(consistent) : 0;
  std::string impulses;
  for (const auto& [entity, multipliers] : activated) {
    const auto [force, moment] = start.impulse(multipliers);
    if (entity >= 0)
      impulses +=
          fmt::format("{}'{}' with {:.6g} N s and {:.6g} N m s", impulses.empty() ? "" : ", ",
                      assembler_.model().entities[static_cast<std::size_t>(entity)].name, force, moment);
  }
  start.accelerations(consistent);
  loops_->settle(consistent);
  state = std::move(consistent);
  number_unknowns(stabilized);
  method.restart(state);
  if (balance_) energy_ = assembler_.energy(state);
  // Where the motion has come to rest, what is left of it is rounding.
  const double size = std::max(std::abs(kinetic), summary.largest_energy);
  if (activated.empty() || !(std::abs(added) > 1e-9 * size)) return;
  reference_ += added;
  summary.start_energy_change += added;
  if (before_restart_) before_restart_->added += added;
  note(fmt::format("at t = {:g} an impulse changes velocities, {}, and the kinetic energy by {:.4g} J",
                   state.time, impulses, added));
}

void StageRun::accept(StepMethod& method, const Target& target, bool renew) {
  State& state = simulation_.state_;
  const StepInfo info{state.time, target.time};
  review_cuts_in_a_row_ = 0;
  method.accept(state);
  if (loops_)
    if (const std::string met = loops_->follow(state); !met.empty()) note(met);
  before_restart_.reset();
  const bool event = moves() && target.event;
  if (event) tell([&](Monitor& m) { m.event_comes(report_, state); });
  // With new stencils nothing can be compared; hosts change there, not forces.
  std::optional<ForceJump> jump;
  if (event && !renew) jump.emplace(assembler_, state);
  assembler_.commit(state, info);
  if (jump) jumped_ = jump->at(state);
  ++simulation_.summary_.timings.steps;
  RunSummary& summary = simulation_.summary_;
  summary.largest_violation = std::max(summary.largest_violation, method.constraint_violation());
  summary.largest_rate_violation = std::max(summary.largest_rate_violation, method.rate_violation());
  if (renew) revise(method);
  if (balance_) {
    const Energy before = std::exchange(energy_, assembler_.energy(state));
    summary.lost += 0.5 * (before.lost_power + energy_.lost_power) * (info.end - info.start);
    const double gain = total(energy_) + summary.lost - reference_;
    summary.largest_gain = std::max(summary.largest_gain, std::abs(gain));
    if (gain > summary.gained) {
      summary.gained = gain;
      summary.gained_at = state.time;
    }
    summary.largest_energy =
        std::max(summary.largest_energy, energy_.kinetic + std::abs(energy_.strain) +
                                             std::abs(energy_.potential - summary.energy_at_start.potential));
  }
  follow_status(method, false);
  status_followed_ = true;
  if (jumped_) {
    restart(method);
    if (event) tell([&](Monitor& m) { m.event_restarts(report_, state); });
  }
  ++report_.number;
  if (report_.at_nominal) ++report_.nominal;
  report_.time = state.time;
  report_.step = target.h;
  report_.last = report_.at_nominal && state.time >= report_.until;
  report_.iterations = std::exchange(iterations_, 0);
  report_.factorizations = std::exchange(factorizations_, 0);
  tell([&](Monitor& m) { m.accepted(report_, state); });
}

}  // namespace trammel
