#include "solvers/newton/model_scales.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "solvers/linear/petsc_owned.hpp"
#include "trammel/error.hpp"

namespace trammel {

namespace {

/// Sizes of the non-zero entries of a diagonal, in this order: rows of positions, rotations, coordinates. 0 if a
/// kind has none.
struct DiagonalSizes {
  std::array<double, 3> typical{};  ///< geometric means
  std::array<double, 3> largest{};
};

OwnedMat tangent(Assembler& assembler, const State& state, const TangentWeights& weights) {
  OwnedMat J(assembler.create_matrix());
  if (!assembler.tangent(state, weights, J.get()))
    throw Error("at the start of the stage " + assembler.rejection());
  return J;
}

/// Entries of coordinates with a nominal size are those for coordinates in units of this size.
DiagonalSizes diagonal_sizes(const Layout& layout, const Model& model, Mat J) {
  OwnedVec diagonal(layout.create_vector());
  TRAMMEL_PETSC(MatGetDiagonal(J, diagonal.get()));
  std::array<double, 6> sums{};  // logarithms, counts
  DiagonalSizes out;
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(diagonal.get(), &values));
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !is_kinematic(u.kind)) continue;
    const Block& block = model.block(u.block);
    for (int k = 0; k < u.size; ++k) {
      const double size = typical_size(block.measure(k)), d = std::abs(values[u.local + k]) * size * size;
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

/// Makes every entry its magnitude.
void take_magnitudes(Mat J, int ranks) {
  const auto in_place = [](Mat part) {
    MatInfo info{};
    TRAMMEL_PETSC(MatGetInfo(part, MAT_LOCAL, &info));
    PetscScalar* entries = nullptr;
    TRAMMEL_PETSC(MatSeqAIJGetArray(part, &entries));
    for (PetscScalar& x : std::span(entries, static_cast<std::size_t>(info.nz_used))) x = std::abs(x);
    TRAMMEL_PETSC(MatSeqAIJRestoreArray(part, &entries));
  };
  if (ranks == 1) return in_place(J);
  Mat own = nullptr, of_others = nullptr;
  TRAMMEL_PETSC(MatMPIAIJGetSeqAIJ(J, &own, &of_others, nullptr));
  in_place(own);
  in_place(of_others);
}

/// The largest row of each owned block, each times `weight(block, number)`, times `factor`; of those that `takes`.
template <class Takes, class Weight>
std::shared_ptr<const BlockValues<double>> largest_rows(const Layout& layout, const Model& model, Vec rows,
                                                        double factor, Takes&& takes, Weight&& weight) {
  auto out = std::make_shared<BlockValues<double>>(model.blocks, 0.0);
  const PetscScalar* from = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(rows, &from));
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned && takes(u.kind)) {
      double largest = 0;
      for (int k = 0; k < u.size; ++k) largest = std::max(largest, from[u.local + k] * weight(u, k));
      out->put(u.block) = factor * largest;
    }
  TRAMMEL_PETSC(VecRestoreArrayRead(rows, &from));
  return out;
}

/// Estimates the rounding in the rows of each block: the effect of changes of eps times the model's length in
/// positions and of eps in rotations. The rows of states have the effect of states of their nominal sizes. Replaces
/// the entries of K by their magnitudes.
void measure_rounding(const Layout& layout, const Model& model, const State& state, Mat K,
                      ModelScales& scales) {
  take_magnitudes(K, layout.ranks());
  const OwnedVec size(layout.create_vector()), sum(layout.create_vector());
  PetscScalar* to = nullptr;
  TRAMMEL_PETSC(VecGetArray(size.get(), &to));
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    for (int k = 0; k < u.size; ++k) {
      const double value = std::abs(state.value[static_cast<std::size_t>(u.offset.value + k)]);
      to[u.local + k] = u.kind == BlockKind::position   ? scales.length
                        : u.kind == BlockKind::rotation ? 1.0
                                                        : value;
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(size.get(), &to));
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto weight = [&](const UnknownBlock& u, int k) {
    const Measure measure = model.block(u.block).measure(k);
    return 1 / (u.kind == BlockKind::state ? typical_size(measure) : measure.metres(scales.length));
  };
  TRAMMEL_PETSC(MatMult(K, size.get(), sum.get()));
  scales.rounding = largest_rows(
      layout, model, sum.get(), epsilon, [](BlockKind kind) { return has_rate(kind); }, weight);

  const auto is_state = [](BlockKind kind) { return kind == BlockKind::state; };
  TRAMMEL_PETSC(VecZeroEntries(size.get()));
  TRAMMEL_PETSC(VecGetArray(size.get(), &to));
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; k < u.size && u.owned && is_state(u.kind); ++k)
      to[u.local + k] = typical_size(model.block(u.block).measure(k));
  TRAMMEL_PETSC(VecRestoreArray(size.get(), &to));
  TRAMMEL_PETSC(MatMult(K, size.get(), sum.get()));
  scales.state_gain = largest_rows(layout, model, sum.get(), 1.0, is_state, weight);
}

}  // namespace

ModelScales measure_scales(Assembler& assembler, const State& state) {
  ModelScales out;
  out.length = ModelScales::model_length(assembler.layout(), assembler.model());
  int slides = std::ranges::any_of(assembler.model().blocks, [](const Block& block) {
    return block.kind == BlockKind::coordinate &&
           std::ranges::any_of(block.rows, [](const Row& row) { return row.measure.is_length(); });
  });
  MPI_Allreduce(MPI_IN_PLACE, &slides, 1, MPI_INT, MPI_MAX, assembler.layout().comm());
  out.slides = slides != 0;
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = 1;
  const Layout& layout = assembler.layout();
  const DiagonalSizes sizes =
      diagonal_sizes(layout, assembler.model(), tangent(assembler, state, weights).get());
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
  const OwnedMat K = tangent(assembler, state, weights);
  out.stiffest = as_displacement(diagonal_sizes(layout, assembler.model(), K.get()).largest);
  measure_rounding(layout, assembler.model(), state, K.get(), out);
  return out;
}

double typical_stiffness(Assembler& assembler, const State& state, double length) {
  TangentWeights weights;
  weights.gradient = weights.reaction = 0;
  const std::array<double, 3> d =
      diagonal_sizes(assembler.layout(), assembler.model(), tangent(assembler, state, weights).get()).typical;
  return d[0] > 0 ? d[0] : d[1] > 0 ? d[1] / (length * length) : d[2] > 0 ? d[2] : 1.0;
}

}  // namespace trammel
