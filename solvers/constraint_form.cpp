#include "solvers/constraint_form.hpp"

#include "solvers/index1.hpp"
#include "solvers/index2.hpp"
#include "solvers/index3.hpp"
#include "solvers/projected_index3.hpp"

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
  double all[3] = {equations.largest_constraint(), equations.largest_rate(), equations.largest_redundant()};
  MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_DOUBLE, MPI_MAX, equations.assembler().layout().comm());
  return {all[0], all[1], all[2]};
}

}  // namespace trammel
