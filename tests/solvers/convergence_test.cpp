#include "solvers/newton/convergence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"

/// The test of convergence where rounding is larger than the tolerance, and where there is nothing to be small against.
namespace trammel::testing {
namespace {

std::vector<Stage> dynamic(double until, double step) {
  DynamicStage d;
  d.until = until;
  d.step = step;
  return {Stage{"", d}};
}

TEST(Convergence, is_reached_without_any_force) {
  // Speeds and positions whose sums round: nothing but rounding is left as a scale of forces.
  for (const double speed : {0.1234567, 3.7654321, 1234.56789})
    for (const double step : {1e-5, 0.0137, 3.1}) {
      TestSystem m;
      m.entity("bob", "rigid_body");
      const Frame f = m.builder.add_frame("", Mat3::Identity(), Vec3(0.1, -0.7, 0.3),
                                          speed * Vec3(0.3, -0.7, 0.11), Vec3(0.1, 0.2, -0.3));
      m.builder.add(TopBody{2.7, Vec3(0.3, 0.3, 0.3), Vec3::Zero()}, {f.position, f.rotation});
      m.finish();
      Simulation run(*m.assembler);
      EXPECT_EQ(error_of(run, dynamic(20 * step, step)), "") << speed << " " << step;
      EXPECT_EQ(run.summary().timings.cuts, 0) << speed << " " << step;
      EXPECT_NEAR(m.rate(run.state(), f.position)[0], 0.3 * speed, 1e-12 * speed);
    }
}

TEST(Convergence, is_reached_without_force_in_a_stiff_body_that_flies) {
  for (const double speed : {0.1234567, 321.9876543}) {
    TestSystem m;
    m.entity("pair", "spring");
    const BlockId a = m.builder.add_position("a", Vec3(0.3, 0, 0), speed * Vec3(0.7, 0.1, 0)),
                  b = m.builder.add_position("b", Vec3(0.4, 0, 0), speed * Vec3(0.7, 0.1, 0));
    m.builder.add(Particle{0.37}, {a});
    m.builder.add(Particle{0.71}, {b});
    m.builder.add(StiffSpring{}, {a, b});
    m.finish();
    Simulation run(*m.assembler);
    EXPECT_EQ(error_of(run, dynamic(0.137, 0.00137)), "") << speed;
    EXPECT_EQ(run.summary().timings.cuts, 0) << speed;
  }
}

TEST(Convergence, is_not_denied_because_of_noise) {
  ModelScales scales;
  scales.length = 0.2;
  scales.mass = scales.heaviest = 2;
  ConvergenceTest test;
  test.begin(1e-11, scales, 1e7, 1e3, false);
  // A coasting bead off its line by 1e-3 m: no force at first, rounding after the constraint is met.
  FieldNorms norms;
  norms.residual[FieldNorms::constraint] = 1e-3;
  EXPECT_FALSE(test.accept(norms, {}, {0, true, true}));
  norms.residual = {};
  norms.residual[FieldNorms::force] = 2e-16;
  norms.acceleration = 1e-17;
  norms.change[0] = norms.size[0] = 1e-3;
  EXPECT_FALSE(test.accept(norms, {}, {1, true, true}));
  EXPECT_LE(test.contraction(), 1);
  norms.change[0] = 1e-17;
  EXPECT_TRUE(test.accept(norms, {}, {2, true, true}));
}

/// Iterates of a stiff model of 100 m with forces of 1 N, known to 9e-7 N at best, by a tolerance of 1e-8.
class AtRounding : public ::testing::Test {
 protected:
  AtRounding() {
    scales_.length = 100;
    scales_.stiffest = 4e6;
    scales_.heaviest = 0.2;
    contributions_.contribution[static_cast<std::size_t>(BlockKind::position)] = 1;
    test_.begin(1e-8, scales_, 1e6, 1e3);
    EXPECT_FALSE(accept(10, 10, 0, {0, false, true}));
    EXPECT_FALSE(accept(1e-4, 1e-4, 1e-6, {1, false, true}));
    EXPECT_FALSE(accept(1.3e-7, 0, 1e-10, {2, false, true}));
  }

  /// `force`: the residual [N]; `beyond`: what its rounding does not explain; `change`: of positions, in a step of 0.05 m.
  bool accept(double force, double beyond, double change, const ConvergenceTest::Iterate& iterate,
              double gap = 0) {
    FieldNorms norms;
    norms.residual[FieldNorms::force] = force;
    norms.beyond_rounding[FieldNorms::force] = beyond;
    norms.residual[FieldNorms::constraint] = gap;
    norms.change[FieldNorms::displacement] = change;
    norms.size[FieldNorms::displacement] = 0.05;
    return test_.accept(norms, contributions_, iterate);
  }

  ModelScales scales_;
  FieldScales contributions_;
  ConvergenceTest test_;
};

// An increment that changes a few digits yet: below what changes none (64 eps of 100 m) iterates are accepted anyhow.
constexpr double small = 2e-12;

TEST_F(AtRounding, one_iteration_that_does_not_help_is_enough_with_a_kept_tangent) {
  EXPECT_TRUE(accept(1.1e-7, 0, small, {3, false, true}));
  EXPECT_TRUE(test_.accepted_at_rounding());
}

TEST_F(AtRounding, an_iteration_that_helps_is_followed_by_another) {
  EXPECT_FALSE(accept(5e-8, 0, small, {3, false, true}));
  EXPECT_TRUE(accept(4e-8, 0, small, {4, false, true}));
}

TEST_F(AtRounding, a_residual_above_rounding_must_fall_below_the_tolerance) {
  for (int k = 3; k < 20; ++k) EXPECT_FALSE(accept(1.1e-7, 2e-8, small, {k, false, true})) << k;
  EXPECT_TRUE(accept(1.1e-7, 0.9e-8, small, {20, false, true}));
}

TEST_F(AtRounding, an_increment_above_rounding_is_followed_by_another) {
  EXPECT_FALSE(accept(1.1e-7, 0, 1e-7, {3, false, true}));
  EXPECT_FALSE(accept(1.1e-7, 0, 6e-9, {4, false, true}));  // by its reduction, one of 4e-10 m is to follow
  EXPECT_TRUE(accept(1.1e-7, 0, small, {5, false, true}));
}

TEST_F(AtRounding, other_fields_must_have_converged) {
  for (int k = 3; k < 20; ++k) EXPECT_FALSE(accept(1.1e-7, 0, small, {k, false, true}, 1e-10)) << k;
  EXPECT_FALSE(accept(1.1e-7, 0, small, {20, false, true}, 1e-14));  // which helped
  EXPECT_TRUE(accept(1.1e-7, 0, small, {21, false, true}, 1e-14));
}

TEST_F(AtRounding, steps_of_a_line_search_do_not_count) {
  for (int k = 3; k < 20; ++k) EXPECT_FALSE(accept(1.1e-7, 0, small, {k, true, false})) << k;
}

TEST_F(AtRounding, increments_of_the_last_digits_do_not_end_what_still_converges) {
  test_.begin(1e-13, scales_, 1e6, 1e3);
  EXPECT_FALSE(accept(10, 10, 0, {0, false, true}));
  EXPECT_FALSE(accept(1e-2, 1e-2, 1e-8, {1, false, true}));
  EXPECT_FALSE(accept(1e-5, 1e-5, 1e-13, {2, false, true}));
  EXPECT_FALSE(accept(1e-8, 1e-8, 1e-14, {3, false, true}));
  // The same tangent was a thousand times better before: this is rounding.
  EXPECT_TRUE(accept(0.9e-8, 0.9e-8, 1e-14, {4, false, true}));
}

TEST_F(AtRounding, a_slow_tangent_is_not_taken_for_rounding) {
  test_.begin(1e-13, scales_, 1e6, 1e3);
  double force = 1e-4;
  EXPECT_FALSE(accept(force, force, 0, {0, false, true}));
  for (int k = 1; k < 20; ++k) {
    force *= 0.7;
    EXPECT_FALSE(accept(force, force, 1e-13, {k, false, true})) << k;
  }
  EXPECT_TRUE(accept(force, force, 1e-13, {20, true, true}));
}

TEST_F(AtRounding, no_prediction_is_accepted) {
  test_.begin(1e-8, scales_, 1e6, 1e3);
  EXPECT_FALSE(accept(1.1e-7, 0, 0, {0, false, true}));
}

TEST_F(AtRounding, in_statics_no_iteration_need_fail_where_the_next_increment_has_no_digits) {
  const auto third = [&](double stiffness, double beyond, double change) {
    test_.begin(1e-8, scales_, stiffness, 0);
    EXPECT_FALSE(accept(10, 10, 0, {0, false, true}));
    EXPECT_FALSE(accept(1e-4, 1e-4, 1e-7, {1, false, true}));
    return accept(1.3e-7, beyond, change, {2, false, true});
  };
  EXPECT_TRUE(third(0, 0, 1e-11));
  EXPECT_TRUE(test_.accepted_at_rounding());
  EXPECT_FALSE(third(0, 2e-8, 1e-11));  // more than rounding
  EXPECT_FALSE(third(0, 0, 1e-10));     // an increment of 1e-13 m is to follow
  EXPECT_FALSE(third(1e6, 0, 1e-11));   // in dynamics
}

/// Holds the point X of a frame at a place by a stiff spring.
struct StiffPivot {
  Vec3 X, at;
  double stiffness = 1e9;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Mat3 R = x.rotation(1), B = -R * skew(X);
    const Vec3 n = stiffness * (x.position(0) + R * X - at);
    out.residual().head<3>() = n;
    out.residual().tail<3>() = B.transpose() * n;
    if (!out.request.tangent) return;
    Eigen::Matrix<double, 3, 6> gradient;
    gradient << Mat3::Identity(), B;
    out.K() = stiffness * gradient.transpose() * gradient;
    out.K().bottomRightCorner<3, 3>() += skew(X) * skew(R.transpose() * n);
  }
};

/// A small pendulum on a stiff pivot, so far from the origin: where it is after 0.2 s by the pivot, and what that took.
struct Swing {
  Vec3 end;
  Timings counts;

  explicit Swing(double far) {
    const Vec3 lever(0.05, 0, 0), pivot(far, 0, 0);
    TestSystem m;
    m.entity("bob", "rigid_body");
    const Frame f = m.builder.add_frame("", Mat3::Identity(), pivot + lever);
    m.builder.add(TopBody{0.05, Vec3(1e-5, 2e-5, 3e-5), Vec3(0, -9.81, 0)}, {f.position, f.rotation});
    m.builder.add(StiffPivot{-lever, pivot}, {f.position, f.rotation});
    m.finish();
    Simulation run(*m.assembler);
    run.run(dynamic(0.2, 1e-3));
    end = Eigen::Map<const Vec3>(m.value(run.state(), f.position)) - pivot;
    counts = run.summary().timings;
  }
};

// Far away the pivot's force is known to 1e9 N/m times the last digit of 100 m, 14 uN, and the tolerance is some nN.
TEST(Rounding, does_not_cost_iterations_nor_digits) {
  const Swing near(0), far(100);
  EXPECT_EQ(far.counts.cuts, 0);
  EXPECT_LE(far.counts.iterations, 1.5 * static_cast<double>(near.counts.iterations));
  EXPECT_LE(far.counts.factorizations, 1.5 * static_cast<double>(near.counts.factorizations));
  // A digit of the pivot in a step is one of the acceleration, over h^2: after N steps N^2/2 digits if all err to one side.
  EXPECT_LT((far.end - near.end).norm(), 0.5 * 200 * 200 * 1.4e-14);
}

}  // namespace
}  // namespace trammel::testing
