#include "solvers/methods/constraint_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/start/algebraic_start.hpp"

namespace trammel {

namespace {

// Smallest attainable violation of a constraint between numbers of size 1, and the largest one that is accepted.
constexpr double rounding_error = 64 * std::numeric_limits<double>::epsilon();
constexpr double most_left = 1e-9;
// With one factorization the violation falls by the relative size of the move; a step's drift needs one or two passes.
constexpr int most_passes = 10;

/// Takes multipliers away while it lives: the row of a joint that is inactive is its multiplier, and no gap. What is
/// added to them meanwhile stays.
class WithoutMultipliers {
 public:
  WithoutMultipliers(const Layout& layout, State& state)
      : layout_(layout), state_(state), kept_(state.value) {
    each([](double& value, double) { value = 0; });
  }
  ~WithoutMultipliers() {
    each([](double& value, double kept) { value += kept; });
  }
  WithoutMultipliers(const WithoutMultipliers&) = delete;
  WithoutMultipliers& operator=(const WithoutMultipliers&) = delete;

 private:
  template <class Use>
  void each(Use&& use) {
    for (const UnknownBlock& u : layout_.unknowns())
      if (is_multiplier(u.kind))
        for (int k = 0; k < u.size; ++k) {
          const auto i = static_cast<std::size_t>(u.offset.value + k);
          use(state_.value[i], kept_[i]);
        }
  }

  const Layout& layout_;
  State& state_;
  std::vector<double> kept_;
};

}  // namespace

bool ConstraintProjection::open(const State& state, ConstraintLevel level, double& violation) {
  if (!mass_.assembler().residual(state, level, mass_.r())) {
    why_ = "where the constraints are satisfied " + mass_.assembler().rejection();
    return false;
  }
  const bool positions = level == ConstraintLevel::position;
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    // A slipping row is no constraint.
    const bool holds = mass_.assembler().statuses().of(u.block, 0) != RowStatus::slips;
    if (holds &&
        (u.kind == BlockKind::multiplier || (!positions && u.kind == BlockKind::velocity_multiplier)))
      return;
    std::fill_n(rows, u.size, 0.0);
  });
  double largest[2] = {0, mass_.zero_redundant()};
  mass_.each_owned([&](const UnknownBlock& u, double* rows) {
    const Block& block = mass_.assembler().model().block(u.block);
    for (int k = 0; k < u.size; ++k) {
      const double gap = std::abs(rows[k]) / typical_size(block.measure(k));
      if (!(gap <= largest[0])) largest[0] = gap;
      rows[k] = -rows[k];
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, mass_.assembler().layout().comm());
  violation = largest[0];
  if (positions) redundant_ = largest[1];
  return true;
}

bool ConstraintProjection::solve(const State& state) {
  if (!prepared_) prepared_ = mass_.prepare(state);
  if (prepared_ && mass_.solve()) return true;
  why_ = mass_.why();
  return false;
}

bool ConstraintProjection::close(State& state, ConstraintLevel level, double size) {
  const bool rates = level == ConstraintLevel::velocity;
  double& left = rates ? rate_ : position_;
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0;; ++pass) {
    if (!open(state, level, left)) return false;
    if (left <= rounding_error * size) return true;
    if (!(left <= 0.5 * before) || pass == most_passes) break;
    if (!solve(state)) return false;
    if (rates)
      mass_.change_velocities(state);
    else
      mass_.move(state, 1);
    before = left;
  }
  if (left <= most_left * size) return true;
  why_ = fmt::format("the projection leaves {} open by {:.3g}",
                     rates ? "rates of constraints" : "constraints", left);
  return false;
}

bool ConstraintProjection::close_accelerations(State& state) {
  double left = 0;
  for (int pass = 0; pass < 2; ++pass) {
    if (!open(state, ConstraintLevel::acceleration, left)) return false;
    if (left == 0) return true;
    if (!solve(state)) return false;
    mass_.accelerate(state);
  }
  return true;
}

bool ConstraintProjection::project(State& state) {
  prepared_ = false;
  const Layout& layout = mass_.assembler().layout();
  const WithoutMultipliers scope(layout, state);
  const double length = std::max(1.0, mass_.scales().length);
  if (!close(state, ConstraintLevel::position, length)) return false;
  double fastest = 0;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!is_kinematic(u.kind)) continue;
    const Block& block = mass_.assembler().model().block(u.block);
    for (int k = 0; k < u.size; ++k)
      fastest = std::max(fastest, std::abs(state.rate[static_cast<std::size_t>(u.offset.dof + k)]) /
                                      typical_size(block.measure(k)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, layout.comm());
  if (!close(state, ConstraintLevel::velocity, length * fastest)) return false;
  AlgebraicStart algebraic(mass_.assembler(), mass_.timings());
  if (!algebraic.solve(state)) {
    why_ = "after the projection the algebraic unknowns cannot be found: " + algebraic.why();
    return false;
  }
  return close_accelerations(state);
}

bool ConstraintProjection::measure(State& state) {
  const WithoutMultipliers scope(mass_.assembler().layout(), state);
  return open(state, ConstraintLevel::position, position_) && open(state, ConstraintLevel::velocity, rate_);
}

}  // namespace trammel
