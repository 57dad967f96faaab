#include "solvers/linear/partial_lu.hpp"

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

}  // namespace
}  // namespace trammel::testing
