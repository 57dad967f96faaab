#include "kernel/assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "kernel/algebraic_rules.hpp"
#include "kernel/algebraic_sizes.hpp"
#include "kernel/collective_errors.hpp"
#include "kernel/diagnostic_sinks.hpp"
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

/// Takes residual shares by place, with the chosen equations in the rows of multipliers.
class ResidualSink final : public ShareSink {
 public:
  ResidualSink(ConstraintLevel level, bool companions, const RowStatuses& statuses, std::vector<double>& r,
               std::vector<double>& rates, FieldScales& fields)
      : level_(level), companions_(companions), statuses_(statuses), r_(r), rates_(rates), fields_(fields) {}

  void begin(const RangePlan& plan, const State& state) {
    plan_ = &plan;
    state_ = &state;
    evaluated = 0;
  }

  void add(int i, LocalSystem& share) override {
    auto residual = share.residual();
    const BlockPlace* places = plan_->place_of[static_cast<std::size_t>(i)];
    const auto blocks = plan_->stencil(i);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const StencilBlock& b = blocks[k];
      if (b.kind == BlockKind::multiplier && level_ != ConstraintLevel::position)
        residual.segment(b.offset, b.size) =
            level_ == ConstraintLevel::velocity
                ? Eigen::VectorXd(share.rate().segment(b.offset, b.size))
                : at_acceleration_level(blocks, places, *state_, b, share.bias().segment(b.offset, b.size),
                                        share.K());
      const bool slips = b.may_rest && statuses_.of(b.id, 0) == RowStatus::slips;
      if (b.kind == BlockKind::velocity_multiplier && level_ == ConstraintLevel::acceleration && !slips)
        residual.segment(b.offset, b.size) = at_acceleration_level(
            blocks, places, *state_, b, share.bias().segment(b.offset, b.size), share.D());
      double largest = 0;
      for (int j = 0; j < b.size; ++j) {
        const double value = residual[b.offset + j];
        const auto at = static_cast<std::size_t>(places[k].dof + j);
        r_[at] += value;
        largest = std::max(largest, std::abs(value));
      }
      if (b.nominal != nullptr) largest = largest_of_nominal(b, residual.segment(b.offset, b.size));
      double& field = fields_.share[static_cast<std::size_t>(kind_index(b.kind))];
      field = std::max(field, largest);
      if (companions_ && b.kind == BlockKind::multiplier && share.has_rate())
        for (int j = 0; j < b.size; ++j)
          rates_[static_cast<std::size_t>(places[k].dof + j)] += share.rate()[b.offset + j];
    }
    evaluated = i + 1;
  }

  int evaluated = 0;

 private:
  ConstraintLevel level_;
  bool companions_;
  const RowStatuses& statuses_;
  std::vector<double>&r_, &rates_;
  FieldScales& fields_;
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
};

// What is smaller by rounding alone is as large: a message names the first of such, whichever rank has it.
constexpr double as_large = 1 - 1e-9;

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
  std::vector<ConstraintRow> left_out;
  std::set<ConstraintRow> ever_left_out;    ///< rows that have a diagonal of their own in the pattern
  std::size_t left_out_begin = 0;           ///< where these begin
  std::vector<std::size_t> silent_entries;  ///< what instances give to the rows left out
  std::vector<char> left_out_diagonal;      ///< by diagonal: of a row that is left out
  std::vector<PetscScalar> entries;
  std::vector<double> kept;
  std::vector<double> r_place, rate_place, local;
  State zeroed;
  const State* zeroed_from = nullptr;  ///< within one evaluation
  FieldScales scales;
  Cost cost;
  std::string rejection;
  double length = 1;  ///< of the model [m]
  int revision = 0;

  void plan() {
    ++revision;
    pattern = {};
    plans = plan_ranges(model, layout, pattern);
    diagonal_begin = pattern.rows.size();
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && is_kinematic(u.kind) && u.companion_local >= 0)
        for (int k = 0; k < u.size; ++k) {
          pattern.rows.push_back(u.companion_global + k);
          pattern.columns.push_back(u.companion_global + k);
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
    plan_left_out();
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
    r_place.assign(layout.dof_count(), 0.0);
    rate_place.assign(layout.dof_count(), 0.0);
    local.assign(static_cast<std::size_t>(layout.local_size()), 0.0);
  }

  void plan_left_out() {
    left_out_begin = pattern.rows.size();
    for (const ConstraintRow& row : ever_left_out)
      each_number(row, [&](const UnknownBlock& u, PetscInt number) {
        if (!u.owned) return;
        pattern.rows.push_back(number);
        pattern.columns.push_back(number);
      });
    find_silent();
  }

  /// `visit(unknown block, number of the row or of its companion)` where the row is known.
  template <class Visit>
  void each_number(const ConstraintRow& row, Visit&& visit) const {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    if (u == nullptr) return;
    for (const PetscInt first : {u->global, u->companion_global})
      if (first >= 0) visit(*u, first + row.component);
  }

  void find_silent() {
    silent_entries.clear();
    left_out_diagonal.clear();
    std::vector<PetscInt> rows;
    for (const ConstraintRow& row : left_out)
      each_number(row, [&](const UnknownBlock&, PetscInt number) { rows.push_back(number); });
    std::ranges::sort(rows);
    if (!rows.empty())
      for (std::size_t k = 0; k < left_out_begin; ++k)
        if (std::ranges::binary_search(rows, pattern.rows[k])) silent_entries.push_back(k);
    for (std::size_t k = left_out_begin; k < pattern.rows.size(); ++k)
      left_out_diagonal.push_back(std::ranges::binary_search(rows, pattern.rows[k]) ? 1 : 0);
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

  /// Evaluates every range; `skip` says which to leave out. `maxima`: as LocalFault::agree. Returns false, on all ranks, where a step is rejected.
  template <class Sink, class Begin, class Skip>
  bool evaluate(const State& state, const Request& request, Sink& sink, Begin&& begin, Skip&& skip,
                std::span<double> maxima = {}) {
    LocalFault fault;
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
            plan.range->evaluate(run.first, run.last, state, plan.place_of, request, sink);
        }
      }
    } catch (...) {
      const int i = at == nullptr ? 0 : std::min(sink.evaluated, at->range->size() - 1);
      const Entity* entity =
          at == nullptr ? nullptr : &model.entities[static_cast<std::size_t>(at->range->entity(i))];
      fault.capture(entity, layout.rank(), state.time);
    }
    return agree(fault, maxima);
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
            std::fill_n(zeroed.value.begin() + plan.place_of[static_cast<std::size_t>(i)][k].value,
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
          visit(plan, i, LocalState(state, plan.place_of[static_cast<std::size_t>(i)]));
        }
      }
    } catch (...) {
      fault.capture(&model.entities[static_cast<std::size_t>(at->range->entity(i))], layout.rank(),
                    state.time);
    }
    return agree(fault);
  }

  bool residual(const State& state, ConstraintLevel level) {
    std::ranges::fill(r_place, 0.0);
    std::ranges::fill(rate_place, 0.0);
    scales = {};
    Request request;
    request.rates = layout.stabilized() || level == ConstraintLevel::velocity;
    request.bias = request.tangent = level == ConstraintLevel::acceleration;
    // Where rates count positions are those at multipliers of zero, as the rates are.
    request.rigid = layout.stabilized() || level == ConstraintLevel::acceleration;
    ResidualSink sink(level, layout.stabilized(), states.statuses, r_place, rate_place, scales);
    return evaluate(
        state, request, sink, [&](const RangePlan& plan) { sink.begin(plan, state); },
        [](const RangePlan&) { return false; }, scales.share);
  }

  /// Folds numbers by place into those by local unknown: blocks into their roots.
  void fold(const std::vector<double>& by_place, std::vector<double>& out, bool rotate) const {
    const auto unknowns = layout.unknowns();
    for (const UnknownBlock& u : unknowns)
      std::copy_n(by_place.begin() + u.place.dof, u.size, out.begin() + u.local);
    const auto known = layout.known_blocks();
    for (std::size_t k = unknowns.size(); k < known.size(); ++k) {
      const BlockId id = known[k];
      const UnknownBlock* u = layout.unknown_of(id);
      if (u == nullptr) continue;
      const BlockRoot& root = layout.root(id);
      const double* share = by_place.data() + layout.place(id).dof;
      double* to = out.data() + u->local;
      if (root.rotated && rotate)
        Eigen::Map<Vec3>(to) += root.Q * Eigen::Map<const Vec3>(share);
      else
        for (int j = 0; j < u->size; ++j) to[j] += share[j];
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
std::span<const double> Assembler::residual_by_place() const { return parts_->r_place; }
Assembler::Cost Assembler::cost() const { return parts_->cost; }

bool Assembler::residual(const State& state, ConstraintLevel level, Vec r) {
  Parts& p = *parts_;
  const double start = MPI_Wtime();
  const bool fine = p.residual(state, level);
  if (fine) {
    if (p.layout.stabilized()) std::ranges::fill(p.local, 0.0);
    p.fold(p.r_place, p.local, true);
    if (p.layout.stabilized())
      for (const UnknownBlock& u : p.layout.unknowns())
        if (u.kind == BlockKind::multiplier && u.companion_local >= 0)
          std::copy_n(p.rate_place.begin() + u.place.dof, u.size, p.local.begin() + u.companion_local);
    TRAMMEL_PETSC(VecZeroEntries(r));
    p.layout.add_from_local(p.local, r);
  }
  p.cost.residual += MPI_Wtime() - start;
  return fine;
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
  const auto silent = p.entries.begin() + static_cast<std::ptrdiff_t>(p.left_out_begin);
  const double kept = weights.column[static_cast<std::size_t>(kind_index(BlockKind::multiplier))];
  std::fill(diagonal, held, weights.companion_row_mu * weights.companion_column_mu);
  std::fill(held, silent, weights.hold_algebraic ? kept : 0.0);
  if (weights.all_rows) {
    std::fill(silent, p.entries.end(), 0.0);
  } else {
    std::ranges::transform(p.left_out_diagonal, silent, [&](char out) { return out != 0 ? kept : 0.0; });
    for (const std::size_t k : p.silent_entries) p.entries[k] = 0;
  }
  TRAMMEL_PETSC(MatSetValuesCOO(J, p.entries.data(), INSERT_VALUES));
  p.cost.assembly += MPI_Wtime() - evaluated;
  return true;
}

bool Assembler::leave_out(std::vector<ConstraintRow> rows) {
  Parts& p = *parts_;
  p.left_out = std::move(rows);
  const std::size_t before = p.ever_left_out.size();
  p.ever_left_out.insert(p.left_out.begin(), p.left_out.end());
  if (p.ever_left_out.size() == before) {
    p.find_silent();
    return false;
  }
  p.plan();
  return true;
}
std::span<const ConstraintRow> Assembler::left_out() const { return parts_->left_out; }

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
  std::vector<double> share(out.size(), 0.0);
  const auto unknowns = p.layout.unknowns();
  for (const RangePlan& plan : p.plans) {
    if (!plan.has_constraints) continue;
    for (const int i : plan.instances) {
      const double* gradient = p.kept.data() + plan.kept_begin[static_cast<std::size_t>(i)];
      const auto blocks = plan.stencil(i);
      for (const BlockPair& pair : plan.coupled(i)) {
        const StencilBlock& row = blocks[static_cast<std::size_t>(pair.row)];
        const StencilBlock& column = blocks[static_cast<std::size_t>(pair.column)];
        if (!CompanionParts(row, column).correction_row) continue;
        const double* eta = local.data() + unknowns[static_cast<std::size_t>(column.unknown)].companion_local;
        double* to = share.data() + unknowns[static_cast<std::size_t>(row.unknown)].companion_local;
        for (int b = 0; b < column.size; ++b)
          for (int a = 0; a < row.size; ++a) to[a] += scale * *gradient++ * eta[b];
      }
    }
  }
  if (p.layout.ranks() > 1) {
    Vec sum = p.layout.create_vector();
    TRAMMEL_PETSC(VecZeroEntries(sum));
    p.layout.add_from_local(share, sum);
    p.layout.to_local(sum, share);
    TRAMMEL_PETSC(VecDestroy(&sum));
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += share[i];
}

RowStates& Assembler::row_states() { return parts_->states; }
const RowStates& Assembler::row_states() const { return parts_->states; }
bool Assembler::may_rest() const { return parts_->may_rest; }
bool Assembler::asleep(const RangePlan& plan, int i) const { return parts_->row_evaluation.asleep(plan, i); }
std::span<const RangePlan> Assembler::plans() const { return parts_->plans; }
int Assembler::revision() const { return parts_->revision; }
bool Assembler::each_instance(const State& state,
                              const std::function<void(const RangePlan&, int, const LocalState&)>& visit) {
  return parts_->each(state, visit);
}
bool Assembler::agree(LocalFault& fault) { return parts_->agree(fault); }
void Assembler::throw_refused(const State& state) const { parts_->throw_refused(state); }
void Assembler::set_length(double length) { parts_->length = length; }

void Assembler::serialize(Archive& archive) {
  Parts& p = *parts_;
  std::vector<ConstraintRow> ever(p.ever_left_out.begin(), p.ever_left_out.end());
  archive(p.left_out, ever);
  p.ever_left_out = {ever.begin(), ever.end()};
}

Energy Assembler::energy(const State& state) {
  Parts& p = *parts_;
  Energy sum;
  if (!p.each(state, [&](const RangePlan& plan, int i, const LocalState& x) {
        if (!p.row_evaluation.asleep(plan, i)) sum += plan.range->energy(i, x);
      }))
    p.throw_refused(state);
  if (p.layout.ranks() > 1) {
    double all[4] = {sum.kinetic, sum.strain, sum.potential, sum.lost_power};
    MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, p.layout.comm());
    sum = {all[0], all[1], all[2], all[3]};
  }
  return sum;
}

std::string Assembler::not_finite(const State& state, ConstraintLevel level,
                                  const TangentWeights& weights) const {
  const Parts& p = *parts_;
  Request request;
  request.tangent = true;
  request.rates = p.layout.stabilized() || level == ConstraintLevel::velocity;
  request.bias = level == ConstraintLevel::acceleration;
  constexpr int none = std::numeric_limits<int>::max();
  int first[2] = {none, none};  // entities: residual, tangent
  FiniteSink sink(weights);
  for (const RangePlan& plan : p.plans)
    for (const int i : plan.instances) {
      sink.residual = sink.tangent = true;
      try {
        if (p.row_evaluation.asleep(plan, i)) continue;
        plan.range->evaluate(i, i + 1, state, plan.place_of, request, sink);
      } catch (...) {  // has been reported where it was evaluated first
        continue;
      }
      const int entity = plan.range->entity(i);
      if (!sink.residual) first[0] = std::min(first[0], entity);
      if (!sink.tangent) first[1] = std::min(first[1], entity);
    }
  MPI_Allreduce(MPI_IN_PLACE, first, 2, MPI_INT, MPI_MIN, p.layout.comm());
  const int found = first[0] != none ? first[0] : first[1];
  if (found == none) return {};
  const Entity& e = p.model.entities[static_cast<std::size_t>(found)];
  const std::string where = e.where.text();
  return fmt::format("the {} of {} '{}' (type '{}' of plugin '{}'{}{})",
                     first[0] != none ? "residual" : "tangent", e.category, e.name, e.type, e.plugin,
                     where.empty() ? "" : ", ", where);
}

WorstResidual Assembler::worst(const State& state, ConstraintLevel level,
                               std::span<const double> kind_scale) {
  Parts& p = *parts_;
  Vec r = p.layout.create_vector();
  std::vector<double> local;
  WorstResidual result;
  if (!residual(state, level, r)) {
    TRAMMEL_PETSC(VecDestroy(&r));
    return result;
  }
  p.layout.to_local(r, local);
  TRAMMEL_PETSC(VecDestroy(&r));
  AlgebraicSizes algebraic;
  if (p.algebraic) algebraic_sizes(state, algebraic);
  // A nominal number counts by its size, and what acts on it by what it does along that.
  const auto size_of = [&](const UnknownBlock& u, int k) {
    double value = std::abs(local[static_cast<std::size_t>(u.local + k)]);
    const Measure measure = p.model.block(u.block).measure(k);
    if (u.kind == BlockKind::algebraic) {
      const auto i = static_cast<std::size_t>(u.local + k);
      if (i < algebraic.equation.size() && algebraic.equation[i] > 0) value /= algebraic.equation[i];
    } else if (measure.dimension == Dimension::nominal)
      value = is_kinematic(u.kind) ? value * measure.size : value / measure.size;
    const double scaled = value / std::max(kind_scale[static_cast<std::size_t>(kind_index(u.kind))], 1e-300);
    return std::isnan(scaled) ? std::numeric_limits<double>::infinity() : scaled;
  };
  double largest = -1;
  for (const UnknownBlock& u : p.layout.unknowns())
    for (int k = 0; u.owned && k < u.size; ++k) largest = std::max(largest, size_of(u, k));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, p.layout.comm());
  BlockId mine = no_block;
  int component = 0;
  double raw = 0;
  for (const UnknownBlock& u : p.layout.unknowns())
    for (int k = 0; u.owned && k < u.size; ++k)
      if ((mine == no_block || u.block < mine) && size_of(u, k) >= as_large * largest) {
        mine = u.block;
        component = k;
        raw = std::abs(local[static_cast<std::size_t>(u.local + k)]);
      }
  const auto [block, from] = first_block(mine, p.layout.comm());
  if (block == no_block) return result;
  MPI_Bcast(&component, 1, MPI_INT, from, p.layout.comm());
  MPI_Bcast(&raw, 1, MPI_DOUBLE, from, p.layout.comm());
  result.value = raw;
  result.block = block;
  result.component = component;
  // Other ranks need not know the block.
  std::string about;
  if (from == p.layout.rank()) {
    const Block& b = p.model.block(result.block);
    const std::string unit = is_multiplier(b.kind) ? b.measure(result.component).unit() : b.unit;
    about = static_cast<char>('0' + kind_index(b.kind)) + unit + '\n' + b.name;
  }
  share_text(about, from, p.layout.comm());
  const std::size_t end = about.find('\n');
  result.kind = static_cast<BlockKind>(about[0] - '0');
  result.unit = about.substr(1, end - 1);
  result.name = about.substr(end + 1);

  const UnknownBlock* u = p.layout.knows(result.block) ? p.layout.unknown_of(result.block) : nullptr;
  WorstShareSink sink(u == nullptr ? -2 : static_cast<std::int32_t>(u - p.layout.unknowns().data()),
                      result.component);
  if (!p.evaluate(
          state, Request{}, sink, [&](const RangePlan& plan) { sink.begin(plan); },
          [](const RangePlan&) { return false; }))
    return result;
  double largest_share = sink.largest;
  MPI_Allreduce(MPI_IN_PLACE, &largest_share, 1, MPI_DOUBLE, MPI_MAX, p.layout.comm());
  constexpr int none = std::numeric_limits<int>::max();
  int entity = sink.entity >= 0 && sink.largest >= as_large * largest_share ? sink.entity : none;
  MPI_Allreduce(MPI_IN_PLACE, &entity, 1, MPI_INT, MPI_MIN, p.layout.comm());
  if (entity != none) {
    const Entity& e = p.model.entities[static_cast<std::size_t>(entity)];
    result.entity = fmt::format("{} '{}' ({})", e.category, e.name, e.type);
    result.where = e.where;
  }
  return result;
}

void Assembler::visit(
    const State& state,
    const std::function<void(const ElementRange&, int, const LocalState&, const ReactionShares&)>& visitor) {
  Parts& p = *parts_;
  if (!p.residual(state, ConstraintLevel::position)) p.throw_refused(state);
  const std::map<int, ReactionShares> shares = reaction_shares(p.layout, state, p.r_place);
  static const ReactionShares none;
  if (!p.each(state, [&](const RangePlan& plan, int i, const LocalState& x) {
        const auto found = shares.find(plan.range->entity(i));
        const InstanceTraits& traits = plan.traits[static_cast<std::size_t>(i)];
        if (!traits.may_rest) {
          visitor(*plan.range, i, x, found == shares.end() ? none : found->second);
          return;
        }
        ReactionShares its = found == shares.end() ? none : found->second;
        its.may_rest = traits.first_of_entity;
        its.active = !p.row_evaluation.asleep(plan, i);
        visitor(*plan.range, i, x, its);
      }))
    p.throw_refused(state);
}

}  // namespace trammel
