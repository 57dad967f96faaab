#include "solvers/constraints/velocity_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/newton/by_kind.hpp"
#include "solvers/newton/finite_numbers.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Cost of a new matrix, in solves with their residuals.
constexpr int price = 4;
// If even a new matrix of its own contracts worse than this, forces are nonlinear and the matrix is made again.
constexpr double nonlinear = 0.1;
// Renewals of stale rows in a correction, before all rows are made again.
constexpr int most_renewals = 2;
// If a new tangent contracts worse than this, stiffnesses count in it.
constexpr double stiff = 0.03;
// The largest stiffness of a row, over the typical inertia there, in a tangent that is tried.
constexpr double most_stiffness = 1;

}  // namespace

void VelocityMatrix::look_for_massless(const State& state, double ratio) {
  if (newton_ != nullptr && sharing_ == Sharing::unknown && !own_.knows_massless())
    own_.prepare(state, {.damping = 1 / ratio, .factorize = false});
}

bool VelocityMatrix::may_share(const State& state, double ratio) {
  if (newton_ == nullptr || !newton_->has_tangent()) return false;
  if (sharing_ != Sharing::unknown) return sharing_ == Sharing::yes;
  if (!own_.knows_massless()) look_for_massless(state, ratio);
  if (!own_.knows_massless()) return false;
  Assembler& assembler = own_.assembler();
  const Layout& layout = assembler.layout();
  int may = own_.massless().empty() ? 1 : 0;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (u.size == 0) continue;
    if (!is_kinematic(u.kind) && !is_multiplier(u.kind)) may = 0;
    if (u.kind == BlockKind::multiplier &&
        std::ranges::any_of(assembler.model().block(u.block).rows, &Row::compliant))
      may = 0;
  }
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, &may, 1, MPI_INT, MPI_MIN, layout.comm());
  runs_ = runs_of(layout);
  y_.reset();
  const ModelScales& scales = own_.scales();
  const double inertia = scales.mass * newton_->equations().coefficients().acceleration;
  if (scales.stiffest > most_stiffness * inertia) may = 0;
  sharing_ = may != 0 ? Sharing::yes : Sharing::no;
  return may != 0;
}

void VelocityMatrix::begin_life(bool shared) {
  shared_ = shared;
  contraction_.renew(shared, shared && newton_->is_renewed_in_part());
  steps_ = solves_ = 0;
}

bool VelocityMatrix::make_own(const State& state, double ratio) {
  begin_life(false);
  ratio_ = ratio;
  const bool fine = own_.prepare(state, {.damping = 1 / ratio, .keep_compliant = true});
  number_ = fine ? own_.preparation() : 0;
  if (!fine) why_ = own_.why();
  return fine;
}

bool VelocityMatrix::begin(const State& state, double ratio) {
  renewals_ = 0;
  const bool shares = may_share(state, ratio);
  const int number = shares ? newton_->tangent_number() : own_.preparation();
  const bool at_hand = shared_ == shares && number_ != 0 && number_ == number &&
                       (shares || std::abs(ratio / ratio_ - 1) < 0.01);
  if (at_hand) contraction_.keep();
  is_tried_ = at_hand && !contraction_.is_known();
  if (at_hand) return true;
  if (!shares) return make_own(state, ratio);
  begin_life(true);
  number_ = number;
  return true;
}

bool VelocityMatrix::renew(const State& state, double ratio) {
  const bool is_new = contraction_.is_new();
  const bool whole_is_new = is_new && !(shared_ && newton_->is_renewed_in_part());
  if (shared_ && whole_is_new) sharing_ = Sharing::no;
  if (!shared_ || whole_is_new) return make_own(state, ratio);
  if (is_new && ++renewals_ > most_renewals) newton_->renew_whole();
  if (!newton_->renew_tangent()) return replace(state, ratio);
  begin_life(true);
  number_ = newton_->tangent_number();
  return true;
}

bool VelocityMatrix::replace(const State& state, double ratio) {
  if (shared_) {
    sharing_ = Sharing::no;
    return make_own(state, ratio);
  }
  own_.give_up();
  why_ = own_.why();
  number_ = 0;
  return false;
}

bool VelocityMatrix::solve_here() {
  if (!shared_) return own_.solve_here(true);
  const StepCoefficients& c = newton_->equations().coefficients();
  // The balance of forces times c_a, and constraints times the factor that Newton's equations have there.
  const double of_forces = c.acceleration, of_constraints = own_.scales().mass * c.acceleration;
  const RowStatuses& statuses = own_.assembler().statuses();
  PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArray(own_.r(), &rows));
  for (const UnknownRun& run : runs_)
    if (run.owned)
      RunNumbers(rows + run.local, run.size) *=
          run.of == UnknownRun::Of::multipliers ? of_constraints : of_forces;
  TRAMMEL_PETSC(VecRestoreArray(own_.r(), &rows));
  if (!statuses.rows().empty())
    own_.each_owned([&](const UnknownBlock& u, double* its) {
      for (int k = 0; is_multiplier(u.kind) && k < u.size; ++k)
        if (statuses.of(u.block, k) == RowStatus::slips) its[k] *= c.acceleration / c.velocity;
    });
  const Layout& layout = own_.assembler().layout();
  const bool alone = layout.ranks() == 1;
  if (!y_ && alone) {
    solution_.assign(at(layout.local_size()), 0.0);
    TRAMMEL_PETSC(VecCreateSeqWithArray(layout.comm(), 1, layout.local_size(), solution_.data(), y_.fill()));
  } else if (!y_) {
    TRAMMEL_PETSC(VecDuplicate(own_.r(), y_.fill()));
  }
  const double begin = MPI_Wtime();
  const bool solved = newton_->solve_linear(own_.r(), y_.get());
  own_.timings().solve += MPI_Wtime() - begin;
  if (!solved) return false;
  if (!alone) layout.to_local(y_.get(), solution_);
  return all_finite(solution_);
}

void VelocityMatrix::look_for_stale_rows(double velocity, double acceleration, double ratio) {
  if (!shared_) return;
  const StepCoefficients& c = newton_->equations().coefficients();
  const double of_forces = acceleration * c.acceleration / ratio;
  const ModelScales& scales = own_.scales();
  StaleRows::Limits most{};
  most[kind_at(BlockKind::position)] = of_forces * scales.mass;
  most[kind_at(BlockKind::rotation)] = of_forces * scales.inertia;
  most[kind_at(BlockKind::coordinate)] = of_forces * scales.generalized_inertia;
  const auto tolerance = newton_->kind_tolerance();
  for (std::size_t k = 0; k < most.size(); ++k)
    most[k] = std::max(most[k], c.acceleration / ratio * tolerance[k]);
  most[kind_at(BlockKind::multiplier)] = velocity;
  most[kind_at(BlockKind::velocity_multiplier)] = c.velocity * velocity;
  newton_->look_for_stale_rows(own_.r(), most, true);
}

bool VelocityMatrix::is_slow(double bent, double left) const {
  if (!contraction_.is_known() || contraction_.is_hidden()) return false;
  if (contraction_.is_new()) return contraction_.later() > (shared_ ? stiff : nonlinear);
  return !(contraction_.left_after(price - 2, bent) * left <= 1);
}

void VelocityMatrix::used(int solves) {
  // A second solve that shows what the first one has left is no reason for a new matrix.
  if (is_tried_ && solves > 1) --solves;
  ++steps_;
  solves_ += solves;
  // The matrix is kept while a step takes at most the average number of solves since it was made, with its own price.
  if (solves * steps_ <= price + solves_) return;
  number_ = 0;
  if (shared_) newton_->expire_tangent();
}

void VelocityMatrix::drop() {
  sharing_ = Sharing::unknown;
  shared_ = false;
  number_ = 0;
  contraction_.forget();
}

}  // namespace trammel
