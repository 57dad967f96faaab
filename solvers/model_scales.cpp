#include "solvers/model_scales.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/petsc_owned.hpp"
#include "trammel/error.hpp"

namespace trammel {

DiagonalSizes diagonal_sizes(Assembler& assembler, const State& state, const TangentWeights& weights) {
  const Layout& layout = assembler.layout();
  OwnedMat J(assembler.create_matrix());
  if (!assembler.tangent(state, weights, J.get()))
    throw Error("the start of the stage is outside the domain of an element");
  OwnedVec diagonal(layout.create_vector());
  TRAMMEL_PETSC(MatGetDiagonal(J.get(), diagonal.get()));
  std::array<double, 6> sums{};  // logarithms, counts
  DiagonalSizes out;
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(diagonal.get(), &values));
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !is_kinematic(u.kind)) continue;
    for (int k = 0; k < u.size; ++k) {
      const double d = std::abs(values[u.local + k]);
      if (!(d > 0) || !std::isfinite(d)) continue;
      sums[static_cast<std::size_t>(u.kind)] += std::log(d);
      sums[static_cast<std::size_t>(u.kind) + 3] += 1;
      double& largest = out.largest[static_cast<std::size_t>(u.kind)];
      largest = std::max(largest, d);
    }
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(diagonal.get(), &values));
  if (layout.ranks() > 1) {
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 6, MPI_DOUBLE, MPI_SUM, layout.comm());
    MPI_Allreduce(MPI_IN_PLACE, out.largest.data(), 3, MPI_DOUBLE, MPI_MAX, layout.comm());
  }
  for (std::size_t k = 0; k < 3; ++k)
    out.typical[k] = sums[k + 3] > 0 ? std::exp(sums[k] / sums[k + 3]) : 0.0;
  return out;
}

ModelScales measure_scales(Assembler& assembler, const State& state) {
  ModelScales out;
  out.length = ModelScales::model_length(assembler.layout(), assembler.model());
  out.slides = std::ranges::any_of(assembler.model().blocks, [](const Block& block) {
    return block.kind == BlockKind::coordinate && block.unit == "m";
  });
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = 1;
  const DiagonalSizes sizes = diagonal_sizes(assembler, state, weights);
  const std::array<double, 3>& d = sizes.typical;
  out.inertia = d[1];
  out.generalized_inertia = d[2];
  const double square = out.length * out.length;
  out.mass = d[0] > 0 ? d[0] : d[1] > 0 ? d[1] / square : d[2] > 0 ? d[2] : 1.0;
  const auto as_displacement = [&](const std::array<double, 3>& largest) {
    return std::max({largest[0], largest[1] / square, largest[2]});
  };
  out.heaviest = as_displacement(sizes.largest);
  weights.mass = 0;
  weights.stiffness = 1;
  out.stiffest = as_displacement(diagonal_sizes(assembler, state, weights).largest);
  return out;
}

double typical_stiffness(Assembler& assembler, const State& state, double length) {
  TangentWeights weights;
  weights.gradient = weights.reaction = 0;
  const std::array<double, 3> d = diagonal_sizes(assembler, state, weights).typical;
  return d[0] > 0 ? d[0] : d[1] > 0 ? d[1] / (length * length) : d[2] > 0 ? d[2] : 1.0;
}

}  // namespace trammel
