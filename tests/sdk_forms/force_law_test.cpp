#include "trammel/force_law.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "law_samples.hpp"
#include "plain_case.hpp"
#include "trammel/block_element.hpp"
#include "trammel/joint_check.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;

/// Everything enters: pose, velocities, time, a state and an algebraic unknown.
class Entangled : public ForceLaw<Entangled, 2, 1> {
 public:
  static constexpr std::array<FormulaNumber, 2> state_names{
      {{"lag", "m", Measure::nominal(0.5)}, {"heat", "J", Measure::nominal(2)}}};
  static constexpr std::array<FormulaNumber, 1> algebraic_names{{{"root", "m", Measure::length()}}};

  template <class S>
  void wrench(const Relative<S>& x, Wrench<S>& w) const {
    const S length = x.p_AB_A.norm();
    w.force = x.p_AB_A * (-3.0 * (length - x.z[0])) - x.R_AB * x.v_AB_A * x.y[0];
    w.moment = cross(x.p_AB_A, Vec3T<S>(x.R_AB.col(1))) * sin(x.y[0]) - x.w_AB_A * (1.5 + x.t);
    w.moment += x.R_AB.col(2) * max(x.p_AB_A[0], x.z[0] * 0.3);
    w.rate[0] = x.v_AB_A[1] - x.y[0] * abs(x.w_AB_A[2]);
    w.rate[1] = dot(x.w_AB_A, x.w_AB_A) * x.R_AB(0, 1) - x.z[0] * x.y[1];
    w.equation[0] = x.z[0] + 0.2 * pow(x.z[0], 3) - x.p_AB_A[2] * x.R_AB(1, 1) + 0.1 * x.v_AB_A[0] * x.y[1];
  }
  template <class S>
  S stored(const Relative<S>& x) const {
    return 1.5 * x.p_AB_A.squaredNorm() * (2.0 + x.R_AB(0, 0)) + 0.5 * x.y[0] * x.y[0] * x.z[0];
  }
};

const std::vector<std::pair<BlockKind, int>> entangled_blocks{{BlockKind::state, 2},
                                                              {BlockKind::algebraic, 1}};

TEST(ForceLaw, has_exact_tangents) {
  expect_exact(placed(Entangled(), tilted_markers(2), entangled_blocks));
  expect_exact(placed(Entangled(), with_ground(2, 0), entangled_blocks));
  expect_exact(placed(Entangled(), with_ground(2, 1), entangled_blocks));
  expect_exact(placed(Entangled(), with_moving(2, 0), entangled_blocks));
  expect_exact(placed(Entangled(), with_moving(2, 1), entangled_blocks));
}

TEST(ForceLaw, is_objective) {
  const Sample<Entangled> sample = placed(Entangled(), tilted_markers(2), entangled_blocks);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const Evaluation e = evaluate(sample.range, 0, s, {});
    EXPECT_LT(resultant(s, e.residual).norm(), 1e-12 * (1 + e.residual.norm()));
    const TestState moved =
        carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
    const Evaluation f = evaluate(sample.range, 0, moved, {});
    EXPECT_LT((e.residual.tail<3>() - f.residual.tail<3>()).norm(), 1e-11 * (1 + e.residual.norm()));
    // Moments are in the axes of the bodies.
    EXPECT_LT((e.residual.segment<3>(3) - f.residual.segment<3>(3)).norm(), 1e-11 * (1 + e.residual.norm()));
  }
}

/// Rate of what an instance stores along its own motion, states by their rates and algebraic unknowns by their equations.
template <class E>
double rate_of_strain(const Sample<E>& sample, const TestState& s, int first_state, int states,
                      int algebraic) {
  const auto at = [&](double tau) {
    TestState later = s.after(tau);
    State& state = later.state();
    for (int i = 0; i < states; ++i)
      state.value[static_cast<std::size_t>(s.state_offsets()[static_cast<std::size_t>(first_state)].value +
                                           i)] =
          s.local().value(first_state)[i] + tau * s.local().rate(first_state)[i];
    for (int pass = 0; pass < 8 && algebraic > 0; ++pass) {
      const Evaluation e = evaluate(sample.range, 0, later, {true, false, false});
      const Eigen::VectorXd step =
          e.K.bottomRightCorner(algebraic, algebraic).partialPivLu().solve(e.residual.tail(algebraic));
      for (int i = 0; i < algebraic; ++i)
        state.value[static_cast<std::size_t>(
            s.state_offsets()[static_cast<std::size_t>(first_state + 1)].value + i)] -= step[i];
    }
    return sample.range.energy(0, later.local()).strain;
  };
  constexpr double h = 1e-4;
  return (8 * (at(h / 2) - at(-h / 2)) - (at(h) - at(-h))) / (6 * h);
}

TEST(ForceLaw, has_powers_that_balance) {
  for (const std::vector<Marker>& markers : {tilted_markers(2), with_moving(2, 1), with_ground(2, 0)}) {
    const Sample<Entangled> sample = placed(Entangled(), markers, entangled_blocks);
    const int first_state = static_cast<int>(sample.test_state.blocks().size()) - 2;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      const auto z = static_cast<std::size_t>(s.state_offsets().back().value);
      for (int pass = 0; pass < 30; ++pass) {
        const Evaluation e = evaluate(sample.range, 0, s, {true, false, false});
        s.state().value[z] -= e.residual[s.dofs() - 1] / e.K(s.dofs() - 1, s.dofs() - 1);
      }
      const Energy e = sample.range.energy(0, s.local());
      const double taken = evaluate(sample.range, 0, s, {}).residual.dot(s.velocities());
      EXPECT_NEAR(taken, rate_of_strain(sample, s, first_state, 2, 1) + e.dissipated_power,
                  1e-6 * (1 + std::abs(taken)));
    }
  }
}

/// A mass on a beam of two frames with modes: forces of everything, and a full mass.
class Super : public BlockElement<Super, 3, 10, 1> {
 public:
  static constexpr std::array<FormulaNumber, 10> coordinate_names = [] {
    std::array<FormulaNumber, 10> names{};
    names.fill({"mode", "m", Measure::length()});
    return names;
  }();
  static constexpr std::array<FormulaNumber, 1> state_names{{{"lag", "N", Measure::nominal(3)}}};

  explicit Super(bool heavy = true) : heavy_(heavy) {}

  template <class S>
  void forces(const Motion<S>& x, Forces<S>& out) const {
    out.force[1] = x.p[2] * (-2.0) - x.v[1] * x.c[3];
    out.moment[1] = cross(x.p[1], x.p[2]) - x.R[2] * x.w[1];
    out.force[2] = x.R[1] * x.p[1] * x.c[9] + x.v[2] * x.c_rate[0];
    out.moment[2] = x.w[2] * x.y[0];
    for (int i = 0; i < 10; ++i)
      out.coordinate[i] = -(i + 1.0) * x.c[i] - 0.1 * x.c_rate[i] + x.p[1][i % 3] * x.y[0];
    out.rate[0] = x.c_rate[4] - x.y[0] + x.w[2][1];
  }
  Eigen::MatrixXd mass() const {
    Eigen::MatrixXd A(28, 28);
    for (int i = 0; i < 28; ++i)
      for (int j = 0; j < 28; ++j) A(i, j) = std::sin(1.0 + 3 * i + 7 * j * i);
    return heavy_ ? (A * A.transpose()).eval() : Eigen::MatrixXd::Zero(28, 28).eval();
  }

 private:
  bool heavy_;
};

std::vector<Marker> frames(int count) {
  std::vector<Marker> markers;
  for (int k = 0; k < count; ++k) markers.push_back(Marker::on_frame({2 * k, 2 * k + 1}));
  return markers;
}

const std::vector<std::pair<BlockKind, int>> super_blocks{{BlockKind::coordinate, 10}, {BlockKind::state, 1}};

TEST(BlockElement, has_exact_tangents) { expect_exact(placed(Super(), frames(3), super_blocks), 10); }

TEST(BlockElement, has_forces_that_balance) {
  const Sample<Super> sample = placed(Super(false), frames(3), super_blocks);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const Evaluation e = evaluate(sample.range, 0, s, {});
    EXPECT_LT(resultant(s, e.residual).norm(), 1e-12 * (1 + e.residual.norm()));
  }
}

class Mass : public BlockElement<Mass, 2, 4> {
 public:
  static constexpr std::array<FormulaNumber, 4> coordinate_names = [] {
    std::array<FormulaNumber, 4> names{};
    names.fill({"mode", "m", Measure::length()});
    return names;
  }();
  template <class S>
  void forces(const Motion<S>&, Forces<S>&) const {}
  Eigen::MatrixXd mass() const {
    Eigen::MatrixXd A(16, 16);
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) A(i, j) = std::cos(2.0 + 5 * i + 3 * j * i);
    return A * A.transpose();
  }
};

/// The kinetic energy changes by the power of the inertia.
TEST(BlockElement, has_inertia_that_conserves_energy) {
  const Sample<Mass> sample = placed(Mass(), frames(2), {{BlockKind::coordinate, 4}});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const double power = evaluate(sample.range, 0, s, {}).residual.dot(s.velocities());
    const auto at = [&](double tau) {
      TestState later = s.after(tau);
      for (std::size_t k = 0; k < s.state().rate.size(); ++k)
        later.state().rate[k] = s.state().rate[k] + tau * s.state().acceleration[k];
      return sample.range.energy(0, later.local()).kinetic;
    };
    constexpr double h = 1e-4;
    EXPECT_NEAR(power, (8 * (at(h / 2) - at(-h / 2)) - (at(h) - at(-h))) / (6 * h),
                1e-6 * (1 + std::abs(power)));
  }
}

/// All forces are those of the energy that it stores.
class Elastic : public BlockElement<Elastic, 2, 2> {
 public:
  static constexpr std::array<FormulaNumber, 2> coordinate_names{
      {{"stretch", "m", Measure::length()}, {"bend", "m", Measure::length()}}};

  template <class S>
  void forces(const Motion<S>& x, Forces<S>& out) const {
    out.force[1] = x.p[1] * (-3.0);
    out.force[1][0] += -x.c[0];
    out.moment[1] = cross(Vec3T<S>(Vec3::UnitX().cast<S>()), Vec3T<S>(x.R[1].col(1))) * (2.0 + x.c[1]);
    out.coordinate[0] = -5.0 * x.c[0] - x.p[1][0];
    out.coordinate[1] = -7.0 * x.c[1] - x.R[1](0, 1);
  }
  template <class S>
  S stored(const Motion<S>& x) const {
    return 1.5 * x.p[1].squaredNorm() + x.c[0] * x.p[1][0] + (2.0 + x.c[1]) * x.R[1](0, 1) +
           2.5 * x.c[0] * x.c[0] + 3.5 * x.c[1] * x.c[1];
  }
};

TEST(BlockElement, dissipates_no_energy) {
  const Sample<Elastic> sample = placed(Elastic(), frames(2), {{BlockKind::coordinate, 2}});
  expect_exact(sample);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const double taken = evaluate(sample.range, 0, s, {}).residual.dot(s.velocities());
    EXPECT_NEAR(taken, rate_of_strain(sample, s, 0, 0, 0), 1e-6 * (1 + std::abs(taken)));
    EXPECT_NEAR(sample.range.energy(0, s.local()).dissipated_power, 0, 1e-11 * (1 + std::abs(taken)));
  }
}

class Drag : public ForceLaw<Drag> {
 public:
  explicit Drag(const Parameters& in) : c_(in.real("coefficient")) {}
  template <class S>
  void wrench(const Relative<S>& x, Wrench<S>& w) const {
    w.force = -c_ * x.v_AB_A;
  }

 private:
  double c_;
};

TEST(ForceLaw, is_a_type_of_a_case) {
  testing::PlainCase plain;
  plain.registry.set_source("drag", "");
  plain.registry.add(
      force_type<Drag>("drag", "a law",
                       {Parameter::make(Parameter::Kind::real, "coefficient", "N s/m", "force by velocity")
                            .positive()
                            .must()}));
  plain.builder.begin(sample_entity(), sample_body());
  add_sample_markers(plain.builder);
  const auto message = [&](const std::string& text) {
    return plain.message(Type::Category::element, "drag", text);
  };
  EXPECT_EQ(message("{between: [ground, bodies.b_arm], coefficient: 2}"), "");
  EXPECT_THAT(message("{between: [ground, bodies.b_arm], coefficient: -2}"), HasSubstr("coefficient"));
  EXPECT_THAT(message("{between: [ground, bodies.still], coefficient: 2}"),
              HasSubstr("all markers are on the ground"));
  EXPECT_THAT(message("{between: [ground], coefficient: 2}"), HasSubstr("between"));
  EXPECT_THAT(message("{between: [ground, bodies.c], coefficient: 2}"), HasSubstr("bodies.c"));
}

}  // namespace
}  // namespace trammel
