#include "solvers/linear/partial_lu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "trammel/index.hpp"

namespace trammel::testing {
namespace {

/// Springs around a ring, at rest nowhere: the matrix has the null vector (1, 1, ..., 1) on both sides.
struct Ring {
  std::vector<PetscInt> begin{0}, column;
  std::vector<double> value;

  explicit Ring(int n) {
    for (int i = 0; i < n; ++i) {
      for (const int j : {i, (i + 1) % n, (i + n - 1) % n}) {
        column.push_back(j);
        value.push_back(j == i ? 2 : -1);
      }
      begin.push_back(static_cast<PetscInt>(column.size()));
    }
  }
  RepeatedLu::Rows rows() const {
    return {static_cast<PetscInt>(begin.size() - 1), begin.data(), column.data(), value.data()};
  }
};

// Right-hand sides of numbers of one size would cancel in such null vectors, by the chance of their signs.
TEST(PartialLu, names_an_unknown_of_a_null_vector_whose_numbers_are_equal) {
  for (const int n : {4, 6, 8, 10, 12, 20, 33, 50}) {
    PartialLu lu;
    std::vector<PetscInt> number(at(n));
    std::iota(number.begin(), number.end(), 0);
    lu.set_structure(number, {{.inner = 0, .border = 0}}, {{.inner = 0, .border = 0}}, 1);
    const Ring ring(n);
    const std::vector<double> coupling{1};
    EXPECT_FALSE(lu.factorize(ring.rows(), coupling, coupling)) << n;
    EXPECT_FALSE(lu.weak().empty()) << n;
    for (const int weak : lu.weak()) {
      EXPECT_GE(weak, 0);
      EXPECT_LT(weak, n);
    }
  }
}

// Masses in a row, held to one another and at both ends: the multipliers of all may be the same number.
TEST(PartialLu, names_the_unknown_beside_the_border_of_those_that_are_equally_weak) {
  constexpr int masses = 20, unknowns = 2 * masses + 1, beside = unknowns - 1;
  std::vector<PetscInt> begin{0}, column, number(at(unknowns));
  std::vector<double> value;
  std::iota(number.begin(), number.end(), 0);
  const auto add = [&](int j, double x) {
    column.push_back(j);
    value.push_back(x);
  };
  // Multiplier k holds mass k to the one before; the last multiplier is coupled to the border.
  for (int k = 0; k < masses; ++k) {
    add(k, 2 + 0.1 * (k % 3));
    add(masses + k, 1);
    add(masses + k + 1, -1);
    begin.push_back(static_cast<PetscInt>(column.size()));
  }
  for (int k = 0; k <= masses; ++k) {
    if (k > 0) add(k - 1, -1);
    if (k < masses) add(k, 1);
    begin.push_back(static_cast<PetscInt>(column.size()));
  }
  PartialLu lu;
  lu.set_structure(number, {{.inner = beside, .border = 0}}, {{.inner = beside, .border = 0}}, 1);
  const std::vector<double> coupling{1};
  EXPECT_FALSE(lu.factorize({unknowns, begin.data(), column.data(), value.data()}, coupling, coupling));
  EXPECT_THAT(lu.weak(), ::testing::ElementsAre(beside));
}

// Two others have nearly the same equations.
TEST(PartialLu, names_an_unknown_without_equation_alone) {
  PartialLu lu;
  lu.set_structure({0, 1, 2}, {{.inner = 1, .border = 0}}, {{.inner = 1, .border = 0}}, 1);
  const std::vector<PetscInt> begin{0, 3, 6, 9}, column{0, 1, 2, 0, 1, 2, 0, 1, 2};
  const std::vector<double> coupling{1};
  for (const double rounding : {0.0, 1e-69, 1e-15}) {
    const std::vector<double> value{1, 0, 1, 0, rounding, 0, 1, 0, 1 + 1e-14};
    EXPECT_FALSE(lu.factorize({3, begin.data(), column.data(), value.data()}, coupling, coupling));
    EXPECT_THAT(lu.weak(), ::testing::ElementsAre(1)) << rounding;
  }
}

}  // namespace
}  // namespace trammel::testing
