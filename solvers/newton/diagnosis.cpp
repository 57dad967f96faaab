#include "solvers/newton/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solvers/linear/linear_solver.hpp"
#include "solvers/newton/named_blocks.hpp"

namespace trammel {

namespace {

// Rows this small beside the largest row of their kind are rounding.
constexpr double empty_row = 1e-13;
// The shift that makes a singular matrix solvable, beside rows scaled to 1.
constexpr double shift = 1e-10;
constexpr std::size_t names_shown = 4;

double row_maximum(Mat J, PetscInt row) {
  PetscInt n = 0;
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(MatGetRow(J, row, &n, nullptr, &values));
  double largest = 0;
  for (PetscInt k = 0; k < n; ++k)
    largest = std::isnan(values[k]) ? HUGE_VAL : std::max(largest, std::abs(values[k]));
  TRAMMEL_PETSC(MatRestoreRow(J, row, &n, nullptr, &values));
  return largest;
}

/// Empty where there are none. What is missing in an algebraic unknown's is an equation.
std::string empty_rows(const Layout& layout, const Model& model, const std::vector<double>& row) {
  std::array<double, block_kinds> typical{};
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned)
      for (int k = 0; k < u.size; ++k) {
        double& t = typical[static_cast<std::size_t>(u.kind)];
        t = std::max(t, row[static_cast<std::size_t>(u.local + k)]);
      }
  MPI_Allreduce(MPI_IN_PLACE, typical.data(), static_cast<int>(typical.size()), MPI_DOUBLE, MPI_MAX,
                layout.comm());
  std::vector<NamedBlock> empty;
  int others = 0;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    std::string components;
    for (int k = 0; k < u.size; ++k)
      if (row[static_cast<std::size_t>(u.local + k)] <= empty_row * typical[static_cast<std::size_t>(u.kind)])
        components += (components.empty() ? "" : ", ") + std::to_string(k + 1);
    if (components.empty()) continue;
    empty.push_back({u.block, 0, fmt::format("'{}' ({})", model.block_name(u.block), components)});
    if (u.kind != BlockKind::algebraic) others = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT, MPI_MAX, layout.comm());
  const std::string names = joined_names(empty, names_shown, layout.comm());
  if (names.empty()) return {};
  return (others != 0 ? "no stiffness or mass in " : "no equation that determines ") + names;
}

/// Adds to the diagonal. Not by MatDiagonalSet, which makes room for one missing entry after the other.
void add_shift(Mat J) {
  PetscInt rows = 0, columns = 0, first = 0, end = 0;
  TRAMMEL_PETSC(MatGetLocalSize(J, &rows, &columns));
  TRAMMEL_PETSC(MatGetOwnershipRange(J, &first, &end));
  OwnedMat diagonal;
  TRAMMEL_PETSC(MatCreateAIJ(PetscObjectComm(reinterpret_cast<PetscObject>(J)), rows, columns,
                             PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 0, nullptr, diagonal.fill()));
  for (PetscInt i = first; i < end; ++i)
    TRAMMEL_PETSC(MatSetValue(diagonal.get(), i, i, shift, INSERT_VALUES));
  TRAMMEL_PETSC(MatAssemblyBegin(diagonal.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(diagonal.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAXPY(J, 1, diagonal.get(), DIFFERENT_NONZERO_PATTERN));
}

/// Blocks with the largest part in the weakest direction of J, whose rows were scaled.
std::string weakest_direction(const Layout& layout, const Model& model, Mat J, bool certain) {
  OwnedVec z(layout.create_vector()), next(layout.create_vector());
  add_shift(J);
  OwnedKSP ksp;
  TRAMMEL_PETSC(KSPCreate(layout.comm(), ksp.fill()));
  set_default_solver(ksp.get(), layout.ranks());
  TRAMMEL_PETSC(KSPSetOperators(ksp.get(), J, J));
  bool broken = false;
  if (!factorize(ksp.get(), broken)) return {};
  TRAMMEL_PETSC(VecSet(z.get(), 1.0));
  PetscReal growth = 0;
  for (int k = 0; k < 4; ++k) {
    if (!solve(ksp.get(), z.get(), next.get())) return {};
    TRAMMEL_PETSC(VecNormalize(next.get(), &growth));
    if (!std::isfinite(growth) || growth == 0) return {};
    TRAMMEL_PETSC(VecCopy(next.get(), z.get()));
  }
  // A regular matrix does not come near the shift.
  if (!certain && growth < 0.1 / shift) return {};
  PetscReal largest = 0;
  TRAMMEL_PETSC(VecNorm(z.get(), NORM_INFINITY, &largest));
  std::vector<double> local;
  layout.to_local(z.get(), local);
  std::vector<NamedBlock> parts;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    double part = 0;
    for (int k = 0; k < u.size; ++k)
      part = std::max(part, std::abs(local[static_cast<std::size_t>(u.local + k)]));
    // Parts that differ by little are equal: their order would be that of rounding.
    if (part > 0.3 * largest)
      parts.push_back({u.block, static_cast<int>(std::lround(20 * part / largest)),
                       fmt::format("'{}'", model.block_name(u.block))});
  }
  return joined_names(parts, names_shown, layout.comm());
}

}  // namespace

std::string describe_singular(const Assembler& assembler, const Layout& layout, Mat J, Search search) {
  PetscBool assembled = PETSC_FALSE;  // a step may be rejected before its first tangent
  if (J != nullptr) TRAMMEL_PETSC(MatAssembled(J, &assembled));
  if (assembled == PETSC_FALSE) return {};
  const Model& model = assembler.model();
  PetscInt first = 0, last = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(J, &first, &last));
  std::vector<double> row(static_cast<std::size_t>(last - first));
  for (PetscInt i = first; i < last; ++i) row[static_cast<std::size_t>(i - first)] = row_maximum(J, i);
  int finite = std::ranges::all_of(row, [](double x) { return std::isfinite(x); }) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &finite, 1, MPI_INT, MPI_MIN, layout.comm());
  if (finite == 0) return "sums of its entries are not finite";
  if (std::string names = empty_rows(layout, model, row); !names.empty()) return names;
  if (search == Search::empty_rows) return {};

  OwnedMat scaled;
  TRAMMEL_PETSC(MatDuplicate(J, MAT_COPY_VALUES, scaled.fill()));
  OwnedVec inverse(layout.create_vector());
  PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArray(inverse.get(), &values));
  for (std::size_t i = 0; i < row.size(); ++i) values[i] = row[i] > 0 ? 1 / row[i] : 1.0;
  TRAMMEL_PETSC(VecRestoreArray(inverse.get(), &values));
  TRAMMEL_PETSC(MatDiagonalScale(scaled.get(), inverse.get(), nullptr));
  const std::string names = weakest_direction(layout, model, scaled.get(), search == Search::certain);
  if (!names.empty()) return "not determined by stiffness, mass or constraints: " + names;
  return search == Search::certain ? "no factorization, and no direction stands out" : "";
}

const Entity* body_without_mass(Assembler& assembler, const State& state) {
  const Layout& layout = assembler.layout();
  const Model& model = assembler.model();
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = 1;
  const OwnedMat M(assembler.create_matrix());
  if (!assembler.tangent(state, weights, M.get())) return nullptr;
  const OwnedVec diagonal(layout.create_vector());
  TRAMMEL_PETSC(MatGetDiagonal(M.get(), diagonal.get()));
  std::vector<double> mass;
  layout.to_local(diagonal.get(), mass);
  enum { fixed, massless, heavy };
  std::vector<int> kind(model.entities.size(), fixed);
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i) {
      const auto entity = static_cast<std::size_t>(range.instances->entity(i));
      if (model.entities[entity].category != "body") continue;
      for (const BlockId id : range.instances->stencil(i)) {
        const UnknownBlock* u = layout.unknown_of(id);
        if (u == nullptr || !is_kinematic(u->kind)) continue;
        for (int k = 0; k < u->size; ++k)
          kind[entity] = std::max<int>(kind[entity],
                                       mass[static_cast<std::size_t>(u->local + k)] > 0 ? heavy : massless);
      }
    }
  MPI_Allreduce(MPI_IN_PLACE, kind.data(), static_cast<int>(kind.size()), MPI_INT, MPI_MAX, layout.comm());
  const auto found = std::ranges::find(kind, static_cast<int>(massless));
  return found == kind.end() ? nullptr : &model.entities[static_cast<std::size_t>(found - kind.begin())];
}

double residual_square(Assembler& assembler, const State& state, ConstraintLevel level, BlockKind kind) {
  const Layout& layout = assembler.layout();
  OwnedVec r(layout.create_vector());
  double square = 0;
  if (!assembler.residual(state, level, r.get())) return square;
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(r.get(), &values));
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned && u.kind == kind)
      for (int k = 0; k < u.size; ++k) square += values[u.local + k] * values[u.local + k];
  TRAMMEL_PETSC(VecRestoreArrayRead(r.get(), &values));
  MPI_Allreduce(MPI_IN_PLACE, &square, 1, MPI_DOUBLE, MPI_SUM, layout.comm());
  return square;
}

}  // namespace trammel
