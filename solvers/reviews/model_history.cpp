#include "solvers/reviews/model_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernel/collective_errors.hpp"
#include "kernel/instance_plan.hpp"
#include "kernel/plugin_call.hpp"
#include "kernel/rank_exchange.hpp"
#include "solvers/ranks/rank_bytes.hpp"
#include "solvers/ranks/stencil_bytes.hpp"
#include "solvers/reviews/review_merge.hpp"

namespace trammel {

void ModelHistory::follow_pattern() {
  if (pattern_ == assembler_.pattern_changes()) return;
  pattern_ = assembler_.pattern_changes();
  MPI_Comm comm = assembler_.layout().comm();
  laws_.find(assembler_.plans(), comm);
  std::array<int, 2> any{};  // reviews, commits
  for (const RangePlan& plan : assembler_.plans()) {
    if (plan.calls.review) any[0] = 1;
    if (plan.calls.commit) any[1] = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, any.data(), 2, MPI_INT, MPI_MAX, comm);
  reviews_ = any[0] != 0;
  steps_change_ = reviews_ || any[1] != 0;
}

bool ModelHistory::laws_matter() {
  follow_pattern();
  return laws_.any();
}

void ModelHistory::read_laws(const State& state, bool accelerations) {
  LocalFault fault;
  try {
    laws_.read(assembler_.plans(), state, accelerations);
  } catch (...) {
    fault.capture(nullptr, assembler_.layout().rank(), state.time);
  }
  if (!assembler_.agree(fault)) assembler_.throw_refused(state);
}

void ModelHistory::remember_laws(const State& state) {
  if (!laws_matter()) return;
  read_laws(state);
  laws_.remember(assembler_.plans());
}

void ModelHistory::scale_laws(double length, int transient) {
  laws_.set_scales(length, transient);
  assembler_.set_length(length);
}

/// Throws Error where a constraint at velocity level refuses a static stage.
void ModelHistory::require_statics(const RangePlan& plan, int i) const {
  for (const StencilBlock& b : plan.stencil(i))
    if (b.own && b.kind == BlockKind::velocity_multiplier &&
        assembler_.model().block(b.id).velocity.in_statics == InStatics::refused)
      throw Error("the joint constrains velocities, and has no meaning in a static stage");
}

StepInfo ModelHistory::info_of(const RangePlan& plan, int i, const StepInfo& step) const {
  StepInfo its = step;
  its.active = !assembler_.asleep(plan, i);
  return its;
}

void ModelHistory::begin(State& state, const Begin& how) {
  before_change();
  const Model& model = assembler_.model();
  MPI_Comm comm = assembler_.layout().comm();
  activities_.find(model, assembler_.plans());
  if (assembler_.may_rest() && how.why == Begin::Why::start) {
    const std::vector<RowSwitch> rows =
        activities_.at_begin(model, assembler_.plans(), assembler_.statuses(), state, how, comm);
    if (!rows.empty()) switch_rows(rows, state, how);
  }
  if (laws_matter() && how.why == Begin::Why::start) {
    read_laws(state);
    const std::vector<RowSwitch> open = laws_.at_begin(comm);
    if (!open.empty()) switch_rows(open, state, how);
  }
  if (!assembler_.each_instance(state, [&](const RangePlan& plan, int i, const LocalState& x) {
        if (how.in_statics) require_statics(plan, i);
        Begin its = how;
        its.active = !assembler_.asleep(plan, i);
        plan.range->begin(i, x, its);
        if (its.active) activities_.commit(*plan.range, i, x);
      }))
    assembler_.throw_refused(state);
  remember_laws(state);
}

/// Coordinates that only inactive rows determine stay where they are in `state`, on every rank that knows them.
void ModelHistory::hold(std::vector<BlockId> blocks, std::vector<BlockId> let_go, State& state) {
  const Layout& layout = assembler_.layout();
  HeldCoordinates& held = assembler_.row_states().held;
  blocks = of_all_ranks(blocks, layout.comm());
  let_go = of_all_ranks(let_go, layout.comm());
  for (const BlockId id : let_go) held.erase(id);
  for (const BlockId id : blocks) {
    if (!layout.knows(id)) continue;
    const BlockOffset& offset = layout.offset(id);
    const int size = assembler_.model().block(id).size;
    if (const auto [at, fresh] = held.try_emplace(id); fresh)
      at->second.assign(state.value.begin() + offset.value, state.value.begin() + offset.value + size);
    for (std::vector<double>* rates : {&state.rate, &state.acceleration})
      std::fill_n(rates->begin() + offset.dof, size, 0.0);
  }
}

/// Gives all ranks the values and rates that coordinate blocks got on this one.
void ModelHistory::broadcast_coordinates(const std::vector<BlockId>& blocks, State& state) const {
  const Layout& layout = assembler_.layout();
  if (layout.ranks() == 1) return;
  std::vector<std::int64_t> sent;  // block, size, ...
  std::vector<double> numbers;     // values, rates, ...
  for (const BlockId id : blocks) {
    const BlockOffset& offset = layout.offset(id);
    const int size = assembler_.model().block(id).size;
    sent.insert(sent.end(), {id, size});
    numbers.insert(numbers.end(), state.value.begin() + offset.value,
                   state.value.begin() + offset.value + size);
    numbers.insert(numbers.end(), state.rate.begin() + offset.dof, state.rate.begin() + offset.dof + size);
  }
  sent = of_all_ranks(sent, layout.comm());
  numbers = of_all_ranks(numbers, layout.comm());
  const double* from = numbers.data();
  for (std::size_t k = 0; k < sent.size(); k += 2) {
    const auto size = sent[k + 1];
    if (layout.knows(sent[k])) {
      const BlockOffset& offset = layout.offset(sent[k]);
      std::copy_n(from, size, state.value.begin() + offset.value);
      std::copy_n(from + size, size, state.rate.begin() + offset.dof);
    }
    from += 2 * size;
  }
}

void ModelHistory::switch_rows(std::span<const RowSwitch> rows, State& state, const Begin& how) {
  before_change();
  const Model& model = assembler_.model();
  const Layout& layout = assembler_.layout();
  const std::span<const RangePlan> plans = assembler_.plans();
  std::vector<std::pair<const RangePlan*, int>> sleeping;
  for (const RangePlan& plan : plans)
    for (const int i : plan.special)
      if (assembler_.asleep(plan, i)) sleeping.emplace_back(&plan, i);
  for (const RowSwitch& s : rows) {
    assembler_.row_states().statuses.set(s.row, s.status);
    if (s.status == RowStatus::inactive && layout.knows(s.row.block))
      state.value[static_cast<std::size_t>(layout.offset(s.row.block).value + s.row.component)] = 0;
  }
  if (laws_matter()) {
    read_laws(state);
    laws_.switched(plans, rows, state.time);
  }
  std::vector<BlockId> falls_asleep, wakes;  // blocks with values of instances that fell asleep, or woke
  const auto coordinates_of = [](const RangePlan& plan, int i, std::vector<BlockId>& out) {
    for (const StencilBlock& b : plan.stencil(i))
      if (b.own && !is_multiplier(b.kind)) out.push_back(b.id);
  };
  for (const RangePlan& plan : plans)
    for (const int i : plan.special)
      if (assembler_.asleep(plan, i)) coordinates_of(plan, i, falls_asleep);
  for (const auto& [plan, i] : sleeping)
    if (!assembler_.asleep(*plan, i)) coordinates_of(*plan, i, wakes);
  hold(falls_asleep, wakes, state);
  LocalFault fault;
  int entity = -1;
  try {
    for (const auto& [plan, i] : sleeping) {
      if (assembler_.asleep(*plan, i)) continue;
      entity = plan->range->entity(i);
      const PluginCall call(model, *plan->range, i);
      Begin its = how;
      its.why = Begin::Why::activated;
      its.active = true;
      activities_.activate(model, *plan, i, state, its);
    }
  } catch (...) {
    fault.capture(entity < 0 ? nullptr : &model.entities[static_cast<std::size_t>(entity)], layout.rank(),
                  state.time);
  }
  if (!assembler_.agree(fault)) assembler_.throw_refused(state);
  broadcast_coordinates(wakes, state);
}

LawChange ModelHistory::settle_laws(State& state, const Begin& how) {
  LawChange change;
  if (!laws_matter()) return change;
  read_laws(state, true);
  MPI_Comm comm = assembler_.layout().comm();
  change.rows = laws_.settled(assembler_.plans(), assembler_.scales(), comm);
  if (!change.rows.empty())
    switch_rows(change.rows, state, how);
  else
    change.turned = laws_.turn_slip_directions(assembler_.plans(), comm);
  return change;
}

MergedReview ModelHistory::review(const State& state, const StepInfo& step) {
  follow_pattern();
  if (steps_change_) before_change();
  const Model& model = assembler_.model();
  MPI_Comm comm = assembler_.layout().comm();
  ReviewMerge merge(step);
  const auto ask = [&](const RangePlan& plan, int i, const LocalState& x) {
    Review answer;
    if (!plan.traits[static_cast<std::size_t>(i)].may_rest) {
      answer = plan.range->review(i, x, step);
    } else {
      const StepInfo its = info_of(plan, i, step);
      if (its.active) answer = plan.range->review(i, x, its);
      if (answer.verdict == Review::Verdict::keep) {
        std::optional<std::vector<BlockId>> stencil = std::move(answer.new_stencil);
        answer = activities_.review(plan, i, x, its);
        answer.new_stencil = std::move(stencil);
      }
    }
    if (answer.verdict == Review::Verdict::keep && !answer.new_stencil) return;
    merge.add(answer, plan.range->entity(i));
    if (!answer.new_stencil) return;
    const int dofs = model.dofs(*answer.new_stencil);
    plan.range->set_stencil(i, std::move(*answer.new_stencil), dofs);
  };
  MergedReview merged;
  if (reviews_) {
    LocalFault fault;
    assembler_.each_instance(state, ask, fault, &ElementCalls::review);
    merged = merge.over_ranks(assembler_, fault);
  }
  if (laws_matter() && !merged.rejected) {
    read_laws(state);
    laws_.review(assembler_.plans(), step, assembler_.scales(), merged, comm);
  }
  return merged;
}

void ModelHistory::commit(const State& state, const StepInfo& step, LocalFault& fault) {
  if (steps_change_) before_change();
  const auto commit = [&](const RangePlan& plan, int i, const LocalState& x) {
    if (!plan.traits[static_cast<std::size_t>(i)].may_rest) return plan.range->commit(i, x, step);
    const StepInfo its = info_of(plan, i, step);
    plan.range->commit(i, x, its);
    if (its.active) activities_.commit(*plan.range, i, x);
  };
  assembler_.each_instance(state, commit, fault, &ElementCalls::commit);
}

void ModelHistory::committed(const State& state) {
  remember_laws(state);
  laws_.step_accepted();
}

bool ModelHistory::reject() {
  before_change();
  int moved = 0;
  for (const RangePlan& plan : assembler_.plans())
    for (const int i : plan.instances)
      if (plan.range->reject(i)) moved = 1;
  const Layout& layout = assembler_.layout();
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, layout.comm());
  return moved != 0;
}

void ModelHistory::serialize(Archive& rows, InstanceHistories& instances) {
  MPI_Comm comm = assembler_.layout().comm();
  RowStates& states = assembler_.row_states();
  if (rows.reads()) {
    rows(states, laws_);
  } else {
    // Every rank knows all statuses; the other data it knows for its own instances only.
    RowStates all = states;
    unite_on_first(all.held, comm);
    unite_on_first(all.slip_directions, comm);
    rows(all);
    laws_.write(rows, comm);
  }
  assembler_.serialize(rows);
  if (rows.reads()) {
    assembler_.set_length(laws_.length());
    read(instances, false);
  } else {
    write(instances);
    unite_on_first(instances, comm);
  }
}

namespace {

/// Calls `use(range, instance, name)` for every instance that this rank evaluates.
template <class Use>
void each_named(const Model& model, const Layout& layout, const Use& use) {
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    const Model::Range& range = model.ranges[r];
    const std::span<const int> mine = layout.instances(r);
    std::map<int, int> count;  // by entity, of all instances, since every rank has the same ones of an entity
    auto next = mine.begin();
    for (int i = 0; i < range.instances->size() && next != mine.end(); ++i) {
      const int entity = range.instances->entity(i);
      const int ordinal = count[entity]++;
      if (*next != i) continue;
      ++next;
      use(range, i, InstanceName{entity, range.key, ordinal});
    }
  }
}

/// Whether an instance may have moved to a stencil: it names blocks of entities that the present one, or its reach, names.
bool could_come_to(const Model& model, const ElementRange& range, int i, const StencilBytes& saved) {
  std::set<int> near;
  for (const BlockId id : range.stencil(i)) near.insert(entity_of(id));
  if (const auto reaches = model.reaches.find(&range); reaches != model.reaches.end())
    if (const auto reach = reaches->second.find(i); reach != reaches->second.end())
      for (const BlockId id : reach->second) near.insert(entity_of(id));
  return std::ranges::all_of(saved.blocks,
                             [&](BlockId id) { return near.contains(entity_of(id)) && model.knows(id); }) &&
         saved.dofs == model.dofs(saved.blocks);
}

}  // namespace

void ModelHistory::write(InstanceHistories& all) const {
  each_named(assembler_.model(), assembler_.layout(),
             [&all](const Model::Range& range, int i, InstanceName name) {
               Archive one;
               range.instances->serialize(i, one);
               all.emplace(std::move(name), one.bytes());
             });
}

void ModelHistory::read(const InstanceHistories& all, bool of_another_model) const {
  before_change();
  const Model& model = assembler_.model();
  each_named(model, assembler_.layout(), [&](const Model::Range& range, int i, const InstanceName& name) {
    const std::string& entity = model.entities[static_cast<std::size_t>(name.entity)].name;
    const auto found = all.find(name);
    if (of_another_model &&
        (found == all.end() || !could_come_to(model, *range.instances, i, StencilBytes(found->second))))
      return;
    if (found == all.end()) throw Error(fmt::format("nothing was saved of '{}' ({})", entity, range.type));
    try {
      Archive one(found->second);
      range.instances->serialize(i, one);
    } catch (const std::exception& error) {
      throw Error(
          fmt::format("what was saved of '{}' ({}) cannot be read: {}", entity, range.type, error.what()));
    }
  });
}

void ModelHistory::transfer(const InstanceHistories& instances) { read(instances, true); }

}  // namespace trammel
