#include "solvers/newton/position_corrections.hpp"

#include "kernel/instance_plan.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "trammel/index.hpp"

namespace trammel {

void add_position_corrections(Assembler& assembler, double scale, const std::vector<double>& local,
                              std::vector<double>& out) {
  Layout& layout = assembler.layout();
  const auto unknowns = layout.unknowns();
  std::vector<double> contribution(out.size(), 0.0);
  for (const RangePlan& plan : assembler.plans()) {
    if (!plan.has_constraints) continue;
    for (const int i : plan.instances) {
      const double* gradient = assembler.gradients().data() + plan.kept_begin[at(i)];
      const auto blocks = plan.stencil(i);
      for (const BlockPair& pair : plan.coupled(i)) {
        const StencilBlock &row = blocks[at(pair.row)], &column = blocks[at(pair.column)];
        if (!StabilizingParts(row, column).correction_row) continue;
        const double* eta = local.data() + unknowns[at(column.unknown)].stabilizing_local;
        double* to = contribution.data() + unknowns[at(row.unknown)].stabilizing_local;
        for (int b = 0; b < column.size; ++b)
          for (int a = 0; a < row.size; ++a) to[a] += scale * *gradient++ * eta[b];
      }
    }
  }
  if (layout.ranks() > 1) {
    const OwnedVec sum(layout.create_vector());
    layout.sum_local(contribution, sum.get());
    layout.to_local(sum.get(), contribution);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += contribution[i];
}

}  // namespace trammel
