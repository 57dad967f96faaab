#include "solvers/errors/error_filter.hpp"

#include <algorithm>
#include <array>
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

bool ErrorFilter::assemble(const State& end, double mass, double damping, NonzeroMatrix& out) {
  TangentWeights weights;
  weights.stiffness = weights.gradient = weights.reaction = 0;
  weights.mass = mass;
  weights.damping = damping;
  weights.hold_algebraic = true;
  return out.assemble(assembler_, end, weights, all_);
}

bool ErrorFilter::prepare(const State& end, std::size_t numbers) {
  if (M_ && ++age_ < most_age) return true;
  if (!M_)
    for (OwnedVec* each : {&free_, &pushed_, &right_}) {
      *each = OwnedVec(assembler_.layout().create_vector());
      TRAMMEL_PETSC(VecZeroEntries(each->get()));
    }
  age_ = 0;
  if (!assemble(end, 1, 0, M_) || !assemble(end, 0, 1, D_)) {
    drop();
    return false;
  }
  std::vector<double> diagonal(at(assembler_.layout().owned_size()), 0.0);
  M_.each_of_diagonal([&](std::size_t row, double mass) { diagonal[row] = mass; });
  mass_.assign(numbers, 0.0);
  each_kinematic([&](std::size_t local, std::size_t packed) { mass_[packed] = diagonal[local]; });
  return true;
}

void ErrorFilter::take(const std::vector<double>& e, double times) {
  PetscScalar* numbers = nullptr;
  TRAMMEL_PETSC(VecGetArray(free_.get(), &numbers));
  each_kinematic([&](std::size_t local, std::size_t packed) { numbers[local] = times * e[packed]; });
  TRAMMEL_PETSC(VecRestoreArray(free_.get(), &numbers));
}

bool ErrorFilter::filter(double c_a, double c_v, double row_scale, const Solve& solve,
                         const std::vector<double>& e, std::vector<double>& out) {
  if (!M_) return false;
  take(e, c_a);
  M_.multiply(free_.get(), pushed_.get());
  if (c_v > 0) {
    take(e, c_v);
    D_.add_product(free_.get(), pushed_.get());
  }
  // Rows of other unknowns do not count, but that velocities which are right leave displacements as they are.
  PetscScalar* right = nullptr;
  const PetscScalar* numbers = nullptr;
  TRAMMEL_PETSC(VecGetArray(right_.get(), &right));
  TRAMMEL_PETSC(VecGetArrayRead(pushed_.get(), &numbers));
  each_kinematic([&](std::size_t local, std::size_t) { right[local] = numbers[local]; });
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || u.kind != BlockKind::velocity_multiplier) continue;
    for (int k = u.local; k < u.local + u.size; ++k) right[k] = row_scale * numbers[k];
  }
  TRAMMEL_PETSC(VecRestoreArray(right_.get(), &right));
  TRAMMEL_PETSC(VecRestoreArrayRead(pushed_.get(), &numbers));
  bool fine = solve(right_.get(), pushed_.get());
  out = e;
  TRAMMEL_PETSC(VecGetArrayRead(pushed_.get(), &numbers));
  each_kinematic([&](std::size_t local, std::size_t packed) {
    if (mass_[packed] == 0) return;
    out[packed] = numbers[local];
    fine = fine && std::isfinite(numbers[local]);
  });
  TRAMMEL_PETSC(VecRestoreArrayRead(pushed_.get(), &numbers));
  return fine;
}

std::array<bool, 2> ErrorFilter::agree(std::array<bool, 2> fine) const {
  std::array<int, 2> all{fine[0] ? 1 : 0, fine[1] ? 1 : 0};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_INT, MPI_MIN, assembler_.layout().comm());
  return {all[0] != 0, all[1] != 0};
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
  const bool displacements =
      filter(step.acceleration, step.velocity, row_scale, solve, error.displacement, displacement_);
  // A damper takes back errors of velocities, as a spring those of displacements.
  const bool velocities = filter(step.acceleration, 0, row_scale, solve, error.velocity, velocity_);
  const std::array<bool, 2> fine = agree({displacements, velocities});
  if (fine[0]) std::swap(error.displacement, displacement_);
  if (fine[1]) std::swap(error.velocity, velocity_);
}

}  // namespace trammel
