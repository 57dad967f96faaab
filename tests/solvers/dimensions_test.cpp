#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/model_scales.hpp"
#include "solvers/newton/step_equations.hpp"
#include "test_models.hpp"

/// Numbers of different dimensions side by side: each is judged by its own.
namespace trammel::testing {
namespace {

/// y' = rate y (1 - y / full).
struct Logistic {
  double rate = 20, full = 1;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double y = x.value(0)[0];
    out.residual()[0] = x.rate(0)[0] - rate * y * (1 - y / full);
    if (!out.request.tangent) return;
    out.K()(0, 0) = -rate * (1 - 2 * y / full);
    out.D()(0, 0) = 1;
  }
};

// Size of a pressure [Pa] and of a displacement [m].
constexpr double large = 1e7, small = 1e-6;

struct Ends {
  double pressure = 0, displacement = 0;
  std::int64_t iterations = 0;
};

/// Final values of pressure and displacement with these nominal sizes, if given.
Ends grow(std::optional<double> of_pressure, std::optional<double> of_displacement) {
  TestSystem m;
  BlockId states[2] = {no_block, no_block};
  const auto add = [&](int i, const char* name, const std::optional<double>& nominal, double full,
                       double start) {
    if (!nominal) return;
    m.entity(name);
    const Measure measure = Measure::nominal(*nominal);
    states[i] = m.builder.add_states(name, {&start, 1}, {&measure, 1}, "");
    m.builder.add(Logistic{20, full}, {states[i]});
  };
  add(0, "pressure", of_pressure, large, 0.999 * large);
  add(1, "displacement", of_displacement, small, 0.01 * small);
  m.finish();
  Simulation run(*m.assembler);
  DynamicStage stage;
  stage.until = 0.24;  // the displacement is half grown
  stage.step = 0.02;
  run.run(std::vector{Stage{"", stage}});
  EXPECT_EQ(run.summary().timings.cuts, 0);
  const auto end = [&](BlockId id) { return id == no_block ? 0 : *m.value(run.state(), id); };
  return {end(states[0]), end(states[1]), run.summary().timings.iterations};
}

TEST(Dimensions, let_states_converge_by_their_own_sizes) {
  const double pressure = grow(large, {}).pressure, displacement = grow({}, small).displacement;
  const Ends both = grow(large, small);
  EXPECT_NEAR(both.pressure, pressure, 1e-9 * pressure);
  EXPECT_NEAR(both.displacement, displacement, 1e-7 * displacement);
  // Judged by the size of the pressure, as by the largest number of all, the displacement is wrong.
  EXPECT_GT(std::abs(grow(large, large).displacement - displacement), 1e-3 * displacement);
}

TEST(Dimensions, let_a_state_far_beyond_its_nominal_size_converge_by_its_magnitude) {
  const Ends right = grow(large, small), beyond = grow(1e-3, 1e-3 * small);
  EXPECT_NEAR(beyond.pressure, right.pressure, 1e-9 * right.pressure);
  EXPECT_NEAR(beyond.displacement, right.displacement, 1e-7 * right.displacement);
  EXPECT_LE(beyond.iterations, right.iterations + 12);  // one a step
}

TEST(Dimensions, are_not_needed_for_a_single_state) {
  const double right = grow({}, small).displacement;
  for (const double nominal : {1e-12, 1.0, 1e7})
    EXPECT_NEAR(grow({}, nominal).displacement, right, 1e-7 * right) << nominal;
}

/// Constant forces on three coordinates.
struct Push {
  Vec3 force = Vec3::Zero();
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual() = -force;
    for (int k = 0; k < 3; ++k) out.residual()[k] += x.second_rate(0)[k];
    if (out.request.tangent) out.M().setIdentity();
  }
};

/// Coordinates of one block that measure a length, an angle and a parameter from 0 to 50, in a model of 4 m.
struct MixedCoordinates : TestSystem {
  static constexpr double length = 4, parameter = 50;
  BlockId q = no_block;

  explicit MixedCoordinates(const Vec3& force) {
    entity("bead");
    builder.add(Particle{}, {builder.add_position("", Vec3(length, 0, 0))});
    entity("mixed");
    const Measure measures[] = {Measure::length(), Measure::angle(), Measure::nominal(parameter)};
    const double zero[3] = {0, 0, 0};
    q = builder.add_coordinates("q", zero, zero, measures, "");
    builder.add(Push{force}, {q});
    finish();
  }
};

TEST(Dimensions, may_differ_between_rows_of_one_block) {
  constexpr double L = MixedCoordinates::length, n = MixedCoordinates::parameter;
  const double metres[3] = {1, L, L / n};
  for (int k = 0; k < 3; ++k) {
    MixedCoordinates m(7 * Vec3::Unit(k));
    const State start = m.layout->initial_state();
    StepEquations equations(*m.assembler, measure_scales(*m.assembler, start));
    ASSERT_DOUBLE_EQ(equations.scales().length, L);
    equations.begin(start, 0, {.velocity = 10, .acceleration = 100, .state_rate = 10, .step = 0.1}, 1);
    const OwnedVec x(m.layout->create_vector()), f(m.layout->create_vector());
    TRAMMEL_PETSC(VecZeroEntries(x.get()));
    ASSERT_TRUE(equations.residual(x.get(), f.get()));
    FieldNorms norms = equations.norms();
    EXPECT_DOUBLE_EQ(norms.residual[FieldNorms::generalized], 7 / metres[k]) << k;

    const PetscInt at = m.layout->unknown_of(m.q)->global + k;
    TRAMMEL_PETSC(VecSetValue(x.get(), at, 0.3, INSERT_VALUES));
    TRAMMEL_PETSC(VecAssemblyBegin(x.get()));
    TRAMMEL_PETSC(VecAssemblyEnd(x.get()));
    ASSERT_TRUE(equations.residual(x.get(), f.get()));
    norms = equations.norms();
    EXPECT_DOUBLE_EQ(norms.size[FieldNorms::coordinate], 0.3 * metres[k]) << k;
    equations.measure_change(x.get(), norms);
    EXPECT_DOUBLE_EQ(norms.change[FieldNorms::coordinate], 0.3 * metres[k]) << k;
    // The scale of forces refers to the size of a parameter, as for a moment.
    EXPECT_DOUBLE_EQ(m.assembler->scales().contribution[static_cast<std::size_t>(BlockKind::coordinate)],
                     k == 2 ? n * std::abs(30.0 - 7) : std::abs(30.0 - 7))
        << k;
  }
}

}  // namespace
}  // namespace trammel::testing
