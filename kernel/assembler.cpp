#include "kernel/assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "kernel/algebraic_rules.hpp"
#include "kernel/algebraic_sizes.hpp"
#include "kernel/collective_errors.hpp"
#include "kernel/instance_plan.hpp"
#include "kernel/petsc_call.hpp"
#include "kernel/plugin_call.hpp"
#include "kernel/rank_exchange.hpp"
#include "kernel/reaction_sides.hpp"
#include "kernel/row_evaluation.hpp"
#include "kernel/start_rows.hpp"
#include "kernel/tangent_sink.hpp"

namespace trammel {

namespace {

int kind_index(BlockKind kind) { return static_cast<int>(kind); }

/// The largest of forces on coordinates; on a nominal one by what it does along its size.
double largest_of_nominal(const StencilBlock& b, const Eigen::Ref<const Eigen::VectorXd>& forces) {
  double largest = 0;
  for (int j = 0; j < b.size; ++j) {
    const Measure& measure = b.nominal[j].measure;
    const double size = measure.dimension == Dimension::nominal ? measure.size : 1.0;
    largest = std::max(largest, std::abs(forces[j]) * size);
  }
  return largest;
}

/// Takes residual contributions by offset, with the chosen equations in the rows of multipliers.
class ResidualSink final : public ContributionSink {
 public:
  ResidualSink(ConstraintLevel level, bool stabilizing, const RowStatuses& statuses, std::vector<double>& r,
               std::vector<double>& rates, FieldScales& fields)
      : level_(level),
        stabilizing_(stabilizing),
        statuses_(statuses),
        r_(r),
        rates_(rates),
        fields_(fields) {}

  void begin(const RangePlan& plan, const State& state) {
    plan_ = &plan;
    state_ = &state;
    evaluated = 0;
  }

  void add(int i, LocalSystem& contribution) override {
    double* const numbers = contribution.residual().data();
    const BlockOffset* place = plan_->offset_of[static_cast<std::size_t>(i)];
    for (const StencilBlock& b : plan_->stencil(i)) {
      double* const rows = numbers + b.offset;
      if (is_multiplier(b.kind) && level_ != ConstraintLevel::position) differentiate(i, b, contribution);
      double* const to = r_.data() + place->dof;
      double largest = 0;
      const auto take = [&](int j) {
        to[j] += rows[j];
        largest = std::max(largest, std::abs(rows[j]));
      };
      if (b.size == 3)
        for (int j = 0; j < 3; ++j) take(j);  // the compiler unrolls it
      else
        for (int j = 0; j < b.size; ++j) take(j);
      if (b.nominal != nullptr) largest = largest_of_nominal(b, Eigen::Map<Eigen::VectorXd>(rows, b.size));
      double& field = fields_.contribution[static_cast<std::size_t>(kind_index(b.kind))];
      field = std::max(field, largest);
      if (stabilizing_ && b.kind == BlockKind::multiplier && contribution.has_rate())
        for (int j = 0; j < b.size; ++j)
          rates_[static_cast<std::size_t>(place->dof + j)] += contribution.rate()[b.offset + j];
      ++place;
    }
    evaluated = i + 1;
  }

  int evaluated = 0;

 private:
  /// Puts the chosen equations into the rows of a multiplier.
  void differentiate(int i, const StencilBlock& b, LocalSystem& contribution) const {
    double* const rows = contribution.residual().data() + b.offset;
    if (level_ == ConstraintLevel::velocity) {
      if (b.kind == BlockKind::multiplier) std::copy_n(contribution.rate().data() + b.offset, b.size, rows);
      return;
    }
    const bool position = b.kind == BlockKind::multiplier;
    if (!position && b.may_rest && statuses_.of(b.id, 0) == RowStatus::slips) return;
    Eigen::Map<Eigen::VectorXd>(rows, b.size) = at_acceleration_level(
        plan_->stencil(i), plan_->offset_of[static_cast<std::size_t>(i)], *state_, b,
        contribution.bias().segment(b.offset, b.size), position ? contribution.K() : contribution.D());
  }

  ConstraintLevel level_;
  bool stabilizing_;
  const RowStatuses& statuses_;
  std::vector<double>&r_, &rates_;
  FieldScales& fields_;
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
};

}  // namespace

struct Assembler::Parts {
  Parts(const Model& m, Layout& l) : model(m), layout(l), row_evaluation(m, states) {}

  const Model& model;
  Layout& layout;
  EntryPattern pattern;
  std::vector<RangePlan> plans;
  std::size_t diagonal_begin = 0;   ///< entries of the corrections' own diagonal
  std::size_t algebraic_begin = 0;  ///< of the algebraic unknowns' own
  RowStates states;
  RowEvaluation row_evaluation;
  bool may_rest = false;   ///< some row on some rank may be anything but active
  bool algebraic = false;  ///< some rank has algebraic unknowns
  bool compliant = false;  ///< some instance on this rank has compliant rows
  std::vector<ConstraintRow> redundant;
  std::set<ConstraintRow> ever_redundant;   ///< rows that have a diagonal of their own in the pattern
  std::size_t redundant_begin = 0;          ///< where these begin
  std::vector<std::size_t> zeroed_entries;  ///< what instances give to the redundant rows
  std::vector<char> redundant_diagonal;     ///< by diagonal: of a redundant row
  std::vector<PetscScalar> entries;
  std::vector<double> kept;
  std::vector<double> r_by_offset, rate_by_offset, local;
  std::optional<ReactionSides> reaction_sides;  ///< once something was visited
  State zeroed;
  const State* zeroed_from = nullptr;  ///< within one evaluation
  FieldScales scales;
  Cost cost;
  std::string rejection;
  double length = 1;  ///< of the model [m]
  int pattern_changes = 0;

  void plan() {
    ++pattern_changes;
    pattern = {};
    plans = plan_ranges(model, layout, pattern);
    diagonal_begin = pattern.rows.size();
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && is_kinematic(u.kind) && u.stabilizing_local >= 0)
        for (int k = 0; k < u.size; ++k) {
          pattern.rows.push_back(u.stabilizing_global + k);
          pattern.columns.push_back(u.stabilizing_global + k);
        }
    algebraic_begin = pattern.rows.size();
    int any[2] = {0, 0};  // that may rest, algebraic
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && u.kind == BlockKind::algebraic) {
        any[1] = 1;
        for (int k = 0; k < u.size; ++k) {
          pattern.rows.push_back(u.global + k);
          pattern.columns.push_back(u.global + k);
        }
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
    entries.assign(pattern.rows.size(), 0.0);
    kept.assign(pattern.kept, 0.0);
    r_by_offset.assign(layout.dof_count(), 0.0);
    rate_by_offset.assign(layout.dof_count(), 0.0);
    local.assign(static_cast<std::size_t>(layout.local_size()), 0.0);
  }

  void plan_redundant() {
    redundant_begin = pattern.rows.size();
    for (const ConstraintRow& row : ever_redundant)
      each_number(row, [&](const UnknownBlock& u, PetscInt number) {
        if (!u.owned) return;
        pattern.rows.push_back(number);
        pattern.columns.push_back(number);
      });
    find_zeroed();
  }

  /// `visit(unknown block, number of the row or of its stabilizing unknown)` where the row is known.
  template <class Visit>
  void each_number(const ConstraintRow& row, Visit&& visit) const {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr) return;
    for (const PetscInt first : {u->global, u->stabilizing_global})
      if (first >= 0) visit(*u, first + row.component);
  }

  void find_zeroed() {
    zeroed_entries.clear();
    redundant_diagonal.clear();
    std::vector<PetscInt> rows;
    for (const ConstraintRow& row : redundant)
      each_number(row, [&](const UnknownBlock&, PetscInt number) { rows.push_back(number); });
    std::ranges::sort(rows);
    if (!rows.empty())
      for (std::size_t k = 0; k < redundant_begin; ++k)
        if (std::ranges::binary_search(rows, pattern.rows[k])) zeroed_entries.push_back(k);
    for (std::size_t k = redundant_begin; k < pattern.rows.size(); ++k)
      redundant_diagonal.push_back(std::ranges::binary_search(rows, pattern.rows[k]) ? 1 : 0);
  }

  /// Whether no rank has a fault; keeps what a RejectStep said. Collective.
  bool agree(LocalFault& fault, std::span<double> maxima = {}) {
    if (fault.agree(layout.comm(), maxima)) return true;
    rejection = fault.text();
    return false;
  }

  [[noreturn]] void throw_refused(const State& state) const {
    throw Error(fmt::format("at t = {:g}, where it had been evaluated before, {}", state.time, rejection));
  }

  /// Evaluates every range; `skip` says which to leave out. Returns false, on all ranks, where a step is rejected.
  template <class Sink, class Begin, class Skip>
  bool evaluate(const State& state, const Request& request, Sink& sink, Begin&& begin, Skip&& skip) {
    LocalFault fault;
    evaluate_here(state, request, sink, begin, skip, fault);
    return agree(fault);
  }

  template <class Sink, class Begin, class Skip>
  void evaluate_here(const State& state, const Request& request, Sink& sink, Begin&& begin, Skip&& skip,
                     LocalFault& fault) {
    const RangePlan* at = nullptr;
    zeroed_from = nullptr;
    try {
      for (const RangePlan& plan : plans) {
        if (skip(plan)) continue;
        at = &plan;
        begin(plan);
        const PluginCall call(model, *plan.range, sink.evaluated);
        for (const InstanceRun& run : plan.runs) {
          sink.evaluated = run.first;
          if (run.special)
            row_evaluation.evaluate(plan, run.first, state, at_zero(state, request), request, sink);
          else
            plan.range->evaluate(run.first, run.last, state, plan.offset_of, request, sink);
        }
      }
    } catch (...) {
      const int i = at == nullptr ? 0 : std::min(sink.evaluated, at->range->size() - 1);
      const Entity* entity =
          at == nullptr ? nullptr : &model.entities[static_cast<std::size_t>(at->range->entity(i))];
      fault.capture(entity, layout.rank(), state.time);
    }
  }

  /// The state with multipliers of compliant instances zero, where `request` asks for rows there; else null.
  const State* at_zero(const State& state, const Request& request) {
    if (!request.rigid || !compliant) return nullptr;
    if (zeroed_from == &state) return &zeroed;
    zeroed = state;
    zeroed_from = &state;
    for (const RangePlan& plan : plans)
      for (const int i : plan.special) {
        if (!plan.traits[static_cast<std::size_t>(i)].compliant) continue;
        const auto blocks = plan.stencil(i);
        for (std::size_t k = 0; k < blocks.size(); ++k)
          if (blocks[k].own && is_multiplier(blocks[k].kind))
            std::fill_n(zeroed.value.begin() + plan.offset_of[static_cast<std::size_t>(i)][k].value,
                        blocks[k].size, 0.0);
      }
    return &zeroed;
  }

  /// Calls visit(plan, i, its state) for every instance. Returns false, on all ranks, where one throws
  /// RejectStep.
  template <class Visit>
  bool each(const State& state, Visit&& visit) {
    LocalFault fault;
    const RangePlan* at = nullptr;
    int i = 0;
    try {
      for (const RangePlan& plan : plans) {
        at = &plan;
        i = 0;
        const PluginCall call(model, *plan.range, i);
        for (const int own : plan.instances) {
          i = own;
          visit(plan, i, LocalState(state, plan.offset_of[static_cast<std::size_t>(i)]));
        }
      }
    } catch (...) {
      fault.capture(&model.entities[static_cast<std::size_t>(at->range->entity(i))], layout.rank(),
                    state.time);
    }
    return agree(fault);
  }

  void residual(const State& state, ConstraintLevel level, LocalFault& fault) {
    std::ranges::fill(r_by_offset, 0.0);
    if (layout.stabilized()) std::ranges::fill(rate_by_offset, 0.0);
    scales = {};
    Request request;
    request.rates = layout.stabilized() || level == ConstraintLevel::velocity;
    request.bias = request.tangent = level == ConstraintLevel::acceleration;
    // Where rates count positions are those at multipliers of zero, as the rates are.
    request.rigid = layout.stabilized() || level == ConstraintLevel::acceleration;
    ResidualSink sink(level, layout.stabilized(), states.statuses, r_by_offset, rate_by_offset, scales);
    if (!fault.waits())
      evaluate_here(
          state, request, sink, [&](const RangePlan& plan) { sink.begin(plan, state); },
          [](const RangePlan&) { return false; }, fault);
    if (fault.waits()) {
      std::ranges::fill(r_by_offset, 0.0);
      std::ranges::fill(rate_by_offset, 0.0);
    }
  }

  bool residual_everywhere(const State& state) {
    LocalFault fault;
    residual(state, ConstraintLevel::position, fault);
    return agree(fault, scales.contribution);
  }

  /// Folds the residual by offset into numbers by local unknown: blocks into their roots, rates into stabilizing unknowns.
  void fold(double* out) const {
    const auto unknowns = layout.unknowns();
    for (const UnknownBlock& u : unknowns)
      for (int k = 0; k < u.size; ++k)
        out[u.local + k] = r_by_offset[static_cast<std::size_t>(u.offset.dof + k)];
    if (layout.stabilized())
      for (const UnknownBlock& u : unknowns)
        for (int k = 0; u.stabilizing_local >= 0 && k < u.size; ++k)
          out[u.stabilizing_local + k] = u.kind == BlockKind::multiplier
                                             ? rate_by_offset[static_cast<std::size_t>(u.offset.dof + k)]
                                             : 0.0;
    const auto known = layout.known_blocks();
    for (std::size_t k = unknowns.size(); k < known.size(); ++k) {
      const BlockId id = known[k];
      const UnknownBlock* u = layout.unknown_of(id);
      if (u == nullptr) continue;
      const BlockRoot& root = layout.root(id);
      const double* contribution = r_by_offset.data() + layout.offset(id).dof;
      double* to = out + u->local;
      if (root.rotated)
        Eigen::Map<Vec3>(to) += root.Q * Eigen::Map<const Vec3>(contribution);
      else
        for (int j = 0; j < u->size; ++j) to[j] += contribution[j];
    }
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
const std::string& Assembler::rejection() const { return parts_->rejection; }
const FieldScales& Assembler::scales() const { return parts_->scales; }
std::span<const double> Assembler::residual_by_offset() const { return parts_->r_by_offset; }
Assembler::Cost Assembler::cost() const { return parts_->cost; }

bool Assembler::residual(const State& state, ConstraintLevel level, Vec r) {
  LocalFault fault;
  residual(state, level, r, fault);
  return agree(fault);
}

void Assembler::residual(const State& state, ConstraintLevel level, Vec r, LocalFault& fault) {
  Parts& p = *parts_;
  const double start = MPI_Wtime();
  p.residual(state, level, fault);
  PetscScalar* rows = nullptr;
  if (p.layout.ranks() == 1) {
    TRAMMEL_PETSC(VecGetArrayWrite(r, &rows));
    p.fold(rows);
    TRAMMEL_PETSC(VecRestoreArrayWrite(r, &rows));
  } else {
    p.fold(p.local.data());
    TRAMMEL_PETSC(VecZeroEntries(r));
    p.layout.add_from_local(p.local, r);
  }
  p.cost.residual += MPI_Wtime() - start;
}

bool Assembler::has_algebraic() const { return parts_->algebraic; }

bool Assembler::algebraic_sizes(const State& state, AlgebraicSizes& out) {
  Parts& p = *parts_;
  AlgebraicSizesSink sink(p.model, p.layout.unknowns(), p.local.size(), p.length);
  if (!p.evaluate(
          state, {.tangent = true}, sink, [&](const RangePlan& plan) { sink.begin(plan, state); },
          [](const RangePlan& plan) { return !plan.has_algebraic; }))
    return false;
  if (p.layout.ranks() > 1) {
    Vec sum = p.layout.create_vector();
    for (std::vector<double>* part : {&sink.by_algebraic, &sink.by_others, &sink.rounding}) {
      TRAMMEL_PETSC(VecZeroEntries(sum));
      p.layout.add_from_local(*part, sum);
      p.layout.to_local(sum, *part);
    }
    TRAMMEL_PETSC(VecDestroy(&sum));
  }
  for (std::size_t i = 0; i < sink.by_algebraic.size(); ++i)
    if (!(sink.by_algebraic[i] > 0)) sink.by_algebraic[i] = sink.by_others[i];
  out = {std::move(sink.by_algebraic), std::move(sink.rounding)};
  return true;
}

void Assembler::require_algebraic_rules(const State& state) {
  Parts& p = *parts_;
  if (!p.algebraic) return;
  constexpr unsigned states = 3;
  AlgebraicRulesSink sink(p.model);
  for (unsigned k = 0; k < states; ++k)
    p.evaluate(
        k == 0 ? state : disturbed(p.model, p.layout, state, p.length, k), {.tangent = true}, sink,
        [&](const RangePlan& plan) { sink.begin(plan); },
        [](const RangePlan& plan) { return !plan.has_algebraic; });
}

Mat Assembler::create_matrix() {
  Parts& p = *parts_;
  Mat J = nullptr;
  TRAMMEL_PETSC(MatCreate(p.layout.comm(), &J));
  const PetscInt n = p.layout.owned_size(), N = p.layout.global_size();
  TRAMMEL_PETSC(MatSetSizes(J, n, n, N, N));
  TRAMMEL_PETSC(MatSetType(J, p.layout.ranks() == 1 ? MATSEQAIJ : MATMPIAIJ));
  // The call may rearrange the index arrays, so it gets copies.
  std::vector<PetscInt> rows = p.pattern.rows, columns = p.pattern.columns;
  TRAMMEL_PETSC(MatSetPreallocationCOO(J, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()));
  return J;
}

bool Assembler::tangent(const State& state, const TangentWeights& weights, Mat J) {
  Parts& p = *parts_;
  const double start = MPI_Wtime();
  Request request;
  request.tangent = true;
  request.rates = p.layout.stabilized() || weights.bias_rate != 0;
  request.rigid = request.rates;
  TangentSink sink(weights, p.states.statuses, p.entries, p.kept);
  const bool fine = p.evaluate(
      state, request, sink, [&](const RangePlan& plan) { sink.begin(plan, state); },
      [](const RangePlan& plan) { return plan.pairs.empty(); });
  const double evaluated = MPI_Wtime();
  p.cost.tangent += evaluated - start;
  if (!fine) return false;
  const auto diagonal = p.entries.begin() + static_cast<std::ptrdiff_t>(p.diagonal_begin);
  const auto held = p.entries.begin() + static_cast<std::ptrdiff_t>(p.algebraic_begin);
  const auto silent = p.entries.begin() + static_cast<std::ptrdiff_t>(p.redundant_begin);
  const double kept = weights.column[static_cast<std::size_t>(kind_index(BlockKind::multiplier))];
  std::fill(diagonal, held, weights.stabilizing_row_mu * weights.stabilizing_column_mu);
  std::fill(held, silent, weights.hold_algebraic ? kept : 0.0);
  if (weights.all_rows) {
    std::fill(silent, p.entries.end(), 0.0);
  } else {
    std::ranges::transform(p.redundant_diagonal, silent, [&](char out) { return out != 0 ? kept : 0.0; });
    for (const std::size_t k : p.zeroed_entries) p.entries[k] = 0;
  }
  TRAMMEL_PETSC(MatSetValuesCOO(J, p.entries.data(), INSERT_VALUES));
  p.cost.assembly += MPI_Wtime() - evaluated;
  return true;
}

bool Assembler::remove_redundant(std::vector<ConstraintRow> rows) {
  Parts& p = *parts_;
  p.redundant = std::move(rows);
  const std::size_t before = p.ever_redundant.size();
  p.ever_redundant.insert(p.redundant.begin(), p.redundant.end());
  if (p.ever_redundant.size() == before) {
    p.find_zeroed();
    return false;
  }
  p.plan();
  return true;
}
std::span<const ConstraintRow> Assembler::redundant_rows() const { return parts_->redundant; }

void Assembler::keep_gradients(const State& state) {
  Parts& p = *parts_;
  Request request;
  request.tangent = true;
  GradientSink sink(p.kept);
  if (!p.evaluate(
          state, request, sink, [&](const RangePlan& plan) { sink.begin(plan); },
          [](const RangePlan& plan) { return !plan.has_constraints; }))
    p.throw_refused(state);
}

void Assembler::add_corrections(double scale, const std::vector<double>& local,
                                std::vector<double>& out) const {
  const Parts& p = *parts_;
  std::vector<double> contribution(out.size(), 0.0);
  const auto unknowns = p.layout.unknowns();
  for (const RangePlan& plan : p.plans) {
    if (!plan.has_constraints) continue;
    for (const int i : plan.instances) {
      const double* gradient = p.kept.data() + plan.kept_begin[static_cast<std::size_t>(i)];
      const auto blocks = plan.stencil(i);
      for (const BlockPair& pair : plan.coupled(i)) {
        const StencilBlock& row = blocks[static_cast<std::size_t>(pair.row)];
        const StencilBlock& column = blocks[static_cast<std::size_t>(pair.column)];
        if (!StabilizingParts(row, column).correction_row) continue;
        const double* eta =
            local.data() + unknowns[static_cast<std::size_t>(column.unknown)].stabilizing_local;
        double* to = contribution.data() + unknowns[static_cast<std::size_t>(row.unknown)].stabilizing_local;
        for (int b = 0; b < column.size; ++b)
          for (int a = 0; a < row.size; ++a) to[a] += scale * *gradient++ * eta[b];
      }
    }
  }
  if (p.layout.ranks() > 1) {
    Vec sum = p.layout.create_vector();
    TRAMMEL_PETSC(VecZeroEntries(sum));
    p.layout.add_from_local(contribution, sum);
    p.layout.to_local(sum, contribution);
    TRAMMEL_PETSC(VecDestroy(&sum));
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += contribution[i];
}

RowStates& Assembler::row_states() { return parts_->states; }
const RowStates& Assembler::row_states() const { return parts_->states; }
bool Assembler::may_rest() const { return parts_->may_rest; }
bool Assembler::asleep(const RangePlan& plan, int i) const { return parts_->row_evaluation.asleep(plan, i); }
std::span<const RangePlan> Assembler::plans() const { return parts_->plans; }
int Assembler::pattern_changes() const { return parts_->pattern_changes; }
bool Assembler::each_instance(const State& state,
                              const std::function<void(const RangePlan&, int, const LocalState&)>& visit) {
  return parts_->each(state, visit);
}
bool Assembler::agree(LocalFault& fault, std::span<double> maxima) {
  std::array<double, block_kinds + 50> all{};
  auto& contribution = parts_->scales.contribution;
  const auto end = std::ranges::copy(maxima, std::ranges::copy(contribution, all.begin()).out).out;
  const bool fine = parts_->agree(fault, {all.begin(), end});
  std::copy_n(all.begin(), contribution.size(), contribution.begin());
  std::copy(all.begin() + block_kinds, end, maxima.begin());
  return fine;
}
void Assembler::throw_refused(const State& state) const { parts_->throw_refused(state); }
void Assembler::set_length(double length) { parts_->length = length; }

void Assembler::serialize(Archive& archive) {
  Parts& p = *parts_;
  std::vector<ConstraintRow> ever(p.ever_redundant.begin(), p.ever_redundant.end());
  archive(p.redundant, ever);
  p.ever_redundant = {ever.begin(), ever.end()};
}

Energy Assembler::energy(const State& state) {
  Parts& p = *parts_;
  Energy sum;
  if (!p.each(state, [&](const RangePlan& plan, int i, const LocalState& x) {
        if (!p.row_evaluation.asleep(plan, i)) sum += plan.range->energy(i, x);
      }))
    p.throw_refused(state);
  if (p.layout.ranks() > 1) {
    double all[4] = {sum.kinetic, sum.strain, sum.potential, sum.dissipated_power};
    MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, p.layout.comm());
    sum.kinetic = all[0], sum.strain = all[1], sum.potential = all[2], sum.dissipated_power = all[3];
  }
  return sum;
}

void Assembler::visit(const State& state,
                      const std::function<void(const ElementRange&, int, const LocalState&,
                                               const ReactionContributions&)>& visitor) {
  Parts& p = *parts_;
  if (!p.residual_everywhere(state)) p.throw_refused(state);
  if (!p.reaction_sides) p.reaction_sides.emplace(p.layout);
  p.reaction_sides->update(state, p.r_by_offset);
  static const ReactionContributions none;
  if (!p.each(state, [&](const RangePlan& plan, int i, const LocalState& x) {
        const ReactionContributions* const found = p.reaction_sides->of(plan.range->entity(i));
        const InstanceTraits& traits = plan.traits[static_cast<std::size_t>(i)];
        if (!traits.may_rest) {
          visitor(*plan.range, i, x, found == nullptr ? none : *found);
          return;
        }
        ReactionContributions its = found == nullptr ? none : *found;
        its.may_rest = traits.first_of_entity;
        its.active = !p.row_evaluation.asleep(plan, i);
        visitor(*plan.range, i, x, its);
      }))
    p.throw_refused(state);
}

}  // namespace trammel
