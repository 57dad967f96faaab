#include "solvers/linear/solver_options.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "solvers/linear/petsc_owned.hpp"
#include "trammel/error.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

/// What the command line gives the option, without its dash; "" for nothing.
std::string given(const char* prefix, const std::string& option) {
  std::array<char, 256> text{};
  PetscBool found = PETSC_FALSE;
  TRAMMEL_PETSC(
      PetscOptionsGetString(nullptr, prefix, ("-" + option).c_str(), text.data(), text.size(), &found));
  return found == PETSC_TRUE ? text.data() : "";
}

[[noreturn]] void refuse(const char* prefix, const std::string& option, const std::string& value,
                         const std::vector<std::string>& known) {
  const std::string near = did_you_mean(value, known);
  throw Error(fmt::format("option -{}{}: PETSc knows no '{}'{}", prefix == nullptr ? "" : prefix, option,
                          value, near.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : near));
}

void check(const char* prefix, const std::string& option, PetscFunctionList list) {
  const std::string value = given(prefix, option);
  if (value.empty()) return;
  const char** names = nullptr;
  int count = 0;
  TRAMMEL_PETSC(PetscFunctionListGet(list, &names, &count));
  std::vector<std::string> known;
  for (int i = 0; i < count && names[i] != nullptr; ++i) known.emplace_back(names[i]);
  TRAMMEL_PETSC(PetscFree(names));
  for (const std::string& each : known)
    if (each == value) return;
  refuse(prefix, option, value, known);
}

/// A package that has no factorization L U of the matrices in use here is as good as unknown.
void check_package(KSP ksp, const char* prefix) {
  const std::string option = "pc_factor_mat_solver_type", value = given(prefix, option);
  if (value.empty()) return;
  int ranks = 1;
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &ranks);
  const auto exists = [&](const std::string& package) {
    PetscBool known = PETSC_FALSE, of_matrix = PETSC_FALSE;
    TRAMMEL_PETSC(MatSolverTypeGet(package.c_str(), ranks > 1 ? MATMPIAIJ : MATSEQAIJ, MAT_FACTOR_LU, &known,
                                   &of_matrix, nullptr));
    return known == PETSC_TRUE && of_matrix == PETSC_TRUE;
  };
  if (exists(value)) return;
  std::vector<std::string> known;
  for (const char* const each : {MATSOLVERKLU, MATSOLVERMUMPS, MATSOLVERPETSC, MATSOLVERSUPERLU,
                                 MATSOLVERSUPERLU_DIST, MATSOLVERUMFPACK, MATSOLVERMKL_PARDISO})
    if (exists(each)) known.emplace_back(each);
  refuse(prefix, option, value, known);
}

}  // namespace

void check_linear_options(KSP ksp) {
  const char* prefix = nullptr;
  TRAMMEL_PETSC(KSPGetOptionsPrefix(ksp, &prefix));
  check(prefix, "ksp_type", KSPList);
  check(prefix, "pc_type", PCList);
  check_package(ksp, prefix);
}

void check_newton_options(SNES snes) {
  const char* prefix = nullptr;
  TRAMMEL_PETSC(SNESGetOptionsPrefix(snes, &prefix));
  check(prefix, "snes_type", SNESList);
  check(prefix, "snes_linesearch_type", SNESLineSearchList);
}

}  // namespace trammel
