#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formula_case.hpp"
#include "joint_samples.hpp"

namespace trammel::formula {
namespace {

using ::testing::AllOf;
using testing::FormulaCase;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string between = "{between: [bodies.a_arm, bodies.b_arm], assemble: yes, ";

/// Both levels in one joint, everything read: time, coordinates and their rates.
const std::string both_levels = R"(coordinates: {s: {measures: length}, turn: {measures: angle}},
  equations: [
    {zero: p.z - sin(p.x)*R.xy - 0.2*s*cos(t), measures: length},
    {zero: R.xy*v.x + R.yy*v.y + R.zy*v.z - (0.4 + 0.1*p.x)*w.x - s_rate*cos(turn), measures: velocity},
    {zero: R.zz*w.z + sin(s)*w.y - turn_rate - p.y*v.x*t - 0.7*sin(2*t), measures: spin}])";

TEST(FormulaJoint, is_exact_at_both_levels) {
  for (const std::string& pair : sample_marker_pairs()) {
    FormulaCase c;
    TestState at = c.joint("{between: " + pair + ", assemble: yes, " + both_levels + "}");
    at.state().time = 0.4;
    const CheckedTerm worst = worst_derivative(c.range(), 0, at, 6);
    EXPECT_LT(worst.relative(), 1e-8) << worst.what << " " << pair;
  }
}

TEST(FormulaJoint, is_sound_at_position_level) {
  JointCheck check;
  for (std::size_t pair = 0; pair < sample_marker_pairs().size(); ++pair) {
    FormulaCase c;
    const TestState start = c.joint("{between: " + sample_marker_pairs()[pair] + R"(, assemble: yes,
      coordinates: {s: {measures: length}},
      equations: [{zero: p.x - s, measures: length}, {zero: p.y - 0.3*sin(s), measures: length},
                  {zero: p.z - 0.1*s^2, measures: length},
                  {zero: R.xy*cos(s) - R.yz, measures: angle}]})");
    check_joint(c.range(), 0, start, pair, 0, 6, 1, check);
  }
  for (const auto& [worst, bound] :
       {std::pair(&check.gradient, 1e-8), std::pair(&check.stiffness, 1e-8), std::pair(&check.rate, 1e-8),
        std::pair(&check.bias, 1e-8), std::pair(&check.other, 1e-8), std::pair(&check.power, 1e-10),
        std::pair(&check.objectivity, 1e-11)})
    EXPECT_LT(worst->error, bound) << worst->where;
  EXPECT_TRUE(check.unrepeated.empty()) << check.unrepeated;
  EXPECT_EQ(check.equations, 4);
  EXPECT_EQ(check.degrees_of_freedom(), 3);
}

TEST(FormulaJoint, is_objective_at_velocity_level) {
  FormulaCase c;
  const TestState start = c.joint(between + both_levels + "}");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    TestState s = start;
    s.disturb(seed);
    const Evaluation e = evaluate(c.range(), 0, s, {false, true, false});
    EXPECT_LT(resultant(s, e.residual).norm(), 1e-12);
    const TestState moved =
        carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
    const Evaluation f = evaluate(c.range(), 0, moved, {false, true, false});
    EXPECT_LT((e.residual.tail<3>() - f.residual.tail<3>()).norm(), 1e-12);
  }
}

TEST(FormulaJoint, counts_the_power_of_its_time_dependence) {
  FormulaCase c;
  TestState at = c.joint(between + both_levels + "}");
  at.disturb(3);
  at.state().time = 0.4;
  const double power = power_of_time(c.range(), 0, at);
  EXPECT_GT(std::abs(power), 0.01);
  EXPECT_NEAR(c.range().energy(0, at.local()).dissipated_power, power, 1e-12 * std::abs(power));
}

TEST(FormulaJoint, chooses_branches_by_the_value) {
  FormulaCase c;
  const std::string text =
      between +
      "equations: [{zero: \"if(p.x > 0, p.z - max(p.x, 0.1)^2, p.z + abs(p.x))\", measures: length}]}";
  const TestState at = c.joint(text);
  const CheckedTerm worst = worst_derivative(c.range(), 0, at, 8);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
}

TEST(FormulaJoint, hides_parameters_of_the_case_by_its_own) {
  const std::string text =
      between + "parameters: {a: 3*b}, equations: [{zero: p.z - a*p.x, measures: length}]}";
  FormulaCase hidden({{"a", "7"}, {"b", "2"}});
  FormulaCase plain;
  const TestState x = hidden.joint(text);
  const TestState y = plain.joint(between + "equations: [{zero: p.z - 6*p.x, measures: length}]}");
  EXPECT_EQ(evaluate(hidden.range(), 0, x, {}).residual, evaluate(plain.range(), 0, y, {}).residual);
}

TEST(FormulaJoint, has_coordinates_that_measure_and_start_as_given) {
  FormulaCase c;
  const TestState at = c.joint(
      "{between: [ground, bodies.b], coordinates: {h: {measures: length, start: 1.2}, "
      "r: {measures: 0.5, unit: kN}}, "
      "equations: [{zero: h - 2*p.z, measures: length}, {zero: r - sin(r), measures: 2}]}");
  const auto& blocks = at.blocks();
  EXPECT_DOUBLE_EQ(blocks[2].initial[0], 1.2);
  EXPECT_EQ(blocks[2].rows[0].measure.dimension, Dimension::length);
  EXPECT_EQ(blocks[2].rows[1].measure.dimension, Dimension::nominal);
  EXPECT_EQ(blocks[2].rows[1].measure.size, 0.5);
  EXPECT_EQ(blocks[3].rows[1].measure.size, 2);
}

/// `count` coordinates c0, c1, ..., each with an equation of its own, `equation` at position or velocity level.
std::string many(int count, const std::string& equation) {
  std::string coordinates, equations;
  for (int k = 0; k < count; ++k) {
    const std::string c = "c" + std::to_string(k), separator = k > 0 ? ", " : "";
    coordinates += separator + c + ": {measures: length}";
    std::string text = equation;
    for (std::size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, c);
    equations += separator + text;
  }
  return "coordinates: {" + coordinates + "}, equations: [" + equations;
}

TEST(FormulaJoint, has_any_number_of_coordinates_and_equations) {
  const std::string position =
      many(11, "{zero: # - p.x*sin(#) - R.xy*p.z, measures: length}") +
      ", {zero: R.zx - 0.1*c9*c10, measures: angle}, {zero: p.y - c8, measures: length}]";
  const std::string velocity = many(10, "{zero: #_rate - cos(#)*w.x + p.z*v.y, measures: velocity}") +
                               ", {zero: w.z - c9*v.x, measures: spin}]";
  JointCheck check;
  for (std::size_t pair = 0; pair < sample_marker_pairs().size(); ++pair) {
    const std::string head = "{between: " + sample_marker_pairs()[pair] + ", assemble: yes, ";
    FormulaCase c, d;
    const TestState start = c.joint(head + position + "}");
    EXPECT_EQ(start.blocks().back().size, 13);
    check_joint(c.range(), 0, start, pair, 0, 3, 1, check);
    const TestState moving = d.joint(head + velocity + "}");
    const CheckedTerm worst = worst_derivative(d.range(), 0, moving, 2);
    EXPECT_LT(worst.relative(), 1e-8) << worst.what;
  }
  for (const auto* worst : {&check.gradient, &check.stiffness, &check.rate, &check.bias, &check.other})
    EXPECT_LT(worst->error, 1e-8) << worst->where;
  EXPECT_LT(check.objectivity.error, 1e-11) << check.objectivity.where;
  EXPECT_EQ(check.equations, 13);
  FormulaCase c;
  const TestState at = c.joint(between + position + "}");
  RecordedOutputs outputs;
  c.range().outputs(0, at.local(), {}, outputs);
  EXPECT_EQ(outputs.lists["multipliers"].size(), 13U);
}

TEST(FormulaJoint, keeps_a_gap_from_falling_below_zero) {
  FormulaCase c;
  const std::string bodies = "{between: [bodies.a, bodies.b], ";
  const TestState at = c.joint(bodies +
                               "equations: [{gap: \"sqrt(p.x^2 + p.y^2 + p.z^2) - 0.01\", measures: length}, "
                               "{zero: R.xy - R.xy, measures: angle}]}");
  const std::vector<Row>& rows = at.blocks().back().rows;
  EXPECT_EQ(rows[0].law, RowLaw::unilateral);
  EXPECT_EQ(rows[1].law, RowLaw::equality);
  const CheckedTerm worst = worst_derivative(c.range(), 0, at, 4);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
}

TEST(FormulaJoint, draws_a_surface_and_a_curve_in_the_axes_of_a) {
  struct Drawn : Canvas {
    std::vector<Vec3> line, surface_points;
    void polyline(Layer, std::span<const Vec3> points) override { line.assign(points.begin(), points.end()); }
    void points(Layer, std::span<const Vec3>) override {}
    void surface(Layer, std::span<const Vec3> points, std::span<const int>) override {
      surface_points.assign(points.begin(), points.end());
    }
    void field(std::string_view, std::span<const double>, int) override {}
  } drawn;
  FormulaCase c;
  const TestState at = c.joint(
      "{between: [bodies.a, bodies.b], assemble: yes, parameters: {k: 2}, equations: [{zero: p.z, measures: "
      "length}], "
      "surface: [u, v, k*u*v], curve: [k*u, 0, u^2]}");
  c.range().draw(0, at.local(), {}, drawn);
  const Mat3 R = at.local().rotation(1);
  const Vec3 p = at.local().position(0);
  ASSERT_FALSE(drawn.surface_points.empty());
  EXPECT_LT((drawn.surface_points.back() - (p + R * Vec3(1, 1, 2))).norm(), 1e-14);
  ASSERT_FALSE(drawn.line.empty());
  EXPECT_LT((drawn.line.back() - (p + R * Vec3(2, 0, 1))).norm(), 1e-14);
}

// --- bad input ---

struct BadFormula : ::testing::Test {
  FormulaCase c{{{"radius", "0.5"}}};
  std::string message(const std::string& own) { return c.message(between + "\n" + own + "}"); }
  std::string of_equation(const std::string& zero, const std::string& measures = "length") {
    return message("equations: [{zero: \"" + zero + "\", measures: " + measures + "}]");
  }
};

TEST_F(BadFormula, is_refused_with_a_wrong_number_of_equations) {
  EXPECT_EQ(message("equations: []"), "2:12: the joint has no equation; give at least one");
  EXPECT_THAT(c.message("{between: [bodies.a, bodies.b]}"), HasSubstr("'equations' is missing"));
  const std::string length = ", measures: length}";
  EXPECT_EQ(
      message("coordinates: {s: {measures: length}, u: {measures: length}}, equations: [{zero: p.x - s - u" +
              length + "]"),
      "2:73: 1 equation for 2 coordinates: each coordinate needs an equation that defines it");
  EXPECT_EQ(
      message("equations: [{zero: p.x" + length + ", {zero: p.y" + length + ", {zero: p.z" + length +
              ", {zero: p.x + p.y" + length + "]"),
      "2:12: 4 equations, but a position alone (no equation reads R or w) leave only 3 motions to hold");
  std::string many = "equations: [{zero: R.xy" + length;
  for (int k = 0; k < 6; ++k) many += ", {zero: p.x" + length;
  EXPECT_THAT(message(many + "]"),
              HasSubstr("7 equations, but a position and a rotation leave only 6 motions to hold"));
  EXPECT_EQ(message("coordinates: {s: {measures: length}}, equations: [{zero: p.x" + length + "]"),
            "2:15: no equation reads the coordinate 's'");
}

TEST_F(BadFormula, is_refused_with_impossible_gaps) {
  const auto gap = [&](const std::string& of, const std::string& more) {
    return c.message("{between: [bodies.a_arm, bodies.b_arm], equations: [{gap: \"" + of + "\", " + more +
                     "}]}");
  };
  EXPECT_THAT(gap("v.x", "measures: velocity"),
              HasSubstr("equation 1 is a gap, which stands at position level"));
  EXPECT_THAT(gap("p.x", "zero: p.y, measures: length"), HasSubstr("equation 1 has both `zero` and `gap`"));
  EXPECT_THAT(gap("-2 - p.x^2", "measures: length"),
              HasSubstr("the joint penetrates at the start: '-2 - p.x^2' is -"));
  EXPECT_THAT(message("equations: [{measures: length}]"), HasSubstr("equation 1: 'zero' is missing"));
  EXPECT_THAT(message("coordinates: {s: {measures: length}}, equations: [{gap: p.x - s, measures: length}]"),
              HasSubstr("0 equations for 1 coordinates"));
  for (const char* key : {"friction: 0.3", "restitution: 0.5"})
    EXPECT_THAT(gap("p.x^2", std::string("measures: length, ") + key), HasSubstr("unknown"));
}

TEST_F(BadFormula, is_refused_with_unknown_keys) {
  const std::string right = "equations: [{zero: p.z, measures: length}], ";
  for (const char* key : {"share: yes", "friction: 0.3", "branch: 1"})
    EXPECT_THAT(message(right + key), HasSubstr("unknown")) << key;
  EXPECT_THAT(
      message(right + "curve: [u, 0]"),
      HasSubstr("'curve' is a list of three expressions, x, y and z in the axes of A; found a list of 2"));
  EXPECT_THAT(message(right + "surface: [u, v, w]"), HasSubstr("unknown name 'w'"));
}

TEST_F(BadFormula, is_refused_with_unknown_names) {
  EXPECT_EQ(of_equation("p.z - radus"),
            "2:20: equation 1: column 7 of 'p.z - radus': unknown name 'radus'; did you mean 'radius'?");
  EXPECT_THAT(of_equation("p.1 - radius"), HasSubstr("unknown name 'p.1'; 'p' has p.x, p.y, p.z"));
  EXPECT_THAT(of_equation("p - radius"), HasSubstr("unknown name 'p'; 'p' has p.x, p.y, p.z"));
  EXPECT_THAT(of_equation("R.12"), HasSubstr("unknown name 'R.12'; 'R' has R.xx, R.xy, R.xz, R.yx"));
  EXPECT_THAT(of_equation("R[1][2]"), HasSubstr("column 2 of 'R[1][2]': found '['"));
  EXPECT_THAT(of_equation("sin*p.x"), HasSubstr("'sin' is a function: write sin(x)"));
  EXPECT_THAT(of_equation("sine(p.x)"), HasSubstr("unknown function 'sine'"));
  EXPECT_THAT(message("equations: [{zeros: p.x, measures: length}]"), HasSubstr("did you mean 'zero'?"));
}

TEST_F(BadFormula, is_refused_with_values_that_are_not_finite_at_the_start) {
  EXPECT_THAT(of_equation("p.x + log(p.y - p.y - 1)"),
              AllOf(StartsWith("2:20: 'p.x + log(p.y - p.y - 1)' is nan at the start, with p.x = "),
                    HasSubstr(", p.y = ")));
  EXPECT_THAT(of_equation("1/(p.x - p.x)"), HasSubstr("is inf at the start"));
  EXPECT_THAT(of_equation("p.z + sqrt(t)"), HasSubstr("the derivative of 'p.z + sqrt(t)' by t is inf"));
  EXPECT_THAT(of_equation("p.x + 1/(radius - 0.5)"), HasSubstr("is inf at the start, with p.x = "));
}

TEST_F(BadFormula, is_refused_with_wrong_dimensions_or_levels) {
  EXPECT_THAT(message("equations: [{zero: p.x}]"),
              AllOf(StartsWith("2:13: equation 1 has no dimension"), HasSubstr("`measures: length`")));
  EXPECT_EQ(of_equation("p.x", "lenght"), "2:37: 'measures': unknown word 'lenght'; did you mean 'length'?");
  EXPECT_THAT(of_equation("p.x", "metres"), HasSubstr("expected length, angle, velocity, spin, or a number"));
  EXPECT_THAT(of_equation("p.x", "-2"), HasSubstr("a typical size must be positive, found -2"));
  EXPECT_THAT(
      of_equation("p.x - 0.1*v.y"),
      AllOf(StartsWith("2:20: equation 1 stands at position level, since it measures a length, and cannot "
                       "read the velocity 'v.y'"),
            HasSubstr("`velocity` or `spin`")));
  EXPECT_THAT(of_equation("p.x", "velocity"), HasSubstr("reads no velocity"));
  EXPECT_THAT(of_equation("v.x^2 - w.y", "velocity"),
              HasSubstr("'v.x^2 - w.y' is not linear in velocities: its derivative by v.x is "));
  EXPECT_THAT(of_equation("abs(v.x) - w.y", "velocity"), HasSubstr("is not linear in velocities"));
  EXPECT_EQ(of_equation("R.xy*v.x - p.x*w.y + t", "velocity"), "");
  EXPECT_THAT(of_equation("2 - 0.5*t"), HasSubstr("reads neither p, R, v or w nor a coordinate"));
  EXPECT_THAT(message("coordinates: {s: {start: 1}}, equations: [{zero: p.x - s, measures: length}]"),
              HasSubstr("'measures' is missing"));
  EXPECT_THAT(message("coordinates: {s: {measures: length, unit: mm}}, equations: [{zero: p.x - s, measures: "
                      "length}]"),
              HasSubstr("coordinate 's' measures a length, so its unit is m"));
}

TEST_F(BadFormula, is_refused_with_names_that_are_taken) {
  const std::string rest = ", equations: [{zero: p.x, measures: length}]";
  EXPECT_EQ(message("parameters: {p: 1}" + rest),
            "2:14: parameter 'p': the name belongs to the position of B");
  EXPECT_EQ(message("parameters: {R: 1}" + rest),
            "2:14: parameter 'R': the name belongs to the rotation of B");
  EXPECT_EQ(message("coordinates: {t: {measures: length}}" + rest),
            "2:15: coordinate 't': the name belongs to time");
  EXPECT_EQ(message("parameters: {pi: 1}" + rest), "2:14: parameter 'pi': the name belongs to a constant");
  EXPECT_EQ(message("parameters: {sin: 1}" + rest), "2:14: parameter 'sin': the name belongs to a function");
  EXPECT_THAT(message("parameters: {2a: 1}" + rest), HasSubstr("parameter '2a': a name is made of letters"));
  EXPECT_EQ(message("coordinates: {s: {measures: length}}, parameters: {s: 1}" + rest),
            "2:52: parameter 's': a coordinate has that name already");
  EXPECT_EQ(message("coordinates: {s: {measures: length}}, parameters: {s_rate: 1}" + rest),
            "2:52: parameter 's_rate': a rate of a coordinate has that name already");
}

TEST_F(BadFormula, is_refused_with_an_open_start) {
  EXPECT_THAT(
      c.message("{between: [ground, bodies.b],\nequations: [{zero: p.z - radius, measures: length}]}"),
      AllOf(StartsWith("2:20: the joint is open at the start: 'p.z - radius' is 0.1 m"),
            HasSubstr("`assemble: yes`")));
}

}  // namespace
}  // namespace trammel::formula
