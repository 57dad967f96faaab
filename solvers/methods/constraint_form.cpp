#include "solvers/methods/constraint_form.hpp"

#include "solvers/methods/index1.hpp"
#include "solvers/methods/index2.hpp"
#include "solvers/methods/index3.hpp"
#include "solvers/methods/projected_index3.hpp"
#include "solvers/newton/convergence.hpp"
#include "solvers/start/algorithmic_start.hpp"
#include "trammel/index.hpp"

namespace trammel {

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
  return {equations.largest_constraint(), equations.largest_rate(), equations.largest_redundant()};
}

bool ConstraintForm::follow_accelerations(Assembler& assembler, const State& base, const State& end,
                                          std::vector<double>& algorithmic, const AlphaCoefficients& c) {
  // a_n approximates v' at t_n + (alpha_m - alpha_f) h; with a_0 = v'_0 the multipliers of the first steps
  // are of order 1. The first step's own v' gives the slope.
  std::vector<double> better = algorithmic;
  for (const UnknownBlock& u : assembler.layout().unknowns()) {
    if (!has_rate(u.kind)) continue;
    const bool first_order = u.kind == BlockKind::state;
    const std::vector<double>&before = first_order ? base.rate : base.acceleration,
          &after = first_order ? end.rate : end.acceleration;
    for (std::size_t i = at(u.offset.dof); i < at(u.offset.dof + u.size); ++i)
      better[i] = before[i] + (first_order ? c.time_shift1() : c.time_shift()) * (after[i] - before[i]);
  }
  return replace_algorithmic(assembler, base, better, algorithmic);
}

}  // namespace trammel
