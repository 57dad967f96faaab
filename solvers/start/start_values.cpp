#include "solvers/start/start_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/constraints/constraint_rank.hpp"

namespace trammel {

namespace {

std::string names_of(const Model& model, const std::set<int>& entities) {
  std::string all;
  for (const int entity : entities)
    all +=
        fmt::format("{}'{}'", all.empty() ? "" : ", ", model.entities[static_cast<std::size_t>(entity)].name);
  return all;
}

}  // namespace

class StartValues::Hold {
 public:
  Hold(const StartValues& values, StartPhase phase, State& state, double length)
      : values_(values),
        state_(state),
        rows_(rows_of_start(values.assembler_.model(), {&phase, 1}, values.assembler_.layout().comm())) {
    let_rows_be(RowStatus::active);
    try {
      ConstraintRank rank(values_.assembler_, length);
      rank.find(state);
      require_free(rank, phase);
      values_.assembler_.remove_redundant(rank.dependent());
    } catch (...) {
      let_rows_be(RowStatus::inactive);
      throw;
    }
  }
  ~Hold() { let_rows_be(RowStatus::inactive); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  void let_rows_be(RowStatus status) const {
    std::vector<RowSwitch> switches;
    for (const ConstraintRow& row : rows_) switches.push_back({row, status});
    values_.history_.switch_rows(switches, state_, {});
  }

  /// Throws Error where a combination of equations that vanishes holds start conditions.
  void require_free(const ConstraintRank& rank, StartPhase phase) const {
    const Model& model = values_.assembler_.model();
    std::set<int> given, others;
    for (const ConstraintGroup& group : rank.groups())
      for (int j = 0; j < group.null.columns(); ++j) {
        const std::set<int> part = group.entities_of(j);
        if (std::ranges::none_of(part, [&](int e) { return values_.is_condition(e); })) continue;
        for (const int e : part) (values_.is_condition(e) ? given : others).insert(e);
      }
    if (given.empty()) return;
    throw Error(
        model.entities[static_cast<std::size_t>(*given.rbegin())].where,
        fmt::format("{} of coordinates are more than the joints leave free: {} depend on each other, or "
                    "follow already, through {}",
                    phase == StartPhase::positions ? "initial values" : "initial rates",
                    names_of(model, given), names_of(model, others)));
  }

  const StartValues& values_;
  State& state_;
  const std::vector<ConstraintRow> rows_;
};

StartValues::StartValues(ModelHistory& history) : history_(history), assembler_(history.assembler()) {
  Assembler& assembler = assembler_;
  of_condition_.assign(assembler.model().entities.size(), 0);
  for (const Model::Range& range : assembler.model().ranges) {
    auto* c = dynamic_cast<StartConditions*>(range.instances.get());
    if (c == nullptr) continue;
    conditions_.push_back(c);
    for (int i = 0; i < range.instances->size(); ++i)
      of_condition_[static_cast<std::size_t>(range.instances->entity(i))] = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, of_condition_.data(), static_cast<int>(of_condition_.size()), MPI_SIGNED_CHAR,
                MPI_MAX, assembler.layout().comm());
}

bool StartValues::any(StartPhase phase) const {
  return !rows_of_start(assembler_.model(), {&phase, 1}, assembler_.layout().comm()).empty();
}

std::vector<double> StartValues::strain(const State& state) const {
  const Model& model = assembler_.model();
  std::vector<double> all(model.entities.size(), 0.0);
  const auto add = [&](const RangePlan& plan, int i, const LocalState& x) {
    const auto entity = static_cast<std::size_t>(plan.range->entity(i));
    if (model.entities[entity].category == "body") all[entity] += plan.range->energy(i, x).strain;
  };
  if (!assembler_.each_instance(state, add, &ElementCalls::energy)) assembler_.throw_refused(state);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM,
                assembler_.layout().comm());
  return all;
}

void StartValues::require_unstrained(const std::vector<double>& before, const State& state,
                                     const ModelScales& scales) const {
  const std::vector<double> now = strain(state);
  std::size_t worst = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] - before[i] > now[worst] - before[worst]) worst = i;
  // Ignored strain energy, as a fraction of the kinetic energy of a typical mass at one model length per second
  // [J].
  constexpr double none = 1e-9;
  if (now.empty() || !(now[worst] - before[worst] > none * scales.mass * scales.length * scales.length))
    return;
  const Entity& body = assembler_.model().entities[worst];
  throw Error(
      body.where,
      fmt::format(
          "the initial values of coordinates would strain '{}', by {:.3g} J: elastic bodies are moved "
          "node by node. Draw it in its place (a slider on a beam: by `s`), or let a static stage with "
          "a `motion` move it there",
          body.name, now[worst] - before[worst]));
}

void StartValues::assemble(State& state, const ModelScales& scales, const AssembleStage& options,
                           Timings& timings) {
  double moves = 1;
  const Layout& layout = assembler_.layout();
  const auto offset_of = [&layout](BlockId id) { return layout.knows(id) ? &layout.offset(id) : nullptr; };
  for (StartConditions* c : conditions_) {
    moves = std::max(moves, c->begin(state, offset_of, scales.length));
    c->aim(0);
  }
  MPI_Allreduce(MPI_IN_PLACE, &moves, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  constexpr double most = 1e6;
  if (!(moves < most))
    throw Error("the initial values of coordinates are too far from where the model stands");
  const std::vector<double> strained = strain(state);
  const Hold hold(*this, StartPhase::positions, state, scales.length);
  ConsistentStart start(history_, scales, timings);
  const int count = static_cast<int>(std::ceil(moves));
  for (int k = 1; k <= count; ++k) {
    for (StartConditions* c : conditions_) c->aim(static_cast<double>(k) / count);
    try {
      start.assemble(state, options);
    } catch (const Error& e) {
      throw Error(e.where(),
                  fmt::format("the initial values of coordinates cannot be met, {:.3g} % of the way "
                              "to them: {}",
                              100.0 * k / count, e.what()));
    }
  }
  require_unstrained(strained, state, scales);
}

double StartValues::velocities(State& state, const ModelScales& scales, Timings& timings) {
  const Hold hold(*this, StartPhase::velocities, state, scales.length);
  return ConsistentStart(history_, scales, timings).velocities(state);
}

}  // namespace trammel
