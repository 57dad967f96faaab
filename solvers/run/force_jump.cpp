#include "solvers/run/force_jump.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// Jumps below this fraction of the largest contribution need no restart.
constexpr double no_jump = 1e-6;

}  // namespace

ForceJump::ForceJump(Assembler& assembler, const State& state)
    : assembler_(assembler), r_(assembler.layout().create_vector()), before_(residual(state)) {}

std::vector<double> ForceJump::residual(const State& state) {
  // Outside the domain of an element nothing can be compared; the next step reports the error.
  if (!assembler_.residual(state, ConstraintLevel::acceleration, r_.get())) return {};
  const FieldScales& scales = assembler_.scales();
  for (std::size_t k = 0; k < scale_.size(); ++k) scale_[k] = std::max(scale_[k], scales.contribution[k]);
  const PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(r_.get(), &rows));
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || u.kind != BlockKind::state) continue;
    for (int k = 0; k < u.size; ++k) {
      const double rate = std::abs(state.rate[static_cast<std::size_t>(u.offset.dof + k)]);
      state_scale_ = std::max(state_scale_, std::max(rate, std::abs(rows[u.local + k])) / size(u, k, state));
    }
  }
  std::vector<double> all(rows, rows + assembler_.layout().owned_size());
  TRAMMEL_PETSC(VecRestoreArrayRead(r_.get(), &rows));
  return all;
}

double ForceJump::size(const UnknownBlock& u, int k, const State& state) const {
  const double typical = typical_size(assembler_.model().block(u.block).measure(k));
  return std::max(typical, std::abs(state.value[static_cast<std::size_t>(u.offset.value + k)]));
}

double ForceJump::scale(const UnknownBlock& u, int k, const State& state,
                        const AlgebraicSizes& algebraic) const {
  if (u.kind == BlockKind::algebraic) return algebraic.equation[static_cast<std::size_t>(u.local + k)];
  if (u.kind == BlockKind::state) return state_scale_ * size(u, k, state);
  const double own = scale_[static_cast<std::size_t>(u.kind)];
  if (u.kind != BlockKind::coordinate) return own;
  // Forces along coordinates may be rounding errors alone; they are therefore also compared with forces or moments on bodies.
  const Measure measure = assembler_.model().block(u.block).measure(k);
  const double force = scale_[static_cast<std::size_t>(BlockKind::position)],
               moment = scale_[static_cast<std::size_t>(BlockKind::rotation)];
  if (measure.is_angle()) return std::max(own, moment);
  return std::max({own, force, measure.is_length() ? 0.0 : moment}) / typical_size(measure);
}

bool ForceJump::at(const State& state) {
  const std::vector<double> after = residual(state);
  MPI_Allreduce(MPI_IN_PLACE, &state_scale_, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  AlgebraicSizes algebraic;
  const bool sized = !assembler_.has_algebraic() || algebraic_sizes(assembler_, state, algebraic);
  int jumps = sized && after.size() == before_.size() ? 0 : 1;
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || jumps != 0) break;
    for (int k = 0; k < u.size; ++k) {
      const auto i = static_cast<std::size_t>(u.local + k);
      if (std::abs(after[i] - before_[i]) > no_jump * scale(u, k, state, algebraic)) jumps = 1;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &jumps, 1, MPI_INT, MPI_MAX, assembler_.layout().comm());
  return jumps != 0;
}

}  // namespace trammel
