#include "solvers/errors/error_filter.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/index.hpp"

namespace trammel {

namespace {
// Steps after which the matrices are made again: they turn with eccentric bodies and dampers.
constexpr int most_age = 8;
}  // namespace

template <class Use>
void ErrorFilter::each_kinematic(Use&& use) const {
  each_with_error(assembler_.layout(), [&](const UnknownBlock& u, std::size_t packed) {
    for (std::size_t k = 0; is_kinematic(u.kind) && k < at(u.size); ++k) use(at(u.local) + k, packed + k);
  });
}

bool ErrorFilter::assemble(const State& end, double mass, double damping, OwnedMat& out) {
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = mass;
  weights.damping = damping;
  weights.hold_algebraic = true;
  if (!out) out = OwnedMat(assembler_.create_matrix());
  return assembler_.tangent(end, weights, out.get());
}

bool ErrorFilter::prepare(const State& end, std::size_t numbers) {
  if (M_ && ++age_ < most_age) return true;
  if (!M_) {
    free_ = OwnedVec(assembler_.layout().create_vector());
    pushed_ = OwnedVec(assembler_.layout().create_vector());
  }
  age_ = 0;
  if (!assemble(end, 1, 0, M_) || !assemble(end, 0, 1, D_)) {
    drop();
    return false;
  }
  mass_.assign(numbers, 0.0);
  const PetscScalar* diagonal = nullptr;
  TRAMMEL_PETSC(MatGetDiagonal(M_.get(), free_.get()));
  TRAMMEL_PETSC(VecGetArrayRead(free_.get(), &diagonal));
  each_kinematic([&](std::size_t local, std::size_t packed) { mass_[packed] = diagonal[local]; });
  TRAMMEL_PETSC(VecRestoreArrayRead(free_.get(), &diagonal));
  return true;
}

bool ErrorFilter::filter(double c_a, double c_v, double row_scale, const Solve& solve,
                         const std::vector<double>& e, std::vector<double>& out) {
  if (!M_) return false;
  PetscScalar *numbers = nullptr, *pushed = nullptr;
  TRAMMEL_PETSC(VecSet(free_.get(), 0));
  TRAMMEL_PETSC(VecGetArray(free_.get(), &numbers));
  each_kinematic([&](std::size_t local, std::size_t packed) { numbers[local] = e[packed]; });
  TRAMMEL_PETSC(VecRestoreArray(free_.get(), &numbers));
  TRAMMEL_PETSC(MatMult(M_.get(), free_.get(), pushed_.get()));
  TRAMMEL_PETSC(VecScale(pushed_.get(), c_a));
  if (c_v > 0) {
    TRAMMEL_PETSC(VecScale(free_.get(), c_v));
    TRAMMEL_PETSC(MatMultAdd(D_.get(), free_.get(), pushed_.get(), pushed_.get()));
  }
  // Rows of other unknowns do not count, but that velocities which are right leave displacements as they are.
  TRAMMEL_PETSC(VecSet(free_.get(), 0));
  TRAMMEL_PETSC(VecGetArray(free_.get(), &numbers));
  TRAMMEL_PETSC(VecGetArray(pushed_.get(), &pushed));
  each_kinematic([&](std::size_t local, std::size_t) { numbers[local] = pushed[local]; });
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || u.kind != BlockKind::velocity_multiplier) continue;
    for (int k = u.local; k < u.local + u.size; ++k) numbers[k] = row_scale * pushed[k];
  }
  TRAMMEL_PETSC(VecRestoreArray(free_.get(), &numbers));
  TRAMMEL_PETSC(VecRestoreArray(pushed_.get(), &pushed));
  int fine = solve(free_.get(), pushed_.get()) ? 1 : 0;
  out = e;
  const PetscScalar* of_step = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(pushed_.get(), &of_step));
  each_kinematic([&](std::size_t local, std::size_t packed) {
    if (mass_[packed] == 0) return;
    out[packed] = of_step[local];
    if (!std::isfinite(of_step[local])) fine = 0;
  });
  TRAMMEL_PETSC(VecRestoreArrayRead(pushed_.get(), &of_step));
  MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, assembler_.layout().comm());
  return fine != 0;
}

ErrorFilter::Change ErrorFilter::change(const State& end, const AlphaError& errors, double time,
                                        std::span<const double> a) {
  if (!prepare(end, errors.numbers())) return {};
  std::vector<double> squares = errors.changes(time, a, mass_);
  squares.push_back(0);
  each_with_error(assembler_.layout(), [&](const UnknownBlock& u, std::size_t packed) {
    for (std::size_t k = 0; k < at(u.size); ++k) {
      const double v = end.rate[at(u.offset.dof) + k];
      squares.back() += mass_[packed + k] * v * v;
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, squares.data(), static_cast<int>(squares.size()), MPI_DOUBLE, MPI_SUM,
                assembler_.layout().comm());
  if (squares.size() < 3 || !(squares[0] > 0)) return {};
  return {std::sqrt(squares[0] / *std::max_element(squares.begin() + 1, squares.end() - 1)),
          std::sqrt(squares[0] / squares.back()) * (time - errors.last_time())};
}

void ErrorFilter::apply(const StepCoefficients& step, double row_scale, Newton& newton, LocalError& error) {
  if (!M_ || !newton.has_tangent()) return;
  const Solve solve = [&](Vec b, Vec y) { return newton.solve_linear(b, y); };
  if (filter(step.acceleration, step.velocity, row_scale, solve, error.displacement, filtered_))
    std::swap(error.displacement, filtered_);
  // A damper takes back errors of velocities, as a spring those of displacements.
  if (filter(step.acceleration, 0, row_scale, solve, error.velocity, filtered_))
    std::swap(error.velocity, filtered_);
}

}  // namespace trammel
