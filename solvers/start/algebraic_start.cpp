#include "solvers/start/algebraic_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/rank_exchange.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/newton/diagnosis.hpp"
#include "solvers/newton/first_block.hpp"
#include "solvers/newton/residual_origin.hpp"
#include "solvers/start/algebraic_rules.hpp"
#include "trammel/error.hpp"

namespace trammel {

namespace {

// An equation is solved if its residual is below this fraction of its size.
constexpr double solved = 1e-12;
// A residual below this fraction that an iteration does not halve is rounding.
constexpr double at_rounding = 1e-9;
constexpr int most_iterations = 100;
constexpr double shortest_part = 1e-8;
// A part of an increment is accepted if it achieves this fraction of the reduction that the linear model predicts.
constexpr double enough = 1e-4;

}  // namespace

bool AlgebraicStart::fail(std::string why) {
  why_ = std::move(why);
  return false;
}

void AlgebraicStart::require_equations(const State& state) {
  if (!assembler_.has_algebraic()) return;
  require_algebraic_rules(assembler_, state);
  AlgebraicSizes sizes;
  if (!algebraic_sizes(assembler_, state, sizes)) return;  // a solve tells
  const Layout& layout = assembler_.layout();
  const Model& model = assembler_.model();
  BlockId mine = no_block;
  int number = 0;
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = u.size - 1; u.owned && u.kind == BlockKind::algebraic && k >= 0; --k)
      if ((mine == no_block || u.block <= mine) &&
          sizes.equation[static_cast<std::size_t>(u.local + k)] == 0) {
        mine = u.block;
        number = k + 1;
      }
  const FirstBlock first = first_block(mine, layout.comm());
  if (first.block == no_block) return;
  MPI_Bcast(&number, 1, MPI_INT, first.rank, layout.comm());
  std::string name;  // other ranks need not know the block
  if (first.rank == layout.rank()) name = model.block_name(first.block);
  broadcast_text(name, first.rank, layout.comm());
  const Entity& entity = model.entities[static_cast<std::size_t>(entity_of(first.block))];
  throw Error(
      entity.where,
      fmt::format("{} '{}' ({}): algebraic unknown {} of '{}' has no equation: no element writes its row",
                  entity.category, entity.name, entity.type, number, name));
}

double AlgebraicStart::residual(const State& state, const AlgebraicSizes& sizes) {
  double largest = 0;
  if (!assembler_.residual(state, ConstraintLevel::position, r_.get()))
    return std::numeric_limits<double>::infinity();
  PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArray(r_.get(), &rows));
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned) continue;
    if (u.stabilizing_local >= 0) std::fill_n(rows + u.stabilizing_local, u.size, 0.0);
    if (u.kind != BlockKind::algebraic) {
      std::fill_n(rows + u.local, u.size, 0.0);
      continue;
    }
    for (int k = 0; k < u.size; ++k) {
      const auto i = static_cast<std::size_t>(u.local + k);
      const double g = std::abs(rows[i]);
      if (g <= sizes.rounding[i]) continue;
      const double part = sizes.equation[i] > 0 ? g / sizes.equation[i] : g;
      if (!(part <= largest)) largest = std::isnan(part) ? std::numeric_limits<double>::infinity() : part;
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(r_.get(), &rows));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, assembler_.layout().comm());
  return largest;
}

bool AlgebraicStart::increment(const State& state) {
  const Layout& layout = assembler_.layout();
  const OwnedMat J(assembler_.create_matrix());
  if (!assembler_.tangent(state, TangentWeights{}, J.get())) return fail(assembler_.rejection());
  std::vector<PetscInt> others;
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; u.owned && k < u.size; ++k) {
      if (u.kind != BlockKind::algebraic) others.push_back(u.global + k);
      if (u.stabilizing_local >= 0) others.push_back(u.stabilizing_global + k);
    }
  TRAMMEL_PETSC(MatSetOption(J.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  TRAMMEL_PETSC(MatZeroRowsColumns(J.get(), static_cast<PetscInt>(others.size()), others.data(), 1.0, nullptr,
                                   nullptr));
  OwnedKSP ksp;
  TRAMMEL_PETSC(KSPCreate(layout.comm(), ksp.fill()));
  TRAMMEL_PETSC(KSPSetOptionsPrefix(ksp.get(), "start_"));
  set_default_solver(ksp.get(), layout.ranks());
  TRAMMEL_PETSC(KSPSetFromOptions(ksp.get()));
  TRAMMEL_PETSC(KSPSetOperators(ksp.get(), J.get(), J.get()));
  bool broken = false;
  ++timings_.factorizations;
  const bool fine = factorize(ksp.get(), broken) && trammel::solve(ksp.get(), r_.get(), x_.get());
  PetscReal norm = 0;
  if (fine) TRAMMEL_PETSC(VecNorm(x_.get(), NORM_INFINITY, &norm));
  if (fine && std::isfinite(norm)) return true;
  return fail("their equations are singular where positions and velocities are given: " +
              describe_singular(assembler_, layout, J.get(), Search::certain));
}

bool AlgebraicStart::solve(State& state) {
  why_.clear();
  where_ = {};
  if (!assembler_.has_algebraic()) return true;
  Layout& layout = assembler_.layout();
  r_ = OwnedVec(layout.create_vector());
  x_ = OwnedVec(layout.create_vector());
  State now = state, trial;
  std::vector<double> step;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    AlgebraicSizes sizes;
    if (!algebraic_sizes(assembler_, now, sizes)) return fail(assembler_.rejection());
    const double error = residual(now, sizes);
    if (!std::isfinite(error)) return fail("their equations have no finite value");
    if (error <= solved || (error <= at_rounding && error > 0.5 * before)) {
      if (iteration > 0) state = std::move(now);
      return true;
    }
    before = error;
    if (!increment(now)) return false;
    layout.to_local(x_.get(), step);
    double part = 1;
    for (;; part /= 2) {
      if (part < shortest_part) {
        const WorstResidual worst = [&] {
          std::array<double, block_kinds> kinds{};
          kinds.fill(1e300);
          kinds[static_cast<std::size_t>(BlockKind::algebraic)] = 1;
          return worst_residual(assembler_, now, ConstraintLevel::position, kinds);
        }();
        where_ = worst.where;
        return fail(fmt::format("the equation {} of '{}' in {} is left at {:.3g}", worst.component + 1,
                                worst.name, worst.entity, worst.value));
      }
      trial = now;
      for (const UnknownBlock& u : layout.unknowns())
        for (int k = 0; u.kind == BlockKind::algebraic && k < u.size; ++k)
          trial.value[static_cast<std::size_t>(u.offset.value + k)] -=
              part * step[static_cast<std::size_t>(u.local + k)];
      layout.update_shared(trial);
      if (residual(trial, sizes) <= (1 - enough * part) * error) break;
    }
    std::swap(now, trial);
  }
  return fail(fmt::format("{} iterations do not find them", most_iterations));
}

void AlgebraicStart::require(State& state) {
  require_equations(state);
  if (!solve(state))
    throw Error(where_,
                fmt::format("at t = {:g} the algebraic unknowns cannot be found: {}", state.time, why_));
}

}  // namespace trammel
