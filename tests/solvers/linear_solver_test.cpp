#include "solvers/linear_solver.hpp"

#include <gtest/gtest.h>

#include <string>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

std::string option(const char* name) {
  char text[32] = "";
  PetscBool found = PETSC_FALSE;
  TRAMMEL_PETSC(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof text, &found));
  return found == PETSC_TRUE ? text : "-";
}

TEST(LinearSolver, orders_by_columns_where_there_are_multipliers_and_leaves_options_as_they_are) {
  HeavyTop top;
  {
    const DefaultOrdering scope(*top.layout);
    EXPECT_EQ(option("-mat_klu_ordering"), "COLAMD");
    EXPECT_EQ(option("-mat_klu_use_btf"), "0");
  }
  EXPECT_EQ(option("-mat_klu_ordering"), "-");
  EXPECT_EQ(option("-mat_klu_use_btf"), "-");
  TRAMMEL_PETSC(PetscOptionsSetValue(nullptr, "-mat_klu_ordering", "AMD"));
  {
    const DefaultOrdering scope(*top.layout);
    EXPECT_EQ(option("-mat_klu_ordering"), "AMD");
    EXPECT_EQ(option("-mat_klu_use_btf"), "-");
  }
  EXPECT_EQ(option("-mat_klu_ordering"), "AMD");
  TRAMMEL_PETSC(PetscOptionsClearValue(nullptr, "-mat_klu_ordering"));
}

}  // namespace
}  // namespace trammel::testing
