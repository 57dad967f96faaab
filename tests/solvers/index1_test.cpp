#include <gtest/gtest.h>

#include <cmath>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/model_scales.hpp"
#include "solvers/start/consistent_start.hpp"
#include "test_models.hpp"

namespace trammel::testing {
namespace {

DynamicStage index1(double until, double step, bool projection = true) {
  DynamicStage d;
  d.form = DynamicStage::Form::index1;
  d.projection = projection;
  d.until = until;
  d.step = step;
  d.newton.tolerance = 1e-12;
  return d;
}

std::vector<Stage> stages(const DynamicStage& stage) { return {Stage{"", stage}}; }

/// Largest violation of constraints at one level.
double open(TestSystem& s, const State& state, ConstraintLevel level) {
  const OwnedVec r(s.layout->create_vector());
  if (!s.assembler->residual(state, level, r.get())) return HUGE_VAL;
  const PetscScalar* rows = nullptr;
  double largest = 0;
  TRAMMEL_PETSC(VecGetArrayRead(r.get(), &rows));
  for (const UnknownBlock& u : s.layout->unknowns())
    if (is_multiplier(u.kind))
      for (int k = 0; k < u.size; ++k) largest = std::max(largest, std::abs(rows[u.local + k]));
  TRAMMEL_PETSC(VecRestoreArrayRead(r.get(), &rows));
  return largest;
}

TEST(Index1, satisfies_the_constraints_by_projection_and_drifts_without_it) {
  for (const bool projection : {true, false}) {
    HeavyTop top;
    Simulation run(*top.assembler);
    run.run(stages(index1(1, 1e-3, projection)));
    const double gap = open(top, run.state(), ConstraintLevel::position),
                 rate = open(top, run.state(), ConstraintLevel::velocity),
                 acceleration = open(top, run.state(), ConstraintLevel::acceleration);
    EXPECT_GE(run.summary().largest_violation, gap);
    EXPECT_GE(run.summary().largest_rate_violation, rate);
    if (projection) {
      EXPECT_LT(run.summary().largest_violation, 1e-13);
      EXPECT_LT(run.summary().largest_rate_violation, 1e-11);
    } else {
      EXPECT_GT(gap, 1e-7);
      EXPECT_LT(acceleration, 1e-7);
    }
  }
}

/// The rows B v' + bias change with x through v', v and q. Without the part through v Newton's method gained half of the
/// angle of a step with each iteration, here 1 - 0.15/2.
TEST(Index1, converges_as_fast_as_index_3) {
  double iterations[2];
  for (int i = 0; i < 2; ++i) {
    HeavyTop top;
    Simulation run(*top.assembler);
    DynamicStage d = index1(0.1, 1e-3);
    d.newton.keep_tangent = false;
    if (i == 1) d.form = DynamicStage::Form::index3;
    run.run(stages(d));
    iterations[i] = static_cast<double>(run.summary().timings.iterations) /
                    static_cast<double>(run.summary().timings.steps);
  }
  EXPECT_LT(iterations[0], iterations[1] + 1) << iterations[0] << " " << iterations[1];
}

TEST(Index1, gives_the_accelerations_and_multipliers_of_the_state) {
  double error[2];
  for (int i = 0; i < 2; ++i) {
    HeavyTop top;
    Simulation run(*top.assembler);
    run.run(stages(index1(0.2, 1e-3 / (1 << i))));
    State exact = run.state();
    ModelHistory history(*top.assembler);
    ConsistentStart start(history, measure_scales(*top.assembler, exact),
                          const_cast<Timings&>(run.summary().timings));
    start.accelerations(exact);
    error[i] = 0;
    double size = 0;
    for (std::size_t k = 0; k < exact.acceleration.size(); ++k) {
      error[i] = std::max(error[i], std::abs(exact.acceleration[k] - run.state().acceleration[k]));
      size = std::max(size, std::abs(exact.acceleration[k]));
    }
    EXPECT_LT(error[i], 1e-3 * size);
  }
  // What the projection moves in one step is of third order.
  EXPECT_GT(std::log2(error[0] / error[1]), 2.5) << error[0] << " " << error[1];
}

TEST(Index1, keeps_the_energy_to_second_order) {
  double gain[2];
  for (int i = 0; i < 2; ++i) {
    HeavyTop top;
    Simulation run(*top.assembler);
    DynamicStage d = index1(0.5, 5e-4 / (1 << i));
    d.radius = 1;
    run.run(stages(d));
    gain[i] = run.summary().largest_gain;
  }
  EXPECT_LT(gain[0], 1);  // of 2637 J
  EXPECT_GT(std::log2(gain[0] / gain[1]), 1.8) << gain[0] << " " << gain[1];
}

/// A top on a pivot and a state that follows its height.
struct Height {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[3] = x.rate(1)[0] + 5 * (x.value(1)[0] - x.position(0)[2]);
    if (!out.request.tangent) return;
    out.K()(3, 3) = 5;
    out.K()(3, 2) = -5;
    out.D()(3, 3) = 1;
  }
};

TEST(Index1, works_with_first_order_states) {
  double value[3];
  for (int i = 0; i < 3; ++i) {
    TestSystem m;
    m.entity("top", "rigid_body");
    const Frame f = m.builder.add_frame("", Mat3::Identity(), Vec3(0, 1, 0));
    m.builder.add(TopBody{}, {f.position, f.rotation});
    m.entity("pivot", "spherical");
    m.builder.add(HeldPoint{Vec3(0, -1, 0), Vec3::Zero()}, {f.position, f.rotation, m.add_force()});
    m.entity("height");
    const BlockId y = m.add_state("y");
    m.builder.add(Height{}, {f.position, y});
    m.finish();
    Simulation run(*m.assembler);
    run.run(stages(index1(0.6, 0.02 / (1 << i))));
    value[i] = *m.value(run.state(), y);
  }
  EXPECT_NEAR(std::log2((value[0] - value[1]) / (value[1] - value[2])), 2, 0.1)
      << value[0] << " " << value[1] << " " << value[2];
}

}  // namespace
}  // namespace trammel::testing
