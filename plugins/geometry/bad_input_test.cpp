#include "curve_case.hpp"
#include "drawn_curve.hpp"

namespace trammel {
namespace {

using testing::CurveCase;
using ::testing::HasSubstr;

TEST(BadCurves, are_refused_with_the_reason) {
  CurveCase c;
  const auto nurbs = [&](const std::string& own) {
    return c.message("nurbs_curve", "{points: [[0, 0, 0], [1, 2, 0], [3, 2, 1], [4, 0, 2]]" + own + "}");
  };
  EXPECT_EQ(nurbs(""), "");
  EXPECT_THAT(nurbs(", weights: [1, 0, 1, 1]"), HasSubstr("must be positive: weight 2 is 0"));
  EXPECT_THAT(nurbs(", weights: [1, 1, 1]"), HasSubstr("3 weights for 4 points"));
  EXPECT_THAT(nurbs(", knots: [0, 0, 0, 0, 1, 1, 2, 1]"), HasSubstr("must not fall: knot 8 is 1 after 2"));
  EXPECT_THAT(nurbs(", knots: [0, 0, 0, 1, 1, 1]"), HasSubstr("need 8 knots"));
  EXPECT_THAT(nurbs(", knots: [0, 1, 2], form: periodic"), HasSubstr("has 5 knots"));
  EXPECT_THAT(nurbs(", degree: 2, knots: [0, 0, 0, 0, 1, 1, 1]"), HasSubstr("0 stands 4 times"));
  EXPECT_THAT(nurbs(", degree: 4"), HasSubstr("at least 5 control points, found 4"));
  EXPECT_THAT(nurbs(", degree: 26"), HasSubstr("a degree of 26 is too high: at most 25"));
  EXPECT_THAT(nurbs(", degree: 0"), HasSubstr("too low"));
  EXPECT_THAT(nurbs(", form: closed"), HasSubstr("its ends [0, 0, 0] and [4, 0, 2] are 4.47214 m apart"));
  EXPECT_THAT(c.message("nurbs_curve", "{points: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]]}"),
              HasSubstr("standstill"));
  EXPECT_THAT(c.message("interpolated_curve", "{points: [[0, 0, 0]]}"),
              HasSubstr("at least 2 points, found 1"));
  EXPECT_THAT(c.message("interpolated_curve", "{points: [[0, 0, 0], [1, 0, 0], [1, 0, 0]]}"),
              HasSubstr("points 2 and 3 coincide"));
  EXPECT_THAT(
      c.message("interpolated_curve", "{points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]], closed: yes}"),
      HasSubstr("returns to its first point by itself"));
  EXPECT_THAT(c.message("interpolated_curve", "{points: [[0, 0, 0], [1, 0, 0]], first_tangent: [1, 0, 0]}"),
              HasSubstr("give both"));
  EXPECT_THAT(c.message("line", "{from: [1, 0, 0], to: [1, 0, 0]}"), HasSubstr("no length"));
  EXPECT_THAT(c.message("arc", "{from: [0, 0, 0], via: [1, 0, 0], to: [2, 0, 0]}"),
              HasSubstr("lie on a line"));
  EXPECT_THAT(c.message("circle", "{normal: [0, 0, 1], radius: [1, 0, 1]}"), HasSubstr("perpendicular"));
  EXPECT_THAT(c.message("ellipse", "{major: [2, 0, 0], minor: [1, 1, 0]}"), HasSubstr("not perpendicular"));
  EXPECT_THAT(c.message("helix", "{axis: [0, 0, 1], radius: [1, 0, 0], pitch: 1, turns: [2, 1]}"),
              HasSubstr("must end after it begins"));
  EXPECT_THAT(c.message("cycloid", "{along: [1, 0, 0], up: [0, 0, 1], radius: 1, span: 3.15}"),
              HasSubstr("cusps"));
}

TEST(BadCurves, need_a_frame_and_a_name) {
  CurveCase c;
  Type body;
  body.name = "point";
  c.builder.begin({"ball", {}, {}, {}, {}}, body);
  c.builder.offer_marker("", Marker::on_point(c.builder.add_position("position", Vec3::Zero())));
  EXPECT_THAT(c.message("line", "{from: [0, 0, 0], to: [1, 0, 0], on: ball}"),
              HasSubstr("without orientation"));
  c.add(Type::Category::curve, "line", "track", "{from: [0, 0, 0], to: [1, 0, 0]}");
  Value name;
  name.kind = Value::Kind::scalar;
  name.text = "trak";
  try {
    find_curve(c.builder, name);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'track'"));
  }
}

TEST(DrawnCurves, follow_the_curve) {
  CurveCase c;
  const auto circle = c.curve("circle", "{normal: [0, 0, 1], radius: [10, 0, 0]}");
  const geometry::DrawnCurve drawn({circle, Marker::ground()});
  const std::vector<Vec3>& points = drawn.points();
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    EXPECT_GT(0.5 * (points[i] + points[i + 1]).norm(), 10 * (1 - 2e-4));
  EXPECT_LT((points.front() - points.back()).norm(), 1e-12);
}

}  // namespace
}  // namespace trammel
