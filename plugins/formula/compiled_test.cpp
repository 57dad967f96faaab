// The same joints compiled, and as formulas: every number that an evaluation gives agrees to rounding.

#include <gtest/gtest.h>

#include "formula_case.hpp"
#include "trammel/constraint.hpp"

namespace trammel::formula {
namespace {

using testing::FormulaCase;

struct Bowl : Constraint<Bowl, 1> {
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S>& p = x.p_AB_A;
    C[0] = p[2] - p[0] * p[0] / (2 * 0.5) - p[1] * p[1] / (2 * 0.8);
  }
};

struct Universal : Constraint<Universal, 6, 2> {
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"angle_1", "rad", Measure::angle()}, {"angle_2", "rad", Measure::angle()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Mat3T<S>& g = x.R_AB;
    C.template head<3>() = x.p_AB_A;
    C[3] = g(2, 2);
    C[4] = g(0, 2) * sin(x.c[0]) - g(1, 2) * cos(x.c[0]);
    C[5] = g(2, 0) * sin(x.c[1]) + g(2, 1) * cos(x.c[1]);
  }
};

/// Everything in one: functions of all kinds, products of entries of R, time.
struct Mixed : Constraint<Mixed, 3, 1, true> {
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::angle};
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"s", "m", Measure::length()}}};
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S>& p = x.p_AB_A;
    const Mat3T<S>& g = x.R_AB;
    C[0] = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + 1) - 0.3 * sin(x.t) * x.c[0] - 1;
    C[1] = p[0] * g(0, 1) + p[1] * g(1, 1) + p[2] * g(2, 1) - exp(0.2 * x.c[0]) * g(1, 2) + x.t * p[2];
    C[2] = atan2(g(2, 1) - g(1, 2), 3.0 + g(0, 0) + g(1, 1) + g(2, 2)) / (2.0 + x.c[0] * x.c[0]);
  }
};

void expect_same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  if (a.size() == 0) return;
  const double size = std::max(1.0, b.cwiseAbs().maxCoeff());
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-14 * size) << what;
}

template <class Compiled>
void expect_like(const std::string& own) {
  const Type type = joint_type<Compiled>("compiled", "");
  for (const std::string& pair : sample_marker_pairs()) {
    FormulaCase by_text, compiled;
    const std::string common = "{between: " + pair + ", assemble: yes";
    TestState at = by_text.joint(common + ", " + own + "}");
    TestState other = compiled.joint(common + "}", &type);
    ASSERT_EQ(at.dofs(), other.dofs());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TestState a = at, b = other;
      a.disturb(seed);
      b.disturb(seed);
      a.state().time = b.state().time = 0.7;
      for (const Request& request : {Request{false, false, false}, Request{true, false, false},
                                     Request{false, true, false}, Request{true, true, true}}) {
        const Evaluation e = evaluate(by_text.range(), 0, a, request);
        const Evaluation f = evaluate(compiled.range(), 0, b, request);
        const std::string where = pair + " seed " + std::to_string(seed);
        expect_same(e.residual, f.residual, "residual " + where);
        expect_same(e.K, f.K, "K " + where);
        expect_same(e.D, f.D, "D " + where);
        expect_same(e.rate, f.rate, "rate " + where);
        expect_same(e.rate_gradient, f.rate_gradient, "rate_gradient " + where);
        expect_same(e.bias, f.bias, "bias " + where);
      }
    }
  }
}

TEST(FormulaAgainstCompiled, gives_the_same_bowl) {
  expect_like<Bowl>(
      "parameters: {a: 0.5, b: a + 0.3}, "
      "equations: [{zero: p.z - p.x^2/(2*a) - p.y^2/(2*b), measures: length}]");
}

TEST(FormulaAgainstCompiled, gives_the_same_universal_joint) {
  expect_like<Universal>(R"(coordinates: {angle_1: {measures: angle}, angle_2: {measures: angle}},
    equations: [{zero: p.x, measures: length}, {zero: p.y, measures: length}, {zero: p.z, measures: length},
      {zero: R.zz, measures: angle},
      {zero: R.xz*sin(angle_1) - R.yz*cos(angle_1), measures: angle},
      {zero: R.zx*sin(angle_2) + R.zy*cos(angle_2), measures: angle}])");
}

TEST(FormulaAgainstCompiled, gives_the_same_function_of_positions_rotations_coordinates_and_time) {
  expect_like<Mixed>(R"--(coordinates: {s: {measures: length}},
    equations: [
      {zero: sqrt(p.x^2 + p.y^2 + p.z^2 + 1) - 0.3*sin(t)*s - 1, measures: length},
      {zero: p.x*R.xy + p.y*R.yy + p.z*R.zy - exp(0.2*s)*R.yz + t*p.z, measures: length},
      {zero: "atan2(R.zy - R.yz, 3 + R.xx + R.yy + R.zz)/(2 + s^2)", measures: angle}])--");
}

}  // namespace
}  // namespace trammel::formula
