#include "solvers/constraints/constraint_turn.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "trammel/index.hpp"

namespace trammel {

namespace {

constexpr int early = 10, late = 50;  // a look in so many steps
constexpr int early_looks = 10;
constexpr int least_looks = 5;
// Blocks whose reactions are less than this part of the largest ones do not count.
constexpr double faint = 1e-3;

/// h^2 acceleration over displacement for a factor z a step along a fixed direction (Chung and Hulbert 1993).
std::complex<double> response(double rho, std::complex<double> z) {
  const std::complex<double> a = (1 + rho) * (z - 1.0), b = z + rho;
  return a * a * ((2 - rho) * z + 2 * rho - 1) / (b * b * b);
}

}  // namespace

double ConstraintTurn::limit(double radius) {
  // In circular motion factors z solve Re G(z e^{i theta}) + Re G(z e^{-i theta}) = 2 Re G(e^{i theta}); z = -1 is the first to leave.
  const auto open = [&](double theta) {
    const std::complex<double> turn = std::polar(1.0, theta);
    return response(radius, -turn).real() - response(radius, turn).real();
  };
  double low = 1e-4, high = 0.5 * std::numbers::pi;
  if (open(low) < 0) return low;
  if (open(high) > 0) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (open(middle) > 0 ? low : high) = middle;
  }
  return low;
}

bool ConstraintTurn::reactions(const State& where, std::vector<double>& forces) const {
  Assembler& assembler = system_.assembler();
  const Layout& layout = assembler.layout();
  State free = where;
  for (const UnknownBlock& u : layout.unknowns())
    if (is_multiplier(u.kind)) std::fill_n(&free.value[at(u.offset.value)], u.size, 0.0);
  forces.assign(at(static_cast<int>(layout.owned_size())), 0.0);
  const OwnedVec r(layout.create_vector());
  double sign = 1;
  for (const State* state : {&where, static_cast<const State*>(&free)}) {
    if (!assembler.residual(*state, ConstraintLevel::position, r.get())) return false;
    const PetscScalar* rows = nullptr;
    TRAMMEL_PETSC(VecGetArrayRead(r.get(), &rows));
    for (std::size_t i = 0; i < forces.size(); ++i) forces[i] += sign * rows[i];
    TRAMMEL_PETSC(VecRestoreArrayRead(r.get(), &rows));
    sign = -1;
  }
  return true;
}

bool ConstraintTurn::look(const State& base, const State& end) {
  const Layout& layout = system_.assembler().layout();
  State before = base;
  for (const UnknownBlock& u : layout.unknowns())
    if (is_multiplier(u.kind))
      std::copy_n(&end.value[at(u.offset.value)], u.size, &before.value[at(u.offset.value)]);
  std::vector<double> old_forces, forces;
  if (!reactions(before, old_forces) || !reactions(end, forces)) return false;
  if (!mass_) mass_.emplace(system_.assembler(), system_.scales(), system_.timings());
  if (!mass_->prepare(end, {.keep_compliant = true})) return false;
  std::vector<double> turned(forces.size(), 0.0);
  mass_->each_owned([&](const UnknownBlock& u, double* rows) {
    for (int k = 0; k < u.size; ++k) {
      turned[at(u.local + k)] = old_forces[at(u.local + k)] - forces[at(u.local + k)];
      rows[k] = is_kinematic(u.kind) ? turned[at(u.local + k)] : 0;
    }
  });
  if (!mass_->solve()) return false;
  // The part that the reactions at the end balance is subtracted; the rest moves the model.
  State taken = end;
  for (const UnknownBlock& u : layout.unknowns())
    if (is_multiplier(u.kind))
      for (int k = 0; k < u.size; ++k)
        taken.value[at(u.offset.value + k)] = mass_->scales().mass * mass_->solution()[at(u.local + k)];
  std::vector<double> of_those;
  if (!reactions(taken, of_those)) return false;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || u.kind != BlockKind::position) continue;
    auto& [moving, whole] = sums_[u.block];
    for (int i = u.local; i < u.local + u.size; ++i) {
      moving += (turned[at(i)] - of_those[at(i)]) * (turned[at(i)] - of_those[at(i)]);
      whole += forces[at(i)] * forces[at(i)];
    }
  }
  return true;
}

void ConstraintTurn::take(const State& base, const State& end) {
  ++steps_;
  if (steps_ % (looks_ < early_looks ? early : late) != 0) return;
  if (!look(base, end)) return;
  ++looks_;
  MPI_Comm comm = system_.assembler().layout().comm();
  double largest = 0, square = 0;
  for (const auto& [block, sums] : sums_) largest = std::max(largest, sums[1]);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (!(largest > 0)) return;
  for (const auto& [block, sums] : sums_)
    square = std::max(square, sums[0] / std::max(sums[1], faint * faint * largest));
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (looks_ >= least_looks) mean_ = std::sqrt(square);
}

}  // namespace trammel
