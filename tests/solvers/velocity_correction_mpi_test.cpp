// Corrections of velocities at the end of a step, and what they read of the assembler.

#include "solvers/constraints/velocity_correction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/newton/model_scales.hpp"
#include "test_models.hpp"
#include "trammel/index.hpp"

namespace trammel::testing {
namespace {

constexpr double ratio = 2000, tolerance = 1e-8;

/// Turns all rods by one angle about the vertical, and lets them spin in different ways.
void disturb(const Chain& chain, State& state) {
  for (const UnknownBlock& u : chain.layout->unknowns()) {
    double* const value = &state.value[at(u.offset.value)];
    double* const rate = &state.rate[at(u.offset.dof)];
    if (u.kind == BlockKind::rotation) set_rotation(value, so3::exp_quaternion(Vec3(0, 0.3, 0)));
    for (int k = 0; k < u.size; ++k) {
      if (is_kinematic(u.kind)) rate[k] = std::sin(1.0 + static_cast<double>(u.block) + k);
      if (is_multiplier(u.kind)) value[k] = std::cos(static_cast<double>(u.block) + k);
    }
  }
  chain.layout->update_shared(state);
}

/// Largest difference of this vector's rows, and of `rows` by dof offset, in owned blocks of multipliers.
double difference(const TestSystem& chain, Vec r, const std::vector<double>& rows) {
  double largest = 0;
  const PetscScalar* its = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(r, &its));
  for (const UnknownBlock& u : chain.layout->unknowns())
    for (int k = 0; u.owned && is_multiplier(u.kind) && k < u.size; ++k)
      largest = std::max(largest, std::abs(its[u.local + k] - rows[at(u.offset.dof + k)]));
  TRAMMEL_PETSC(VecRestoreArrayRead(r, &its));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return largest;
}

/// Rows of multipliers by dof offset, also of blocks that other ranks own.
std::vector<double> multiplier_rows(const TestSystem& chain, Vec r) {
  std::vector<double> local, rows(chain.layout->dof_count(), 0.0);
  chain.layout->to_local(r, local);
  for (const UnknownBlock& u : chain.layout->unknowns())
    if (is_multiplier(u.kind)) std::copy_n(local.begin() + u.local, u.size, rows.begin() + u.offset.dof);
  return rows;
}

TEST(Assembler, gives_positions_with_a_residual_at_velocity_level) {
  Chain chain(8);
  State state = chain.layout->initial_state();
  disturb(chain, state);
  const OwnedVec positions(chain.layout->create_vector()), rates(chain.layout->create_vector());
  ASSERT_TRUE(chain.assembler->residual(state, ConstraintLevel::position, positions.get()));
  ASSERT_TRUE(chain.assembler->residual(state, ConstraintLevel::velocity, rates.get()));
  const std::span<const double> beside = chain.assembler->position_rows();
  double largest[2] = {0, 0};  // of what the rank of an instance has, and of all
  for (const double row : beside) largest[0] = std::max(largest[0], std::abs(row));
  for (const double row : multiplier_rows(chain, positions.get()))
    largest[1] = std::max(largest[1], std::abs(row));
  MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  EXPECT_GT(largest[1], 0.1);
  EXPECT_DOUBLE_EQ(largest[0], largest[1]);
}

TEST(Assembler, gives_the_rates_of_constraints_alone) {
  Chain chain(8);
  State state = chain.layout->initial_state();
  disturb(chain, state);
  const OwnedVec all(chain.layout->create_vector()), alone(chain.layout->create_vector());
  ASSERT_TRUE(chain.assembler->residual(state, ConstraintLevel::velocity, all.get()));
  LocalFault fault;
  chain.assembler->residual(state, ConstraintLevel::velocity, alone.get(), fault, true);
  ASSERT_TRUE(chain.assembler->agree(fault));
  EXPECT_EQ(difference(chain, alone.get(), multiplier_rows(chain, all.get())), 0);
}

/// A model at its initial state, and corrections there.
template <class Model>
struct Corrected {
  Model model;
  Timings timings;
  State state = model.layout->initial_state();
  ConstrainedMass mass{*model.assembler, measure_scales(*model.assembler, state), timings};
  VelocityCorrection correction{mass};

  template <class... Arguments>
  explicit Corrected(Arguments... arguments) : model(arguments...) {}

  bool correct() {
    if (!correction.correct(state, ratio, tolerance, false)) return false;
    RankTotals totals;
    correction.keep(totals);
    totals.agree(*model.assembler);
    return true;
  }
  double rates() {
    EXPECT_TRUE(model.assembler->residual(state, ConstraintLevel::velocity, mass.r()));
    double largest = 0;
    for (const double row : multiplier_rows(model, mass.r())) largest = std::max(largest, std::abs(row));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    return largest;
  }
};

TEST(VelocityCorrection, satisfies_rates_and_tells_the_gaps_of_positions) {
  Corrected<Chain> its(8);
  disturb(its.model, its.state);
  ASSERT_GT(its.rates(), 0.1);
  ASSERT_TRUE(its.correct());
  EXPECT_LT(its.rates(), 1e-9);
  EXPECT_LT(its.correction.rate(), 1e-9);
  double gap = 0;
  ASSERT_TRUE(its.model.assembler->residual(its.state, ConstraintLevel::position, its.mass.r()));
  for (const double row : multiplier_rows(its.model, its.mass.r())) gap = std::max(gap, std::abs(row));
  MPI_Allreduce(MPI_IN_PLACE, &gap, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  EXPECT_DOUBLE_EQ(its.correction.gaps().position, gap);
  EXPECT_DOUBLE_EQ(its.correction.gaps().distance, gap);
}

/// A body whose centre is held: its velocity is the rate of the constraint.
struct HeldBody : TestSystem {
  HeldBody() {
    entity("body", "rigid_body");
    const Frame frame = builder.add_frame("", Mat3::Identity(), Vec3::Zero());
    builder.add(TopBody{}, {frame.position, frame.rotation});
    entity("pivot", "spherical");
    builder.add(HeldPoint{}, {frame.position, frame.rotation, add_force()});
    finish();
  }
};

TEST(VelocityCorrection, looks_at_rates_alone_while_none_is_open) {
  Corrected<HeldBody> its;
  ASSERT_TRUE(its.correct());  // forces come to balance
  its.correction.drop();
  ASSERT_TRUE(its.correct());  // and nothing is left
  for (double& number : its.state.acceleration) number += 1e-3;
  its.model.layout->update_shared(its.state);
  const std::vector<double> unbalanced = its.state.acceleration;
  ASSERT_TRUE(its.correct());
  EXPECT_EQ(its.state.acceleration, unbalanced) << "forces were looked at";

  for (double& number : its.state.rate) number += 1;
  its.model.layout->update_shared(its.state);
  ASSERT_EQ(its.rates(), 1);
  ASSERT_TRUE(its.correct());
  EXPECT_LT(its.rates(), 1e-15);
}

}  // namespace
}  // namespace trammel::testing
