#include "kernel/assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/collective_errors.hpp"
#include "kernel/instance_plan.hpp"
#include "kernel/matrix_pattern.hpp"
#include "kernel/petsc_call.hpp"
#include "kernel/plugin_call.hpp"
#include "kernel/residual_sink.hpp"
#include "kernel/row_evaluation.hpp"
#include "kernel/start_rows.hpp"
#include "kernel/tangent_sink.hpp"
#include "trammel/index.hpp"

namespace trammel {

struct Assembler::Parts {
  Parts(const Model& m, Layout& l) : model(m), layout(l), row_evaluation(m, states) {}

  const Model& model;
  Layout& layout;
  MatrixPattern pattern;
  std::map<const PetscScalar*, PetscObjectId> assembled;  ///< by array of entries: whose they are
  std::vector<RangePlan> plans;
  // Slots of diagonals, one after the other up to the last.
  std::size_t diagonal_begin = 0;   ///< the corrections' own
  std::size_t algebraic_begin = 0;  ///< the algebraic unknowns' own
  std::size_t redundant_begin = 0;  ///< those of rows that ever were redundant
  RowStates states;
  RowEvaluation row_evaluation;
  bool may_rest = false;   ///< some row on some rank may be anything but active
  bool algebraic = false;  ///< some rank has algebraic unknowns
  bool compliant = false;  ///< some instance on this rank has compliant rows
  std::vector<ConstraintRow> redundant;
  std::set<ConstraintRow> ever_redundant;  ///< rows that have a diagonal of their own in the pattern
  std::vector<int> redundant_rows;         ///< own ones by local number, of stabilizing unknowns too
  std::vector<int> diagonal_rows;          ///< by slot from redundant_begin on: the row
  std::vector<double> kept;
  std::vector<double> r_by_offset, other_by_offset, local;  ///< `other`: see ResidualSink
  /// What ranges of constant residuals contribute, by offset, once it has been evaluated; and its scales.
  std::vector<double> constant;
  FieldScales constant_scales;
  /// Numbers by offset that become those of local unknowns, or are added to them; `Q`: of a rotation that is turned from its root.
  struct Fold {
    int offset, local, size;
    const Mat3* Q = nullptr;
  };
  std::vector<Fold> root_folds;  ///< all unknowns but stabilizing ones
  bool folds_nothing = false;    ///< a residual by offset is one by local unknown; `r_by_offset` is empty
  std::vector<Fold> folds, rate_folds;
  State zeroed;
  const State* zeroed_from = nullptr;  ///< within one evaluation
  FieldScales scales;
  Cost cost;
  std::string rejection;
  double length = 1;  ///< of the model [m]
  int pattern_changes = 0;

  /// Degrees of freedom whose state, residual and elements fit into the second cache of common processors.
  static constexpr std::size_t dofs_in_turn = 4096;

  void plan() {
    ++pattern_changes;
    assembled.clear();
    pattern = {};
    std::size_t kept_count = 0;
    plans = plan_ranges(model, layout, pattern, kept_count);
    diagonal_begin = pattern.slot_count();
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && is_kinematic(u.kind) && u.stabilizing_local >= 0)
        for (int k = 0; k < u.size; ++k)
          pattern.append(u.stabilizing_local + k, 1, u.stabilizing_global + k, 1);
    algebraic_begin = pattern.slot_count();
    int any[2] = {0, 0};  // that may rest, algebraic
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && u.kind == BlockKind::algebraic) {
        any[1] = 1;
        for (int k = 0; k < u.size; ++k) pattern.append(u.local + k, 1, u.global + k, 1);
      }
    plan_redundant();
    compliant = false;
    for (const RangePlan& p : plans)
      for (const InstanceTraits& traits : p.traits) {
        if (traits.may_rest) any[0] = 1;
        compliant = compliant || traits.compliant;
      }
    if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, any, 2, MPI_INT, MPI_MAX, layout.comm());
    may_rest = any[0] != 0;
    algebraic = any[1] != 0;
    pattern.finish(layout);
    plan_fold();
    kept.assign(kept_count, 0.0);
    r_by_offset.assign(folds_nothing ? 0 : layout.dof_count(), 0.0);
    constant.clear();
    constant_scales = {};
    other_by_offset.assign(layout.dof_count(), 0.0);
    local.assign(layout.ranks() > 1 ? at(layout.local_size()) : 0, 0.0);
  }

  void plan_redundant() {
    redundant_begin = pattern.slot_count();
    diagonal_rows.clear();
    for (const ConstraintRow& row : ever_redundant)
      each_number(row, [&](const UnknownBlock& u, int number, PetscInt global) {
        if (!u.owned) return;
        pattern.append(number, 1, global, 1);
        diagonal_rows.push_back(number);
      });
    find_redundant();
  }

  /// `visit(unknown block, local number, global number)` for the row and that of its stabilizing unknown, where they are known.
  template <class Visit>
  void each_number(const ConstraintRow& row, Visit&& visit) const {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr) return;
    visit(*u, u->local + row.component, u->global + row.component);
    if (u->stabilizing_local >= 0)
      visit(*u, u->stabilizing_local + row.component, u->stabilizing_global + row.component);
  }

  void find_redundant() {
    redundant_rows.clear();
    for (const ConstraintRow& row : redundant)
      each_number(row, [&](const UnknownBlock& u, int number, PetscInt) {
        if (u.owned) redundant_rows.push_back(number);
      });
    std::ranges::sort(redundant_rows);
  }

  void plan_fold() {
    root_folds.clear();
    folds.clear();
    rate_folds.clear();
    const auto append = [](std::vector<Fold>& all, const Fold& next) {
      if (!all.empty() && all.back().offset + all.back().size == next.offset &&
          all.back().local + all.back().size == next.local)
        all.back().size += next.size;
      else
        all.push_back(next);
    };
    for (const UnknownBlock& u : layout.unknowns()) {
      append(root_folds, {u.offset.dof, u.local, u.size});
      if (u.kind == BlockKind::multiplier && u.stabilizing_local >= 0)
        append(rate_folds, {u.offset.dof, u.stabilizing_local, u.size});
    }
    for (const BlockId id : layout.known_blocks().subspan(layout.unknowns().size()))
      if (const UnknownBlock* u = layout.unknown_of(id)) {
        const BlockRoot& root = layout.root(id);
        folds.push_back({layout.offset(id).dof, u->local, u->size, root.Q});
      }
    const int all = static_cast<int>(layout.dof_count());
    folds_nothing = folds.empty() && rate_folds.empty() && layout.local_size() == all &&
                    root_folds.size() == 1 && root_folds[0].offset == 0 && root_folds[0].local == 0 &&
                    root_folds[0].size == all;
  }

  /// Keeps what a RejectStep said; returns `fine`.
  bool keep(bool fine, const LocalFault& fault) {
    if (!fine) rejection = fault.text();
    return fine;
  }

  /// Evaluates every range, or of each those instances that are `chosen`; `skip` says which ranges to leave out. A part of each range
  /// is evaluated in turn: neighbours among the elements are so often neighbours among the joints that their state is still in the cache.
  template <class Skip>
  void evaluate_here(const State& state, const Request& request, RangeSink& sink, Skip&& skip,
                     LocalFault& fault, const std::vector<InstanceRun>* chosen = nullptr) {
    if (fault.waits()) return;
    zeroed_from = nullptr;
    const int turns = std::max(1, static_cast<int>(layout.dof_count() / dofs_in_turn));
    for (int turn = 0; turn < turns; ++turn)
      for (std::size_t k = 0; k < plans.size(); ++k) {
        const RangePlan& plan = plans[k];
        if (skip(plan)) continue;
        const int begin = beginning(plan, turn, turns), end = beginning(plan, turn + 1, turns);
        const auto& runs = chosen == nullptr ? plan.runs : chosen[k];
        auto run = std::ranges::upper_bound(runs, begin, {}, &InstanceRun::last);
        if (run == runs.end() || run->first >= end) continue;
        sink.begin(plan, state);
        const PluginCall call(model, *plan.range, sink.evaluated);
        try {
          for (; run != runs.end() && run->first < end; ++run) {
            const int first = std::max(run->first, begin), last = std::min(run->last, end);
            sink.evaluated = first;
            if (run->special)
              row_evaluation.evaluate(plan, first, state, at_zero(state, request), request, sink);
            else
              plan.range->evaluate(first, last, state, plan.offset_of, request, sink);
          }
        } catch (...) {
          return fault.capture(call.entity(), layout.rank(), state.time);
        }
      }
  }

  /// The first of the instances that are evaluated in this turn or a later one. Whole groups of those that elements evaluate together.
  static int beginning(const RangePlan& plan, int turn, int turns) {
    constexpr int together = 8;
    const long long size = plan.range->size();
    return static_cast<int>(turn == turns ? size : size * turn / turns / together * together);
  }

  /// The state with multipliers of compliant instances zero, where `request` asks for rows there; else null.
  const State* at_zero(const State& state, const Request& request) {
    if (!request.rigid || !compliant) return nullptr;
    if (zeroed_from == &state) return &zeroed;
    zeroed = state;
    zeroed_from = &state;
    for (const RangePlan& plan : plans)
      for (const int i : plan.special) {
        if (!plan.traits[at(i)].compliant) continue;
        const auto blocks = plan.stencil(i);
        for (std::size_t k = 0; k < blocks.size(); ++k)
          if (blocks[k].own && is_multiplier(blocks[k].kind))
            std::fill_n(zeroed.value.begin() + plan.offset_of[at(i)][k].value, blocks[k].size, 0.0);
      }
    return &zeroed;
  }

  /// `out`: by local unknown.
  void residual(const State& state, ConstraintLevel level, LocalFault& fault, bool constraints_only,
                double* out) {
    if (constant.empty()) {
      constant.assign(layout.dof_count(), 0.0);
      ResidualSink sink(level, false, states.statuses, constant.data(), other_by_offset, constant_scales);
      evaluate_here(
          state, {}, sink, [](const RangePlan& plan) { return !plan.calls.constant; }, fault);
      sink.end();
    }
    double* const r = folds_nothing ? out : r_by_offset.data();
    std::ranges::copy(constant, r);
    if (layout.stabilized()) std::ranges::fill(other_by_offset, 0.0);
    scales = constant_scales;
    Request request;
    request.rates = layout.stabilized() || level == ConstraintLevel::velocity;
    request.bias = request.tangent = level == ConstraintLevel::acceleration;
    // Where rates count positions are those at multipliers of zero, as the rates are.
    request.rigid = layout.stabilized() || level == ConstraintLevel::acceleration;
    ResidualSink sink(level, layout.stabilized(), states.statuses, r, other_by_offset, scales);
    const auto passes_over = [constraints_only](const RangePlan& plan) {
      return plan.calls.constant || (constraints_only && !plan.has_constraints);
    };
    evaluate_here(state, request, sink, passes_over, fault);
    sink.end();
    if (fault.waits()) {
      constant.clear();
      std::fill_n(r, layout.dof_count(), 0.0);
      std::ranges::fill(other_by_offset, 0.0);
    }
    if (!folds_nothing) fold(out);
  }

  /// Folds the residual by offset into numbers by local unknown: blocks into their roots, rates into stabilizing unknowns.
  void fold(double* out) const {
    if (layout.stabilized()) std::fill_n(out, layout.local_size(), 0.0);
    for (const Fold& root : root_folds)
      std::copy_n(r_by_offset.data() + root.offset, root.size, out + root.local);
    const auto add = [out](const std::vector<Fold>& all, const std::vector<double>& from) {
      for (const Fold& fold : all) {
        Eigen::Map<Eigen::VectorXd> to(out + fold.local, fold.size);
        const ConstVectorMap its(from.data() + fold.offset, fold.size);
        fold.Q != nullptr ? to += fold.Q->lazyProduct(its) : to += its;
      }
    };
    add(folds, r_by_offset);
    add(rate_folds, other_by_offset);
  }
};

Assembler::Assembler(const Model& model, Layout& layout) : parts_(std::make_unique<Parts>(model, layout)) {
  parts_->plan();
  constexpr std::array phases{StartPhase::positions, StartPhase::velocities};
  for (const ConstraintRow& row : rows_of_start(model, phases, layout.comm()))
    parts_->states.statuses.set(row, RowStatus::inactive);
}
Assembler::~Assembler() = default;

const Model& Assembler::model() const { return parts_->model; }
Layout& Assembler::layout() { return parts_->layout; }
void Assembler::revise() { parts_->plan(); }
std::span<const double> Assembler::gradients() const { return parts_->kept; }
std::span<const double> Assembler::position_rows() const { return parts_->other_by_offset; }
const std::string& Assembler::rejection() const { return parts_->rejection; }
const FieldScales& Assembler::scales() const { return parts_->scales; }
Assembler::Cost Assembler::cost() const { return parts_->cost; }

bool Assembler::residual(const State& state, ConstraintLevel level, Vec r) {
  LocalFault fault;
  residual(state, level, r, fault);
  return agree(fault);
}
void Assembler::residual(const State& state, ConstraintLevel level, Vec r, LocalFault& fault,
                         bool constraints_only) {
  Parts& p = *parts_;
  const double start = MPI_Wtime();
  PetscScalar* rows = nullptr;
  if (p.layout.ranks() == 1) {
    TRAMMEL_PETSC(VecGetArrayWrite(r, &rows));
    p.residual(state, level, fault, constraints_only, rows);
    TRAMMEL_PETSC(VecRestoreArrayWrite(r, &rows));
  } else {
    p.residual(state, level, fault, constraints_only, p.local.data());
    p.layout.sum_local(p.local, r);
  }
  p.cost.residual += MPI_Wtime() - start;
}

bool Assembler::algebraic_tangents(const State& state, RangeSink& sink) {
  LocalFault fault;
  const auto has_none = [](const RangePlan& plan) { return !plan.has_algebraic; };
  parts_->evaluate_here(state, {.tangent = true}, sink, has_none, fault);
  return agree(fault);
}
Mat Assembler::create_matrix(bool lasting) { return parts_->pattern.create(parts_->layout, lasting); }
bool Assembler::tangent(const State& state, const TangentWeights& weights, Mat J) {
  LocalFault fault;
  tangent(state, weights, J, fault);
  return agree(fault);
}
bool Assembler::tangent(const State& state, const TangentWeights& weights, Mat J, LocalFault& fault,
                        const RenewedRows& renewed) {
  Parts& p = *parts_;
  const double start = MPI_Wtime();
  const bool all = renewed.unknowns.empty(), rates = p.layout.stabilized() || weights.bias_rate != 0;
  const bool stiffness = weights.stiffness != 0 || (p.algebraic && !weights.hold_algebraic);
  const Request request{.tangent = true, .rates = rates, .rigid = rates, .stiffness = stiffness};
  PetscScalar* const numbers = MatrixPattern::entries(J);
  PetscObjectId matrix = 0;
  TRAMMEL_PETSC(PetscObjectGetId(reinterpret_cast<PetscObject>(J), &matrix));
  PetscObjectId& assembled = p.assembled[numbers];
  if (!all && (assembled != matrix || p.layout.stabilized() || p.algebraic)) return false;
  assembled = matrix;
  TangentSink sink(weights, p.states.statuses, p.pattern, numbers, p.kept);
  std::fill_n(numbers, all ? p.pattern.size() : p.pattern.ghosts(), 0.0);
  sink.rows = renewed.unknowns;
  const UnknownBlock* u = p.layout.unknowns().data();
  for (std::size_t k = 0; k < sink.rows.size(); ++k, ++u)
    for (int i = 0; u->owned && sink.rows[k] != 0 && i < u->size; ++i) p.pattern.clear(u->local + i, numbers);
  const auto passes_over = [&weights](const RangePlan& plan) {
    return plan.pairs.empty() || (weights.constraints_only && !plan.has_constraints);
  };
  p.evaluate_here(state, request, sink, passes_over, fault, all ? nullptr : renewed.instances.data());
  const double evaluated = MPI_Wtime();
  p.cost.tangent += evaluated - start;
  const double kept = weights.column[static_cast<std::size_t>(BlockKind::multiplier)];
  const PetscInt* const slots = p.pattern.slots();
  const auto add = [&](std::size_t begin, std::size_t end, double number) {
    for (std::size_t k = begin; k < end; ++k) numbers[slots[k]] += number;
  };
  add(p.diagonal_begin, p.algebraic_begin, weights.stabilizing_row_mu * weights.stabilizing_column_mu);
  if (weights.hold_algebraic) add(p.algebraic_begin, p.redundant_begin, kept);
  p.pattern.send(numbers);
  if (!weights.constraints_only && !p.redundant_rows.empty()) {
    for (const int row : p.redundant_rows) p.pattern.clear(row, numbers);
    for (std::size_t k = 0; k < p.diagonal_rows.size(); ++k)
      if (std::ranges::binary_search(p.redundant_rows, p.diagonal_rows[k]))
        numbers[slots[p.redundant_begin + k]] = kept;
  }
  p.cost.assembly += MPI_Wtime() - evaluated;
  if (fault.waits()) p.assembled.clear();
  return true;
}

bool Assembler::remove_redundant(std::vector<ConstraintRow> rows) {
  Parts& p = *parts_;
  p.assembled.clear();
  p.redundant = std::move(rows);
  const std::size_t before = p.ever_redundant.size();
  p.ever_redundant.insert(p.redundant.begin(), p.redundant.end());
  if (p.ever_redundant.size() == before) {
    p.find_redundant();
    return false;
  }
  p.plan();
  return true;
}
std::span<const ConstraintRow> Assembler::redundant_rows() const { return parts_->redundant; }

void Assembler::keep_gradients(const State& state) {
  GradientSink sink(parts_->kept);
  LocalFault fault;
  const auto has_none = [](const RangePlan& plan) { return !plan.has_constraints; };
  parts_->evaluate_here(state, {.tangent = true, .stiffness = false}, sink, has_none, fault);
  if (!agree(fault)) throw_refused(state);
}

RowStates& Assembler::row_states() { return parts_->states; }
const RowStates& Assembler::row_states() const { return parts_->states; }
bool Assembler::may_rest() const { return parts_->may_rest; }
bool Assembler::has_algebraic() const { return parts_->algebraic; }
bool Assembler::asleep(const RangePlan& plan, int i) const { return parts_->row_evaluation.asleep(plan, i); }
std::span<const RangePlan> Assembler::plans() const { return parts_->plans; }
int Assembler::pattern_changes() const { return parts_->pattern_changes; }
bool Assembler::each_instance(const State& state, const Visit& visit, bool ElementCalls::*needed) {
  LocalFault fault;
  each_instance(state, visit, fault, needed);
  return agree(fault);
}
void Assembler::each_instance(const State& state, const Visit& visit, LocalFault& fault,
                              bool ElementCalls::*needed) {
  const auto visit_all = [&](const RangePlan& plan, int& i) {
    for (const int own : plan.instances) visit(plan, i = own, LocalState(state, plan.offset_of[at(own)]));
  };
  each_range(state, visit_all, fault, needed);
}
void Assembler::each_range(const State& state, const VisitRange& visit, LocalFault& fault,
                           bool ElementCalls::*needed) {
  const Parts& p = *parts_;
  for (const RangePlan& plan : p.plans) {
    if (fault.waits()) return;
    if (needed != nullptr && !(plan.calls.*needed)) continue;
    int i = 0;
    const PluginCall call(p.model, *plan.range, i);
    try {
      visit(plan, i);
    } catch (...) {
      fault.capture(call.entity(), p.layout.rank(), state.time);
    }
  }
}
bool Assembler::agree(LocalFault& fault) {
  return parts_->keep(fault.agree(parts_->layout.comm(), parts_->scales.contribution), fault);
}
bool Assembler::settle(LocalFault& fault, double largest_level, const FieldScales& scales) {
  parts_->scales = scales;
  return parts_->keep(fault.settle(parts_->layout.comm(), largest_level), fault);
}
void Assembler::throw_refused(const State& state) const {
  throw Error(fmt::format("at t = {:g}, where it had been evaluated before, {}", state.time, rejection()));
}
void Assembler::set_length(double length) { parts_->length = length; }
double Assembler::length() const { return parts_->length; }

void Assembler::serialize(Archive& archive) {
  Parts& p = *parts_;
  std::vector<ConstraintRow> ever(p.ever_redundant.begin(), p.ever_redundant.end());
  archive(p.redundant, ever);
  p.ever_redundant = {ever.begin(), ever.end()};
}

bool Assembler::contributions(const State& state, std::span<const std::vector<InstanceRun>> runs,
                              std::vector<double>& r) {
  Parts& p = *parts_;
  r.assign(at(p.layout.dof_count()), 0.0);
  FieldScales scales;
  ResidualSink sink(ConstraintLevel::position, false, p.states.statuses, r.data(), p.other_by_offset, scales);
  LocalFault fault;
  p.evaluate_here(
      state, {}, sink, [](const RangePlan&) { return false; }, fault, runs.data());
  sink.end();
  return agree(fault);
}

}  // namespace trammel
