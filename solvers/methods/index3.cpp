#include "solvers/methods/index3.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/linear/petsc_owned.hpp"

namespace trammel {

bool Index3::close(State& solution, double h, const AlphaCoefficients&, bool) {
  solution_ = &solution;
  step_ = h;
  return true;
}

std::string Index3::warning() const {
  const double limit = ConstraintTurn::limit(radius_), turn = turn_.mean();
  if (!(turn > limit)) return {};
  return fmt::format(
      "the directions of constraints turn by {:.2g} rad a step; beyond {:.2g} rad steps of index 3 with "
      "radius {:g} gain energy without bound: use `form: projected`, or steps of {:.2g} s",
      turn, limit, radius_, 0.8 * step_ * limit / turn);
}

double Index3::rate_at_end(const State& state) {
  const Layout& layout = assembler_.layout();
  const OwnedVec r(layout.create_vector());
  if (!assembler_.residual(state, ConstraintLevel::velocity, r.get())) return HUGE_VAL;
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

}  // namespace trammel
