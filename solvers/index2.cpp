#include "solvers/index2.hpp"

#include "solvers/convergence.hpp"

namespace trammel {

namespace {
// Relative accuracy of a start's algorithmic accelerations.
constexpr double start_accuracy = 1e-3;
}  // namespace

bool Index2::improve_start(const State& base, const State& end, std::vector<double>& algorithmic,
                           const AlphaCoefficients& c) {
  // a_n approximates v' at t_n + (alpha_m - alpha_f) h; with a_0 = v'_0 the multipliers of the first steps
  // are of order 1. The first step's own v' gives the slope.
  double sums[4] = {0, 0, 0, 0};  // changes and leads, of accelerations and of the rates of states
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!has_rate(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const Block& block = assembler_.model().block(u.block);
    double *change = &sums[first_order ? 2 : 0], *most = change + 1;
    const std::vector<double>& before = first_order ? base.rate : base.acceleration;
    const std::vector<double>& after = first_order ? end.rate : end.acceleration;
    for (int k = 0; k < u.size; ++k) {
      const auto i = static_cast<std::size_t>(u.offset.dof + k);
      const double a = before[i] + (first_order ? c.time_shift1() : c.time_shift()) * (after[i] - before[i]);
      if (u.owned) {
        const double size = typical_size(block.measure(k));
        *change += (a - algorithmic[i]) * (a - algorithmic[i]) / (size * size);
        *most += (a - before[i]) * (a - before[i]) / (size * size);
      }
      algorithmic[i] = a;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, assembler_.layout().comm());
  constexpr double square = start_accuracy * start_accuracy;
  return sums[0] > square * sums[1] || sums[2] > square * sums[3];
}

}  // namespace trammel
