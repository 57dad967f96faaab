#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "law_samples.hpp"
#include "plain_case.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/marker_constraint.hpp"
#include "trammel/velocity_constraint.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;

/// Three markers, a coordinate and time: orientations of two of them against each other, a length, a volume.
class Knot : public MarkerConstraint<Knot, 3, 3, 1, true> {
 public:
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::angle,
                                                       Dimension::length};
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"slack", "m", Measure::length()}}};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = (x.p[1] - x.p[0]).norm() + (x.p[2] - x.p[1]).norm() - 2.0 * x.c[0] * cos(x.t);
    C[1] = dot(x.R[1].col(0), x.R[2].col(2)) + 0.2 * x.R[1](0, 1) * x.R[2](1, 1);
    C[2] = dot(x.p[1], cross(x.p[2], Vec3T<S>(x.R[2].col(0)))) + x.c[0] * x.c[0] - 0.1 * x.t * x.t;
  }
};

static_assert(Knot::dimensions.size() == 3);

const std::vector<std::pair<BlockKind, int>> knot_blocks{{BlockKind::coordinate, 1},
                                                         {BlockKind::multiplier, 3}};

template <class E>
void expect_balance(const Sample<E>& sample, int equations) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const Evaluation e = evaluate(sample.range, 0, s, {false, true, false});
    EXPECT_LT(resultant(s, e.residual).norm(), 1e-12 * (1 + e.residual.norm()));
    const TestState moved =
        carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
    const Evaluation f = evaluate(sample.range, 0, moved, {false, true, false});
    EXPECT_LT((e.residual - f.residual).tail(equations).norm(), 1e-11 * (1 + e.residual.norm()));
    if (e.rate.size() > 0) {
      EXPECT_LT((e.rate - f.rate).tail(equations).norm(), 1e-11 * (1 + e.rate.norm()));
    }
  }
}

TEST(MarkerConstraint, has_exact_derivatives) {
  expect_exact(placed(Knot(), tilted_markers(3), knot_blocks));
  for (std::size_t which = 0; which < 3; ++which) {
    expect_exact(placed(Knot(), with_ground(3, which), knot_blocks));
    expect_exact(placed(Knot(), with_moving(3, which), knot_blocks));
  }
}

/// What leaves the system is the power of the explicit dependence on time.
TEST(MarkerConstraint, has_powers_that_balance) {
  for (const std::vector<Marker>& markers : {tilted_markers(3), with_moving(3, 0), with_moving(3, 2)}) {
    const Sample<Knot> sample = placed(Knot(), markers, knot_blocks);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      EXPECT_NEAR(power_error(sample.range, 0, s), 0, 1e-8);
      const double by_time = power_of_time(sample.range, 0, s);
      EXPECT_NEAR(by_time, sample.range.energy(0, s.local()).dissipated_power,
                  1e-11 * (1 + std::abs(by_time)));
    }
  }
}

TEST(MarkerConstraint, is_objective) { expect_balance(placed(Knot(), tilted_markers(3), knot_blocks), 3); }

/// The wrenches that it reports are those of its residual.
TEST(MarkerConstraint, reports_forces_of_its_multipliers) {
  Sample<Knot> sample = placed(Knot(), tilted_markers(3), knot_blocks);
  sample.test_state.disturb(3);
  RecordedOutputs outputs;
  sample.range.outputs(0, sample.test_state.local(), {}, outputs);
  const Evaluation e = evaluate(sample.range, 0, sample.test_state, {});
  for (int k = 0; k < 3; ++k) {
    const std::string name = std::string("force_on_") + static_cast<char>('A' + k);
    EXPECT_LT((outputs.vectors.at(name) + e.residual.segment<3>(6 * k)).norm(), 1e-12) << name;
  }
}

/// Two rows that read everything: a slip in the axes of B at a point that leans, and a spin driven in time.
class Slip : public VelocityConstraint<Slip, 2> {
 public:
  static constexpr std::array<Dimension, 2> dimensions{Dimension::velocity, Dimension::spin};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S> arm = x.R_AB.col(2) * x.p_AB_A[2] + Vec3T<S>(x.p_AB_A * sin(x.t));
    C[0] = dot(x.R_AB.col(1), x.v_AB_A + cross(x.w_AB_A, arm)) - 0.3 * x.t * x.p_AB_A[0];
    C[1] = dot(x.R_AB.col(0), x.w_AB_A) * x.p_AB_A[1] + x.R_AB(2, 2) * x.v_AB_A[0] - cos(x.t) * x.R_AB(0, 1);
  }
};
static_assert(Slip::dimensions.size() == 2);

const std::vector<std::pair<BlockKind, int>> slip_blocks{{BlockKind::velocity_multiplier, 2}};

Sample<Slip> slip_between(const std::vector<Marker>& markers) {
  Slip slip;
  JointSite site;
  site.A = markers[0];
  site.B = markers[1];
  slip.set_site(std::move(site));
  return {std::move(slip), blocks_for(markers, slip_blocks)};
}

TEST(VelocityConstraint, has_exact_derivatives) {
  expect_exact(slip_between(tilted_markers(2)));
  for (std::size_t which = 0; which < 2; ++which) {
    expect_exact(slip_between(with_ground(2, which)));
    expect_exact(slip_between(with_moving(2, which)));
  }
}

TEST(VelocityConstraint, is_objective) { expect_balance(slip_between(tilted_markers(2)), 2); }

/// Reactions put in lambda . (A v); on the constraint that is -lambda . b, which leaves.
TEST(VelocityConstraint, has_powers_that_balance) {
  for (const std::vector<Marker>& markers : {tilted_markers(2), with_moving(2, 0)}) {
    const Sample<Slip> sample = slip_between(markers);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      const Evaluation e = evaluate(sample.range, 0, s, {true, false, false});
      const Eigen::VectorXd v = s.velocities();
      const Eigen::Vector2d lambda(s.local().value(4)[0], s.local().value(4)[1]);
      const double taken = e.residual.dot(v);
      EXPECT_NEAR(taken, lambda.dot(e.D.bottomRows<2>() * v), 1e-11 * (1 + std::abs(taken)));
      EXPECT_NEAR(power_of_time(sample.range, 0, s), sample.range.energy(0, s.local()).dissipated_power,
                  1e-11 * (1 + std::abs(taken)));
    }
  }
}

class Belt : public MarkerConstraint<Belt, 3, 1> {
 public:
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  static constexpr bool needs_rotation = false;
  explicit Belt(const Parameters& in) : length_(in.real("length")) {}
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C[0] = (x.p[1] - x.p[0]).norm() + (x.p[2] - x.p[1]).norm() - length_;
  }

 private:
  double length_;
};

TEST(MarkerConstraint, is_a_type_of_a_case) {
  testing::PlainCase plain;
  plain.registry.set_source("belt", "");
  plain.registry.add(marker_joint_type<Belt>(
      "belt", "a belt",
      {Parameter::make(Parameter::Kind::real, "length", "m", "of the belt").positive().must()}));
  plain.builder.begin(sample_entity(), sample_body());
  add_sample_markers(plain.builder, Mat3::Identity(), Vec3(0, 0, 2), Mat3::Identity(), Vec3(1, 0, 0));
  const auto message = [&](const std::string& text) {
    return plain.message(Type::Category::joint, "belt", text);
  };
  EXPECT_EQ(message("{between: [bodies.a, ground, bodies.b], length: 3}"), "");
  EXPECT_EQ(message("{between: [bodies.a, ground, bodies.b], length: 4, assemble: yes}"), "");
  EXPECT_THAT(message("{between: [bodies.a, ground, bodies.b], length: 4}"), HasSubstr("off by -1 m"));
  EXPECT_THAT(message("{between: [bodies.a, ground], length: 3}"), HasSubstr("a list of 3 markers, found 2"));
  EXPECT_THAT(message("{between: bodies.a, length: 3}"), HasSubstr("a list of 3 markers, found 0"));
}

}  // namespace
}  // namespace trammel
