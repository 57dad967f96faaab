#include "solvers/constraint_form.hpp"

#include "solvers/convergence.hpp"
#include "solvers/index1.hpp"
#include "solvers/index2.hpp"
#include "solvers/index3.hpp"
#include "solvers/projected_index3.hpp"

namespace trammel {

namespace {
// Relative accuracy of a start's algorithmic accelerations.
constexpr double start_accuracy = 1e-3;
}  // namespace

std::unique_ptr<ConstraintForm> ConstraintForm::make(const DynamicStage& stage, Assembler& assembler,
                                                     ConsistentStart& start) {
  if (stage.method == DynamicStage::Method::radau) return std::make_unique<Index2>(assembler);
  switch (stage.form) {
    case DynamicStage::Form::index2:
      return std::make_unique<Index2>(assembler);
    case DynamicStage::Form::projected:
      return std::make_unique<ProjectedIndex3>(start, stage.newton.tolerance);
    case DynamicStage::Form::index1:
      return std::make_unique<Index1>(start.system(), stage.projection);
    default:
      return std::make_unique<Index3>(assembler, start, stage.radius);
  }
}

Violations ConstraintForm::violations(const StepEquations& equations) const {
  double all[3] = {equations.largest_constraint(), equations.largest_rate(), equations.largest_redundant()};
  MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_DOUBLE, MPI_MAX, equations.assembler().layout().comm());
  return {all[0], all[1], all[2]};
}

bool ConstraintForm::follow_accelerations(Assembler& assembler, const State& base, const State& end,
                                          std::vector<double>& algorithmic, const AlphaCoefficients& c) {
  // a_n approximates v' at t_n + (alpha_m - alpha_f) h; with a_0 = v'_0 the multipliers of the first steps
  // are of order 1. The first step's own v' gives the slope.
  double sums[4] = {0, 0, 0, 0};  // changes and leads, of accelerations and of the rates of states
  for (const UnknownBlock& u : assembler.layout().unknowns()) {
    if (!has_rate(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const Block& block = assembler.model().block(u.block);
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
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, assembler.layout().comm());
  constexpr double square = start_accuracy * start_accuracy;
  return sums[0] > square * sums[1] || sums[2] > square * sums[3];
}

}  // namespace trammel
