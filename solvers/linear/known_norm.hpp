#pragma once

#include <petscvec.h>

namespace trammel {

/// Makes PETSc take `norm`, the same on every rank, for the 2-norm of x as long as x does not change. It then needs no reduction.
void tell_norm(Vec x, double norm);

}  // namespace trammel
