#include "solvers/index3.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/petsc_owned.hpp"

namespace trammel {

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
