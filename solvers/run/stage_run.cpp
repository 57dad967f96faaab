#include "solvers/run/stage_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "solvers/accuracy/accuracy_control.hpp"
#include "solvers/methods/generalized_alpha.hpp"
#include "solvers/methods/radau.hpp"
#include "solvers/methods/statics.hpp"
#include "solvers/newton/model_scales.hpp"
#include "solvers/start/algebraic_start.hpp"
#include "solvers/start/model_energy.hpp"
#include "solvers/start/start_check.hpp"
#include "solvers/start/start_values.hpp"

namespace trammel {

namespace {

/// Steps of index 3 after a start that is not consistent until multipliers are known to a thousandth.
int transient_steps(const DynamicStage& stage) {
  if (stage.form != DynamicStage::Form::index3 || stage.method == DynamicStage::Method::radau) return 0;
  constexpr int most = 100;
  if (!(stage.radius < 1)) return most;
  return std::min(most,
                  2 + static_cast<int>(std::ceil(std::log(1e-3) / std::log(std::max(stage.radius, 1e-3)))));
}

/// Typical size of the steps to come, as instances get it in StepInfo [s].
double typical_step(const DynamicStage& stage, const StepReport& report) {
  if (!stage.ends.empty()) return (report.until - report.begin) / static_cast<double>(stage.ends.size());
  return stage.accuracy > 0 ? (report.until - report.begin) * std::sqrt(stage.accuracy) : stage.step;
}

}  // namespace

StageRun::StageRun(Simulation& simulation, const Stage& stage, int index)
    : simulation_(simulation),
      assembler_(simulation.assembler_),
      history_(simulation.history_),
      state_(simulation.state_),
      stage_(stage) {
  report_.stage = index;
  report_.begin = report_.until = report_.time = state_.time;
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

void StageRun::go_on(const Snapshot& from) {
  from.restore_histories(history_);
  number_unknowns(false);
  state_ = from.restore_state(assembler_.model(), assembler_.layout());
  assembler_.revise();
  Archive archive(from.contents_.run);
  serialize(archive);
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { change_end(what); }) change_end(what);
        if constexpr (requires { steps(what, &archive); })
          steps(what, &archive);
        else
          throw Error("no run goes on inside such a stage");
      },
      stage_.what);
}

void StageRun::change_end(const DynamicStage& stage) {
  StepReport& r = report_;
  if (stage.until == r.until) return;
  if (!r.at_nominal) grid_.from = grid_.end_of(r.nominal + 1, r.until);
  if (r.at_nominal) grid_.from = r.time;
  grid_.before = r.at_nominal ? r.nominal : r.nominal + 1;
  const double first = stage.accuracy > 0 ? r.time : grid_.from;
  if (!(stage.until > first))
    throw Error(fmt::format("the stage cannot end at t = {:.9g} s: the run goes on from t = {:.9g} s{}",
                            stage.until, r.time,
                            first > r.time ? fmt::format(", inside a step to t = {:.9g} s", first) : ""));
  r.until = stage.until;
  r.last = false;
}

void StageRun::serialize(Archive& archive) {
  Simulation& run = simulation_;
  RunSummary& sum = run.summary_;
  Timings& t = sum.timings;
  archive(run.moved_, run.placed_, run.has_initial_rates_);
  archive(sum.energy_at_start.kinetic, sum.energy_at_start.strain, sum.energy_at_start.potential, sum.lost,
          sum.largest_gain, sum.gained, sum.gained_at, sum.nowhere.part, sum.nowhere.energy,
          sum.nowhere.largest, sum.nowhere.time, sum.largest_energy, sum.largest_violation,
          sum.largest_rate_violation, sum.acceleration_rounding, sum.start_energy_change, sum.warnings);
  archive(t.steps, t.cuts, t.iterations, t.residuals, t.factorizations);
  StepReport& r = report_;
  archive(r.stage, r.number, r.nominal, r.at_nominal, r.last, r.restarted, r.time, r.step, r.begin, r.until);
  archive(grid_);
  scales_.serialize(archive, assembler_.model(), assembler_.layout().comm());
  archive(stiffness_);
  if (archive.reads()) loops_.emplace(assembler_, scales_.length, [this] { history_.before_change(); });
  archive(*loops_);
}

void StageRun::number_unknowns(bool stabilizing) {
  Layout& layout = assembler_.layout();
  if (layout.stabilized() == stabilizing) return;
  layout.set_stabilized(stabilizing);
  assembler_.revise();
  if (loops_) loops_->revise();
}

void StageRun::run(const AssembleStage& stage) {
  number_unknowns(false);
  simulation_.memory_.reset();
  simulation_.tell([&](Monitor& m) { m.stage_begins(stage_, report_, state_); });
  tell_beginning({}, 0);
  scales_ = measure_scales(assembler_, state_);
  find_loops(Redundancy::remove);
  ConsistentStart start(history_, scales_, simulation_.summary_.timings);
  State moved = state_;
  const double gap = start.assemble(moved, stage);
  state_ = std::move(moved);
  try_algebraic();
  simulation_.note(fmt::format("assembled: joints were open by up to {:.3g}", gap));
  place(stage);
  report_.last = true;
  simulation_.tell([&](Monitor& m) { m.stage_ends(stage_, report_, state_); });
}

void StageRun::place(const AssembleStage& options) {
  if (simulation_.placed_) return;
  StartValues values(history_);
  if (!values.any(StartPhase::positions)) return;
  State moved = state_;
  values.assemble(moved, scales_, options, simulation_.summary_.timings);
  state_ = std::move(moved);
  simulation_.note("coordinates have their initial values");
}

void StageRun::try_algebraic() {
  // A static stage solves for them together with the positions, and may know them through these alone.
  AlgebraicStart algebraic(assembler_, simulation_.summary_.timings);
  algebraic.require_equations(state_);
  algebraic.solve(state_);
}

void StageRun::run(const StaticStage& stage) {
  begin(stage);
  steps(stage, nullptr);
}

void StageRun::tell_beginning(const Begin& how, int transient) {
  history_.scale_laws(ModelScales::model_length(assembler_.layout(), assembler_.model()), transient);
  history_.begin(state_, how);
}

void StageRun::begin(const StaticStage& stage) {
  simulation_.memory_.reset();
  if (stage.from) state_.time = *stage.from;
  if (stage.steps < 1)
    throw Error(fmt::format("a static stage needs at least one load step, found {}", stage.steps));
  if (!(stage.until >= state_.time))
    throw Error(fmt::format("a static stage from t = {:g} cannot end at t = {:g}", state_.time, stage.until));
  number_unknowns(false);
  simulation_.memory_.reset();
  report_.restarted = true;  // at rest
  std::ranges::fill(state_.rate, 0.0);
  std::ranges::fill(state_.acceleration, 0.0);
  report_.begin = report_.time = state_.time;
  report_.until = stage.until;
  tell_beginning({.step = (stage.until - state_.time) / stage.steps, .in_statics = true}, 0);
  scales_ = measure_scales(assembler_, state_);
  place({});
  simulation_.placed_ = true;
  try_algebraic();
  find_loops(stage.redundancy);
  stiffness_ = typical_stiffness(assembler_, state_, scales_.length);
}

void StageRun::steps(const StaticStage& stage, Archive* from) {
  const double span = report_.until - report_.begin;
  grid_ = {.from = report_.begin, .before = 0, .steps = stage.steps};
  Statics method(assembler_, scales_, stiffness_, stage, simulation_.summary_.timings);
  steps({.method = method,
         .loops = *loops_,
         .scales = scales_,
         .grid = grid_,
         .h = span > 0 ? span / stage.steps : 1.0,
         .max_cuts = span > 0 ? stage.max_cuts : 0},
        from);
  simulation_.tell([&](Monitor& m) { m.stage_ends(stage_, report_, state_); });
}

void StageRun::run(const DynamicStage& stage) {
  begin(stage);
  steps(stage, nullptr);
}

void StageRun::begin(const DynamicStage& stage) {
  if (stage.from) {
    state_.time = *stage.from;
    simulation_.memory_.reset();
  }
  if (!(stage.accuracy > 0) && !(stage.step > 0))
    throw Error(fmt::format("the step of a dynamic stage must be positive, found {:g}", stage.step));
  if (!(stage.radius >= 0 && stage.radius <= 1))
    throw Error(
        fmt::format("the spectral radius of a dynamic stage must lie in [0, 1], found {:g}", stage.radius));
  if (!(stage.until > state_.time))
    throw Error(
        fmt::format("a dynamic stage from t = {:g} cannot end at t = {:g}", state_.time, stage.until));
  report_.begin = report_.time = state_.time;
  report_.until = stage.until;
  number_unknowns(false);
  const bool goes_on = stage.start == DynamicStage::Start::consistent || simulation_.memory_.has_value();
  tell_beginning({.step = typical_step(stage, report_)}, goes_on ? 0 : transient_steps(stage));
  scales_ = measure_scales(assembler_, state_);
  require_closed(assembler_, state_, scales_);
  place({});
  simulation_.placed_ = true;
  AlgebraicStart(assembler_, simulation_.summary_.timings).require(state_);
  find_loops(stage.redundancy);
  report_.restarted = stage.start == DynamicStage::Start::consistent;
  if (report_.restarted)
    start_consistently();
  else if (StartValues(history_).any(StartPhase::velocities) && !simulation_.has_initial_rates_)
    throw Error("initial rates of coordinates need `start: consistent` in the first dynamic stage");
  else if (!simulation_.memory_)
    require_closed_rates(assembler_, state_);
}

void StageRun::steps(const DynamicStage& stage, Archive* from) {
  if (from == nullptr) grid_ = {.from = report_.begin};
  const double span = report_.until - grid_.from;
  const bool fixed = !(stage.accuracy > 0);
  const bool listed = !stage.ends.empty();
  const double count = listed  ? static_cast<double>(stage.ends.size())
                       : fixed ? std::ceil(span / stage.step * (1 - StepPlan::same_time))
                               : 1.0;
  if (!(count < 1e9)) throw Error(fmt::format("{:g} steps of {:g} s are too many", count, stage.step));
  grid_.steps = grid_.before + std::max(1, static_cast<int>(count));
  const double h = grid_.size(report_.until);
  RunSummary& summary = simulation_.summary_;
  const bool prepared = start_.has_value();
  if (!prepared) start_.emplace(history_, scales_, summary.timings);
  ConsistentStart& start = *start_;
  const auto form = ConstraintForm::make(stage, assembler_, start);
  number_unknowns(form->stabilizing());
  if (!prepared || start_pattern_ != assembler_.pattern_changes()) start.revise();
  std::unique_ptr<StepMethod> method;
  if (stage.method == DynamicStage::Method::radau)
    method = std::make_unique<Radau>(assembler_, scales_, stage, summary.timings);
  else
    method = std::make_unique<GeneralizedAlpha>(assembler_, scales_, stage, *form, summary.timings);
  if (simulation_.memory_) {
    StepMemory memory = *simulation_.memory_;
    memory.prepares_start = memory.prepares_start && memory.first;
    memory.predicts = false;
    method->restore(memory);
  }
  EnergyLedger ledger(assembler_, summary, scales_.length,
                      stage.energy != DynamicStage::EnergyPolicy::ignore);
  EnergyGuard guard(assembler_, ledger, stage, [this](const std::string& text) { simulation_.note(text); });
  const bool balance = simulation_.options_.energy;
  if (balance && from == nullptr) ledger.begin(state_, !std::exchange(simulation_.moved_, true));
  std::optional<AccuracyControl> accuracy;
  if (!fixed) {
    accuracy.emplace(assembler_, stage, report_.begin, report_.until, scales_.length,
                     form->reaction_error(AlphaCoefficients::from_radius(stage.radius)));
    if (from == nullptr) accuracy->begin(state_);
  }
  steps({.method = *method,
         .loops = *loops_,
         .scales = scales_,
         .grid = grid_,
         .h = fixed ? h : typical_step(stage, report_),
         .max_cuts = stage.max_cuts,
         .ends = listed ? &stage.ends : nullptr,
         .inside = !fixed || stage.second_run != DynamicStage::SecondRun::none,
         .start = &start,
         .form = form.get(),
         .ledger = balance ? &ledger : nullptr,
         .guard = balance ? &guard : nullptr,
         .accuracy = accuracy ? &*accuracy : nullptr},
        from);
  if (accuracy) {
    accuracy->end();
    summary.accuracies.push_back(accuracy->report());
    simulation_.note(accuracy->in_words());
  }
  simulation_.memory_ = method->memory();
  summary.largest_rate_violation = std::max(summary.largest_rate_violation, form->rate_at_end(state_));
  summary.acceleration_rounding = std::max(summary.acceleration_rounding, method->acceleration_rounding(h));
  simulation_.tell([&](Monitor& m) { m.stage_ends(stage_, report_, state_); });
}

void StageRun::steps(const StageParts& parts, Archive* from) {
  StepLoop loop(simulation_, report_, parts, [this](Archive& archive) { serialize(archive); });
  if (from != nullptr) {
    loop.serialize(*from);
    history_.begin(state_,
                   {.why = Begin::Why::restore, .step = parts.h, .in_statics = parts.form == nullptr});
    simulation_.tell([&](Monitor& m) { m.goes_on(stage_, report_, state_); });
  } else {
    simulation_.tell([&](Monitor& m) { m.stage_begins(stage_, report_, state_); });
  }
  loop.run();
}

void StageRun::start_consistently() {
  simulation_.memory_.reset();
  Timings& timings = simulation_.summary_.timings;
  ConsistentStart& start = start_.emplace(history_, scales_, timings);
  start_pattern_ = assembler_.pattern_changes();
  State consistent = state_;
  double added = 0;
  StartValues values(history_);
  const Begin how{.why = Begin::Why::start,
                  .step = typical_step(std::get<DynamicStage>(stage_.what), report_)};
  bool switched = false;
  const auto follow = [&](std::span<const RowSwitch>) { switched = true; };
  if (!std::exchange(simulation_.has_initial_rates_, true) && values.any(StartPhase::velocities)) {
    added = start.impact(consistent, how, follow) + values.velocities(consistent, scales_, timings);
    find_loops(Redundancy::remove);
    start.revise();
    start_pattern_ = assembler_.pattern_changes();
    start.accelerations(consistent, how, follow);
  } else {
    start.motion(consistent, how, follow, [&added](double energy) { added = energy; });
  }
  if (switched) find_loops(Redundancy::remove);
  loops_->take_least_norm(consistent);
  state_ = std::move(consistent);
  simulation_.summary_.start_energy_change += added;
  const double energy = std::abs(model_energy(assembler_, state_).energy.kinetic);
  if (std::abs(added) > 1e-9 * energy)
    simulation_.note(fmt::format(
        "start: velocities changed to satisfy the constraints, kinetic energy by {:.4g} J", added));
  if (!start.massless().empty())
    simulation_.note("start: no mass and no constraint in " + start.massless() +
                     "; accelerations there start at zero");
}

void StageRun::find_loops(Redundancy redundancy) {
  loops_.emplace(assembler_, scales_.length, [this] { history_.before_change(); });
  for (const std::string& line : loops_->begin(state_)) {
    if (redundancy == Redundancy::stop) throw Error("redundant constraints: " + line);
    simulation_.note("redundant constraints: " + line);
  }
}

}  // namespace trammel
