#include <gtest/gtest.h>

#include "solvers/newton/model_scales.hpp"
#include "test_models.hpp"

namespace trammel::testing {
namespace {

TEST(ModelScales, contain_the_rounding_of_every_row_on_any_number_of_ranks) {
  constexpr int n = 30;
  StiffString m(n, Vec3::Zero());
  const ModelScales scales = measure_scales(*m.assembler, m.layout->initial_state());
  const StiffSpring spring;
  const double one =
      std::numeric_limits<double>::epsilon() * spring.stiffness * (StiffString::wall + n * spring.length);
  int owned = 0;
  for (int i = 0; i < n; ++i) {
    const BlockId b = m.beads[static_cast<std::size_t>(i)];
    const double found = (*scales.rounding)[b];
    if (m.layout->owner(b) != m.layout->rank()) continue;
    ++owned;
    // Entries of a row: k + k on the diagonal and k for either neighbour; the first hangs on the wall, the last on one.
    const double entries = i == 0 ? 3 : i == n - 1 ? 2 : 4;
    EXPECT_NEAR(found, entries * one, 1e-12 * one) << i;
  }
  MPI_Allreduce(MPI_IN_PLACE, &owned, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  EXPECT_EQ(owned, n);
}

}  // namespace
}  // namespace trammel::testing
