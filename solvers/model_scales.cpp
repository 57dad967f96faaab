#include "solvers/model_scales.hpp"

#include <cmath>

#include "solvers/petsc_owned.hpp"
#include "trammel/error.hpp"

namespace trammel {

std::array<double, 3> typical_diagonal(Assembler& assembler, const State& state,
                                       const TangentWeights& weights) {
  const Layout& layout = assembler.layout();
  OwnedMat J(assembler.create_matrix());
  if (!assembler.tangent(state, weights, J.get()))
    throw Error("the start of the stage is outside the domain of an element");
  OwnedVec diagonal(layout.create_vector());
  TRAMMEL_PETSC(MatGetDiagonal(J.get(), diagonal.get()));
  std::array<double, 6> sums{};  // logarithms, counts
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(diagonal.get(), &values));
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !is_kinematic(u.kind)) continue;
    for (int k = 0; k < u.size; ++k) {
      const double d = std::abs(values[u.local + k]);
      if (!(d > 0) || !std::isfinite(d)) continue;
      sums[static_cast<std::size_t>(u.kind)] += std::log(d);
      sums[static_cast<std::size_t>(u.kind) + 3] += 1;
    }
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(diagonal.get(), &values));
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, sums.data(), 6, MPI_DOUBLE, MPI_SUM, layout.comm());
  std::array<double, 3> out{};
  for (std::size_t k = 0; k < 3; ++k) out[k] = sums[k + 3] > 0 ? std::exp(sums[k] / sums[k + 3]) : 0.0;
  return out;
}

ModelScales measure_scales(Assembler& assembler, const State& state) {
  ModelScales out;
  out.length = ModelScales::model_length(assembler.layout(), assembler.model());
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = 1;
  const std::array<double, 3> d = typical_diagonal(assembler, state, weights);
  out.inertia = d[1];
  out.generalized_inertia = d[2];
  const double square = out.length * out.length;
  out.mass = d[0] > 0 ? d[0] : d[1] > 0 ? d[1] / square : d[2] > 0 ? d[2] : 1.0;
  return out;
}

double typical_stiffness(Assembler& assembler, const State& state, double length) {
  TangentWeights weights;
  weights.gradient = weights.reaction = 0;
  const std::array<double, 3> d = typical_diagonal(assembler, state, weights);
  return d[0] > 0 ? d[0] : d[1] > 0 ? d[1] / (length * length) : d[2] > 0 ? d[2] : 1.0;
}

}  // namespace trammel
