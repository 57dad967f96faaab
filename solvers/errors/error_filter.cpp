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
    for (OwnedVec* each : {&free_, &right_[0], &right_[1], &pushed_[0], &pushed_[1]}) {
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

void ErrorFilter::push(double c_a, double row_scale, const Field& field, Vec pushed, Vec right) {
  take(*field.e, c_a);
  M_.multiply(free_.get(), pushed);
  if (field.c_v > 0) {
    take(*field.e, field.c_v);
    D_.add_product(free_.get(), pushed);
  }
  // Rows of other unknowns do not count, but that velocities which are right leave displacements as they are.
  PetscScalar* to = nullptr;
  const PetscScalar* from = nullptr;
  TRAMMEL_PETSC(VecGetArray(right, &to));
  TRAMMEL_PETSC(VecGetArrayRead(pushed, &from));
  each_kinematic([&](std::size_t local, std::size_t) { to[local] = from[local]; });
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || u.kind != BlockKind::velocity_multiplier) continue;
    for (int k = u.local; k < u.local + u.size; ++k) to[k] = row_scale * from[k];
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(pushed, &from));
  TRAMMEL_PETSC(VecRestoreArray(right, &to));
}

void ErrorFilter::take_rest(Vec solution, Field& field) const {
  field.fine = true;
  *field.out = *field.e;
  const PetscScalar* numbers = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(solution, &numbers));
  each_kinematic([&](std::size_t local, std::size_t packed) {
    if (mass_[packed] == 0) return;
    (*field.out)[packed] = numbers[local];
    field.fine = field.fine && std::isfinite(numbers[local]);
  });
  TRAMMEL_PETSC(VecRestoreArrayRead(solution, &numbers));
}

bool ErrorFilter::filter(double c_a, double row_scale, const Solve& solve, std::span<Field> fields) {
  if (!M_) return false;
  std::array<Vec, most_fields> right{}, solution{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    right[i] = right_[i].get();
    solution[i] = pushed_[i].get();
    push(c_a, row_scale, fields[i], solution[i], right[i]);
  }
  const bool solved = solve(std::span<const Vec>(right).first(fields.size()),
                            std::span<const Vec>(solution).first(fields.size()));
  std::array<int, most_fields> fine{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    take_rest(solution[i], fields[i]);
    fine[i] = solved && fields[i].fine ? 1 : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, fine.data(), static_cast<int>(fields.size()), MPI_INT, MPI_MIN,
                assembler_.layout().comm());
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i].fine = fine[i] != 0;
  return std::ranges::all_of(fields, &Field::fine);
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
  const Solve solve = [&](std::span<const Vec> b, std::span<const Vec> y) {
    return newton.solve_linear(b, y);
  };
  // A damper takes back errors of velocities, as a spring those of displacements.
  Field fields[]{{&error.displacement, step.velocity, &displacement_}, {&error.velocity, 0, &velocity_}};
  filter(step.acceleration, row_scale, solve, fields);
  if (fields[0].fine) std::swap(error.displacement, displacement_);
  if (fields[1].fine) std::swap(error.velocity, velocity_);
}

}  // namespace trammel
