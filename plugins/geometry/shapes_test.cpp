#include <cmath>
#include <numbers>
#include <random>

#include "curve_case.hpp"
#include "shapes.hpp"

namespace trammel {

/// In this program there is no library to open.
const geometry::Shapes& geometry::shapes() { return *trammel_geometry_shapes(); }

namespace {

using testing::CurveCase;
constexpr double pi = std::numbers::pi;

/// Derivatives against differences of sixth order of the derivative before, arc length against the speed.
void expect_exact(const Curve& c, const char* what, double step = 1e-3) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50; ++i) {
    const auto breaks = c.breaks();
    const std::size_t span = random() % (breaks.size() - 1);
    const double from = breaks[span], size = breaks[span + 1] - from, h = step * size;
    const double eta = from + size * std::uniform_real_distribution<>(0.01, 0.99)(random);
    CurvePoint at;
    c.evaluate(eta, 4, at);
    const auto shifted = [&](double k, int j) {
      CurvePoint p;
      c.evaluate(eta + k * h, 3, p);
      return p.d[static_cast<std::size_t>(j)];
    };
    for (int j = 0; j < 4; ++j) {
      const Vec3 difference = (45 * (shifted(1, j) - shifted(-1, j)) - 9 * (shifted(2, j) - shifted(-2, j)) +
                               (shifted(3, j) - shifted(-3, j))) /
                              (60 * h);
      const double scale = at.d[static_cast<std::size_t>(j)].norm() / size + difference.norm();
      EXPECT_LT((difference - at.d[static_cast<std::size_t>(j) + 1]).norm(), 3e-9 * scale)
          << what << ", derivative " << j + 1 << " at " << eta;
    }
    const double slope = (45 * (c.arc_length(eta + h) - c.arc_length(eta - h)) -
                          9 * (c.arc_length(eta + 2 * h) - c.arc_length(eta - 2 * h)) +
                          (c.arc_length(eta + 3 * h) - c.arc_length(eta - 3 * h))) /
                         (60 * h);
    EXPECT_NEAR(slope / c.speed(eta), 1, 1e-9) << what;
    EXPECT_NEAR(c.parameter(c.arc_length(eta)), eta, 1e-12 * (c.last() - c.first())) << what;
    EXPECT_NEAR(c.nearest(c.point(eta), eta + 3 * h), eta, 1e-7 * size) << what;
  }
}

TEST(Curves, have_exact_derivatives) {
  CurveCase c;
  expect_exact(*c.curve("nurbs_curve",
                        "{points: [[0, 0, 0], [1, 2, 0], [3, 2, 1], [4, 0, 2], [5, 1, -1], [7, 0, 0]], "
                        "weights: [1, 2, 0.5, 1, 3, 1]}"),
               "open");
  expect_exact(
      *c.curve("nurbs_curve", "{points: [[0, 0, 0], [2, 0, 1], [2, 2, 0], [0, 2, -1]], form: periodic}"),
      "periodic");
  expect_exact(
      *c.curve("interpolated_curve", "{points: [[0, 0, 0], [2, 0, 1], [2, 2, 0], [0, 2, -1]], closed: yes}"),
      "interpolated");
  expect_exact(*c.curve("ellipse", "{centre: [1, 2, 3], major: [2, 0, 0], minor: [0, 0, 1]}"), "ellipse");
  expect_exact(*c.curve("arc", "{from: [1, 0, 0], via: [0, 1, 0], to: [0, 0, 1]}"), "arc");
  expect_exact(*c.curve("helix", "{axis: [0, 0, 2], radius: [0.5, 0, 0], pitch: 0.4, turns: [0, 3]}"),
               "helix");
  expect_exact(*c.curve("cycloid", "{along: [1, 0, 0], up: [0, 0, 1], radius: 0.7}"), "cycloid");
}

TEST(Curves, have_degrees_up_to_25) {
  std::string points, weights;
  for (int i = 0; i < 30; ++i) {
    points += (i == 0 ? "[" : ", [") + std::to_string(i) + ", " + std::to_string(std::sin(i)) + ", " +
              std::to_string(std::cos(2 * i)) + "]";
    weights += (i == 0 ? "" : ", ") + std::to_string(1 + 0.5 * std::sin(3 * i));
  }
  CurveCase c;
  const auto curve =
      c.curve("nurbs_curve", "{points: [" + points + "], weights: [" + weights + "], degree: 25}");
  expect_exact(*curve, "degree 25", 2e-4);
  EXPECT_EQ(curve->point(0), Vec3(0, 0, 1));
}

TEST(Curves, have_the_shapes_of_their_names) {
  CurveCase c;
  const auto circle = c.curve("circle", "{centre: [1, 0, 0], normal: [0, 0, 3], radius: [0, 2, 0]}");
  const auto ellipse = c.curve("ellipse", "{major: [2, 0, 0], minor: [0, 0, 1]}");
  const auto helix = c.curve("helix", "{axis: [0, 0, 1], radius: [0.5, 0, 0], pitch: 0.4, turns: [-1, 3]}");
  const auto cycloid = c.curve("cycloid", "{along: [1, 0, 0], up: [0, 0, 1], radius: 1.5, span: 2}");
  const auto arc = c.curve("arc", "{from: [2, 0, 0], via: [0, 0, 2], to: [0, -2, 0]}");
  const auto line = c.curve("line", "{from: [1, 1, 1], to: [1, 1, 4]}");
  for (double f = 0; f <= 1; f += 0.01) {
    EXPECT_NEAR((circle->point(f) - Vec3(1, 0, 0)).norm(), 2, 1e-14);
    EXPECT_NEAR(circle->point(f).z(), 0, 1e-15);
    EXPECT_NEAR(circle->curvature(f), 0.5, 1e-12);
    const Vec3 e = ellipse->point(f);
    EXPECT_NEAR(e.x() * e.x() / 4 + e.z() * e.z(), 1, 1e-14);
    const double u = helix->first() + f * 8 * pi;
    EXPECT_NEAR((helix->point(u) - Vec3(0.5 * std::cos(u), 0.5 * std::sin(u), 0.4 / (2 * pi) * u)).norm(), 0,
                1e-14);
    EXPECT_NEAR(helix->arc_length(u), std::hypot(0.5, 0.4 / (2 * pi)) * (u + 2 * pi), 1e-12);
    const double v = -2 + 4 * f;
    EXPECT_NEAR(cycloid->arc_length(v), 6 * (std::sin(v / 2) + std::sin(1.0)), 1e-13);
    EXPECT_NEAR((cycloid->point(v) - 1.5 * Vec3(v + std::sin(v), 0, -std::cos(v))).norm(), 0, 1e-14);
    const double a = arc->first() + f * (arc->last() - arc->first());
    EXPECT_NEAR(arc->point(a).norm(), 2, 1e-14);
  }
  EXPECT_NEAR(circle->length(), 4 * pi, 1e-12);
  // Turns about the normal from its radius on.
  EXPECT_NEAR((circle->point(0.25) - Vec3(-1, 0, 0)).norm(), 0, 1e-14);
  // Perimeter of the ellipse of semi-axes 2 and 1: 8 E(3/4).
  EXPECT_NEAR(ellipse->length(), 9.688448220547675, 1e-12);
  EXPECT_NEAR((arc->point(arc->nearest(Vec3(0, 0, 2))) - Vec3(0, 0, 2)).norm(), 0, 1e-7);
  EXPECT_NEAR(line->length(), 3, 1e-14);
}

TEST(Curves, that_are_closed_continue_without_end) {
  CurveCase c;
  const auto circle = c.curve("circle", "{normal: [0, 0, 1], radius: [1, 0, 0]}");
  for (const double eta : {0.0, 0.3, 0.77}) {
    EXPECT_LT((circle->point(eta + 20) - circle->point(eta)).norm(), 1e-13);
    EXPECT_NEAR(circle->arc_length(eta - 3), circle->arc_length(eta) - 6 * pi, 1e-12);
  }
  EXPECT_NEAR(circle->parameter(7 * pi), 3.5, 1e-13);
  EXPECT_FALSE(circle->kink().has_value());
}

TEST(Curves, continue_smoothly_beyond_their_ends) {
  CurveCase c;
  const auto curve = c.curve("nurbs_curve", "{points: [[0, 0, 0], [1, 2, 0], [3, 2, 1], [4, 0, 2]]}");
  for (const double end : {0.0, 1.0}) {
    CurvePoint in, out;
    const double h = end > 0 ? 1e-7 : -1e-7;
    curve->evaluate(end - h, 3, in);
    curve->evaluate(end + h, 3, out);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT((in.d[k] - out.d[k]).norm(), 1e-4);
    const double off = end > 0 ? 1.2 : -0.2;
    const double slope = (curve->arc_length(off + 1e-5) - curve->arc_length(off - 1e-5)) / 2e-5;
    EXPECT_NEAR(slope, curve->speed(off), 1e-4);
    EXPECT_NEAR(curve->arc_length(curve->parameter(end > 0 ? 7.0 : -0.5)), end > 0 ? 7.0 : -0.5, 1e-9);
  }
}

TEST(Curves, project_points_far_off) {
  CurveCase c;
  const auto curve = c.curve("helix", "{axis: [0, 0, 1], radius: [0.5, 0, 0], pitch: 0.4, turns: [0, 3]}");
  EXPECT_NEAR(curve->nearest(Vec3(0.5, 0, 0.8)), 4 * pi, 1e-7);
  EXPECT_NEAR(curve->nearest(Vec3(0.6, 0, 0.8)), 4 * pi, 0.05);
  EXPECT_NEAR(curve->nearest(Vec3(3, -1, -5)), 0, 1e-12);
  const auto circle = c.curve("circle", "{normal: [0, 0, 1], radius: [1, 0, 0]}");
  EXPECT_LT(
      (circle->point(circle->nearest(Vec3(3, -3, 1))) - Vec3(std::sqrt(0.5), -std::sqrt(0.5), 0)).norm(),
      1e-8);
}

TEST(Curves, report_where_they_have_a_kink) {
  CurveCase c;
  const auto kinked =
      c.curve("nurbs_curve", "{points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [3, 1, 0]], degree: 1}");
  ASSERT_TRUE(kinked->kink().has_value());
  EXPECT_LT((kinked->kink()->point - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_NEAR(kinked->kink()->angle, pi / 2, 1e-6);
  // A drop closes with a kink at its tip.
  const auto drop =
      c.curve("nurbs_curve", "{points: [[0, 0, 0], [2, 1, 0], [2, -1, 0], [0, 0, 0]], form: closed}");
  ASSERT_TRUE(drop->kink().has_value());
  EXPECT_EQ(drop->kink()->eta, 0);
}

}  // namespace
}  // namespace trammel
