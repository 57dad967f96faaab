#include "solvers/start/algorithmic_start.hpp"

#include <cstddef>

#include "solvers/newton/convergence.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {
// Algorithmic accelerations need not be better known than to this part of their difference from v', nor than to this part of v'.
constexpr double start_accuracy = 1e-3;
constexpr double no_change = 1e-10;
}  // namespace

bool replace_algorithmic(Assembler& assembler, const State& base, const std::vector<double>& better,
                         std::vector<double>& algorithmic) {
  const Layout& layout = assembler.layout();
  // Sums of squares: changes, differences from v', and v'; then the same of states.
  double sums[6] = {0, 0, 0, 0, 0, 0};
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!has_rate(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const Block& block = assembler.model().block(u.block);
    const std::vector<double>& truly = first_order ? base.rate : base.acceleration;
    double* sum = &sums[first_order ? 3 : 0];
    for (int k = 0; k < u.size; ++k) {
      const std::size_t i = at(u.offset.dof + k);
      if (u.owned) {
        const double size = typical_size(block.measure(k)), change = (better[i] - algorithmic[i]) / size,
                     lead = (better[i] - truly[i]) / size, rate = truly[i] / size;
        sum[0] += change * change;
        sum[1] += lead * lead;
        sum[2] += rate * rate;
      }
      algorithmic[i] = better[i];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 6, MPI_DOUBLE, MPI_SUM, layout.comm());
  const auto noticeable = [](const double* sum) {
    return sum[0] > start_accuracy * start_accuracy * sum[1] && sum[0] > no_change * no_change * sum[2];
  };
  return noticeable(&sums[0]) || noticeable(&sums[3]);
}

}  // namespace trammel
