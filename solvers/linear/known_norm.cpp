#include "solvers/linear/known_norm.hpp"

// VecNorm keeps norms in this way. Only a private header has the name under which it looks for them.
#include <petsc/private/vecimpl.h>

#include "kernel/petsc_call.hpp"

namespace trammel {

void tell_norm(Vec x, double norm) {
  TRAMMEL_PETSC(PetscObjectComposedDataSetReal(reinterpret_cast<PetscObject>(x), NormIds[NORM_2], norm));
}

}  // namespace trammel
