#pragma once

#include "solvers/petsc_owned.hpp"
#include "trammel/layout.hpp"

namespace trammel {

/// The default of every linear solve: one direct solve, by KLU on one rank and MUMPS on several. Options from
/// the command line come after it.
void set_default_solver(KSP ksp, int ranks);

/// While it lives, KLU's ordering for a layout with more than a few multipliers is COLAMD, without a block triangular form
/// before. Their diagonal is zero, and the permutation by which BTF puts other entries there lets the symmetric ordering AMD
/// fill the factors, without bound for some chains of joints. Options -mat_klu_ordering and -mat_klu_use_btf that are given
/// stay as they are. PETSc reads these options where it makes a factor: in KSPSetUp, or before, with the other options.
class DefaultOrdering {
 public:
  explicit DefaultOrdering(const Layout& layout);
  ~DefaultOrdering();
  DefaultOrdering(const DefaultOrdering&) = delete;
  DefaultOrdering& operator=(const DefaultOrdering&) = delete;

 private:
  bool set_ = false;
};

/// Sets the solver up for its operators. False where the factorization failed, by whatever sign the package
/// gives; `broken` is set where the solver must be made anew. Collective.
bool factorize(KSP ksp, const Layout& layout, bool& broken);

}  // namespace trammel
