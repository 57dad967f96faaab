#include "solvers/methods/radau_equations.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/index.hpp"

namespace trammel {

namespace {

using radau::D;
using radau::DD;

constexpr int other(int stage) { return 1 - stage; }

/// Squared magnitude of the eigenvalues 2 +- i sqrt(2) of A^-1: the scale of accelerations per increment, times
/// h^2. Its root is that of rates, times h.
constexpr double size_square = 6;

template <std::size_t n>
void take_larger(std::array<double, n>& to, const std::array<double, n>& from) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::max(to[i], from[i]);
}

void take_larger(FieldNorms& to, const FieldNorms& from) {
  take_larger(to.residual, from.residual);
  take_larger(to.beyond_rounding, from.beyond_rounding);
  take_larger(to.change, from.change);
  take_larger(to.size, from.size);
  to.acceleration = std::max(to.acceleration, from.acceleration);
  to.angular_acceleration = std::max(to.angular_acceleration, from.angular_acceleration);
  to.generalized_acceleration = std::max(to.generalized_acceleration, from.generalized_acceleration);
  to.state_rate = std::max(to.state_rate, from.state_rate);
  to.stop = std::max(to.stop, from.stop);
}

StepCoefficients coefficients_of(double rate, double second_rate, double h) {
  return {.velocity = rate / h, .acceleration = second_rate / (h * h), .state_rate = rate / h, .step = h};
}

}  // namespace

RadauEquations::RadauEquations(Assembler& assembler, const ModelScales& scales)
    : assembler_(assembler), stages_{StepEquations(assembler, scales), StepEquations(assembler, scales)} {
  revise();
}

void RadauEquations::revise() {
  const Layout& layout = assembler_.layout();
  for (StepEquations& stage : stages_) stage.revise();
  const std::size_t unknowns = layout.unknowns().size();
  charts_.assign(unknowns, {});
  for (std::vector<Vec3>& turns : turns_) turns.assign(unknowns, Vec3::Zero());
  own_.assign(unknowns, Mat3::Identity());
  both_.assign(unknowns, Mat3::Identity());
  exchanged_.assign(at(layout.owned_size()), 0);
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned && is_kinematic(u.kind)) std::fill_n(exchanged_.begin() + u.local, u.size, char{1});
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    stages_[i].turn_by(turns_[i]);
    x_[i] = OwnedVec(layout.create_vector());
    f_[i] = OwnedVec(layout.create_vector());
  }
  diagonal_.reset();
  sum_.reset();
}

void RadauEquations::take_redundant() {
  for (StepEquations& stage : stages_) stage.take_redundant();
}

void RadauEquations::begin(const State& base, double end, double h) {
  base_ = &base;
  coefficients_ = coefficients_of(std::sqrt(size_square), size_square, h);
  const double stiffness = scales().mass * coefficients_.acceleration;
  for (int i = 0; i < radau::stages; ++i)
    stages_[at(i)].begin(base, i == 0 ? base.time + radau::c[0] * h : end,
                         coefficients_of(D[i][i], DD[i][i], h), stiffness);
}

void RadauEquations::rescale() {
  for (StepEquations& stage : stages_) stage.rescale();
}

Vec RadauEquations::create_vector() const {
  const Layout& layout = assembler_.layout();
  Vec x = nullptr;
  TRAMMEL_PETSC(VecCreate(layout.comm(), &x));
  TRAMMEL_PETSC(VecSetSizes(x, radau::stages * layout.owned_size(), radau::stages * layout.global_size()));
  TRAMMEL_PETSC(VecSetType(x, layout.ranks() == 1 ? VECSEQ : VECMPI));
  return x;
}

Mat RadauEquations::create_matrix(bool /*lasting*/) {
  const Layout& layout = assembler_.layout();
  diagonal_ = OwnedMat(assembler_.create_matrix());
  sum_ = OwnedMat(assembler_.create_matrix());
  const OwnedMat pattern(assembler_.create_matrix());
  TRAMMEL_PETSC(MatAssemblyBegin(pattern.get(), MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(pattern.get(), MAT_FINAL_ASSEMBLY));
  PetscInt first = 0, last = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(pattern.get(), &first, &last));
  std::vector<PetscInt> here, elsewhere;
  for (PetscInt row = first; row < last; ++row) {
    PetscInt n = 0;
    const PetscInt* columns = nullptr;
    TRAMMEL_PETSC(MatGetRow(pattern.get(), row, &n, &columns, nullptr));
    const auto own = static_cast<PetscInt>(
        std::count_if(columns, columns + n, [&](PetscInt c) { return c >= first && c < last; }));
    here.insert(here.end(), 2, 2 * own);
    elsewhere.insert(elsewhere.end(), 2, 2 * (n - own));
    TRAMMEL_PETSC(MatRestoreRow(pattern.get(), row, &n, &columns, nullptr));
  }
  Mat J = nullptr;
  TRAMMEL_PETSC(MatCreate(layout.comm(), &J));
  const PetscInt n = radau::stages * layout.owned_size(), N = radau::stages * layout.global_size();
  TRAMMEL_PETSC(MatSetSizes(J, n, n, N, N));
  if (layout.ranks() == 1) {
    TRAMMEL_PETSC(MatSetType(J, MATSEQAIJ));
    TRAMMEL_PETSC(MatSeqAIJSetPreallocation(J, 0, here.data()));
  } else {
    TRAMMEL_PETSC(MatSetType(J, MATMPIAIJ));
    TRAMMEL_PETSC(MatMPIAIJSetPreallocation(J, 0, here.data(), 0, elsewhere.data()));
  }
  TRAMMEL_PETSC(MatSetOption(J, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
  return J;
}

void RadauEquations::split(Vec x) const {
  const auto n = static_cast<std::size_t>(assembler_.layout().owned_size());
  const PetscScalar* all = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(x, &all));
  for (std::size_t i = 0; i < x_.size(); ++i) {
    PetscScalar* its = nullptr;
    TRAMMEL_PETSC(VecGetArray(x_[i].get(), &its));
    for (std::size_t k = 0; k < n; ++k) its[k] = all[radau::stages * k + i];
    TRAMMEL_PETSC(VecRestoreArray(x_[i].get(), &its));
  }
  TRAMMEL_PETSC(VecRestoreArrayRead(x, &all));
}

void RadauEquations::spread(Vec x) {
  split(x);
  Layout& layout = assembler_.layout();
  for (std::size_t i = 0; i < x_.size(); ++i) layout.to_local(x_[i].get(), local_[i]);
  const double h = coefficients_.step;
  const auto unknowns = layout.unknowns();
  for (std::size_t index = 0; index < unknowns.size(); ++index) {
    const UnknownBlock& u = unknowns[index];
    if (!has_rate(u.kind)) continue;
    for (int i = 0; i < radau::stages; ++i) {
      const double* theirs = local_[at(other(i))].data() + u.local;
      double* v0 = stages_[at(i)].rate_offset().data() + u.offset.dof;
      double* a0 = stages_[at(i)].acceleration_offset().data() + u.offset.dof;
      const double* v = base_->rate.data() + u.offset.dof;
      const double rate = D[i][other(i)] / h, second = DD[i][other(i)] / (h * h),
                   start = (D[i][0] + D[i][1]) / h;
      for (int k = 0; k < u.size; ++k) {
        v0[k] = rate * theirs[k];
        a0[k] = second * theirs[k] - start * v[k];
      }
    }
    if (u.kind != BlockKind::rotation) continue;
    std::array<Vec3, radau::stages> p;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = Eigen::Map<const Vec3>(local_[i].data() + u.local);
      if (u.stabilizing_local >= 0) p[i] -= Eigen::Map<const Vec3>(local_[i].data() + u.stabilizing_local);
    }
    const bool found = charts_[index].solve(p);
    for (int i = 0; i < radau::stages; ++i)
      turns_[at(i)][index] = found ? charts_[index].turn(i) : Vec3::Constant(HUGE_VAL);
  }
}

bool RadauEquations::move_here(Vec x) {
  spread(x);
  bool fine = true;
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (!stages_[i].move_here(x_[i].get())) fine = false;
  told_ = stages_.size() - 1;
  return fine;
}

bool RadauEquations::residual(Vec x, Vec f) {
  spread(x);
  norms_ = {};
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    told_ = i;
    if (!stages_[i].residual(x_[i].get(), f_[i].get())) return false;
    take_larger(norms_, stages_[i].norms());
  }
  PetscScalar* all = nullptr;
  TRAMMEL_PETSC(VecGetArray(f, &all));
  const auto n = static_cast<std::size_t>(assembler_.layout().owned_size());
  for (std::size_t i = 0; i < f_.size(); ++i) {
    const PetscScalar* its = nullptr;
    TRAMMEL_PETSC(VecGetArrayRead(f_[i].get(), &its));
    for (std::size_t k = 0; k < n; ++k) all[place(k, i)] = its[k];
    TRAMMEL_PETSC(VecRestoreArrayRead(f_[i].get(), &its));
  }
  TRAMMEL_PETSC(VecRestoreArray(f, &all));
  return true;
}

// Evaluates the tangent of a stage by its own unknowns, and that by the unknowns of both stages together. The difference is the
// tangent by the unknowns of the other stage; terms that do not depend on these cancel exactly.
void RadauEquations::tangent(Mat J, LocalFault& fault) {
  const double h = coefficients_.step;
  const auto unknowns = assembler_.layout().unknowns();
  PetscInt first = 0, last = 0;
  TRAMMEL_PETSC(MatGetOwnershipRange(diagonal_.get(), &first, &last));
  std::vector<PetscInt> numbers;
  std::vector<PetscScalar> values;
  for (int i = 0; i < radau::stages; ++i) {
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      if (unknowns[k].kind != BlockKind::rotation) continue;
      const auto turned = charts_[k].tangent();
      own_[k] = turned.block<3, 3>(3 * i, 3 * i);
      both_[k] = own_[k] + turned.block<3, 3>(3 * i, 3 * other(i));
    }
    StepEquations& stage = stages_[at(i)];
    told_ = at(i);
    const int j = other(i);
    stage.tangent(diagonal_.get(), stage.coefficients(), own_, fault);
    stage.tangent(sum_.get(), coefficients_of(D[i][i] + D[i][j], DD[i][i] + DD[i][j], h), both_, fault);
    for (PetscInt row = first; row < last; ++row) {
      PetscInt n = 0;
      const PetscInt* columns = nullptr;
      const PetscScalar *own = nullptr, *both = nullptr;
      TRAMMEL_PETSC(MatGetRow(diagonal_.get(), row, &n, &columns, &own));
      const auto entries = static_cast<std::size_t>(n);
      numbers.resize(2 * entries);
      values.resize(2 * entries);
      for (std::size_t k = 0; k < entries; ++k) {
        numbers[2 * k] = radau::stages * columns[k];
        numbers[2 * k + 1] = numbers[2 * k] + 1;
        values[2 * k + at(i)] = own[k];
      }
      TRAMMEL_PETSC(MatRestoreRow(diagonal_.get(), row, &n, &columns, &own));
      TRAMMEL_PETSC(MatGetRow(sum_.get(), row, &n, nullptr, &both));
      for (std::size_t k = 0; k < entries; ++k) values[2 * k + at(j)] = both[k] - values[2 * k + at(i)];
      TRAMMEL_PETSC(MatRestoreRow(sum_.get(), row, &n, nullptr, &both));
      const PetscInt number = radau::stages * first + static_cast<PetscInt>(place(at(row - first), at(i)));
      TRAMMEL_PETSC(MatSetValues(J, 1, &number, static_cast<PetscInt>(numbers.size()), numbers.data(),
                                 values.data(), INSERT_VALUES));
    }
  }
  TRAMMEL_PETSC(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  TRAMMEL_PETSC(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
}

Mat RadauEquations::diagnosed(Mat J) const {
  PetscBool assembled = PETSC_FALSE;
  if (J != nullptr) TRAMMEL_PETSC(MatAssembled(J, &assembled));
  return assembled == PETSC_TRUE ? diagonal_.get() : nullptr;
}

void RadauEquations::measure_change(Vec change, FieldNorms& norms) const {
  split(change);
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].measure_change(x_[i].get(), norms);
}

bool RadauEquations::residual_is_finite() const {
  const bool first = stages_[0].residual_is_finite(), second = stages_[1].residual_is_finite();
  return first && second;
}

std::string RadauEquations::not_finite() const {
  for (const StepEquations& stage : stages_)
    if (std::string text = stage.not_finite(); !text.empty()) return text;
  return {};
}

}  // namespace trammel
