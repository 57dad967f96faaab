#include <cmath>
#include <numbers>
#include <random>

#include <array>
#include "drawn_surface.hpp"

#include <fmt/format.h>

#include "surface_case.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using testing::SurfaceCase;

constexpr const char* net =
    "points: [[[-2, -2, 0.1], [-2, -1, -0.2], [-2, 0, 0.4], [-2, 1, -0.3], [-2, 2, 0.1]],"
    "[[-1, -2, 0], [-1, -1, -0.3], [-1, 0, -0.2], [-1, 1, -0.2], [-1, 2, -0.1]],"
    "[[0, -2, 0.1], [0, -1, -0.3], [0, 0, 0.4], [0, 1, -0.3], [0, 2, 0.2]],"
    "[[1, -2, 0.2], [1, -1, -0.2], [1, 0, -0.3], [1, 1, -0.1], [1, 2, 0]],"
    "[[2, -2, 0.1], [2, -1, 0], [2, 0, -0.1], [2, 1, 0], [2, 2, 0.1]]]";
constexpr const char* weights =
    ", weights: [[1, 1.2, 1, 0.9, 1], [1, 1, 1.1, 1, 1], [1, 0.8, 1, 1, 1.2], [1, 1, 1, 1.1, 1], [1, 1, 0.9, "
    "1, 1]]";
/// A ring of five sections of a tube.
constexpr const char* ring =
    "points: [[[3, 0, 0], [4, 0, 0.1], [4, 0, 1], [3, 0, 1]], [[1, 3, 0], [1.2, 4, 0], [1.2, 4, 1], [1, 3, "
    "1]],"
    "[[-3, 2, 0], [-4, 2.2, 0], [-4, 2.2, 1], [-3, 2, 1.2]], [[-3, -2, 0], [-4, -2.2, 0], [-4, -2.2, 1], "
    "[-3, -2, 1]],"
    "[[1, -3, 0], [1.2, -4, 0], [1.2, -4, 1], [1, -3, 1]]], periodic_u: yes, periodic_v: yes";

class Track final : public Curve {
 public:
  Track() { set_domain({0, 1}, false); }

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override {
    out.d.fill(Vec3::Zero());
    out.d[0] = Vec3(0.2 * eta * eta, 2 * eta, 0.3 * eta * eta * eta);
    if (derivatives > 0) out.d[1] = Vec3(0.4 * eta, 2, 0.9 * eta * eta);
    if (derivatives > 1) out.d[2] = Vec3(0.4, 0, 1.8 * eta);
    if (derivatives > 2) out.d[3] = Vec3(0, 0, 1.8);
  }
};

std::vector<std::pair<std::string, std::shared_ptr<const Surface>>> all(SurfaceCase& c) {
  c.add_profile("track", std::make_shared<Track>());
  std::vector<std::pair<std::string, std::shared_ptr<const Surface>>> out;
  for (const auto& [type, text] : std::vector<std::pair<std::string, std::string>>{
           {"plane", "{reversed: yes}"},
           {"cylinder", "{radius: 0.7, from: -1, to: 2}"},
           {"cone", "{radius: 0.7, half_angle: 0.3, from: -1, to: 2, reversed: yes}"},
           {"sphere", "{radius: 0.4}"},
           {"ellipsoid", "{semi_axes: [0.4, 0.7, 1.1]}"},
           {"torus", "{ring_radius: 2, tube_radius: 0.6}"},
           {"nurbs_surface", std::string("{") + net + weights + "}"},
           {"nurbs_surface",
            std::string("{") + net + ", degree_u: 4, degree_v: 2, knots_v: [0, 0, 0, 1, 3, 4, 4, 4]}"},
           {"nurbs_surface", std::string("{") + ring + ", knots_u: [0, 1, 2.5, 3, 4, 6]}"},
           {"extrusion", "{profile: profile, direction: [0.1, 1, 0.2], to: 2}"},
           {"revolution", "{profile: profile, axis: [0, 0.1, 1]}"},
           {"formula_surface",
            "{point: [(2 + cos(v))*cos(u), (2 + cos(v))*sin(u), sin(v) + 0.1*u], u: [0, 3], v: [-1, 1.5]}"},
           {"offset_surface", "{of: surface4, distance: -0.1}"},
           {"offset_surface", "{of: surface6, distance: 0.01, reversed: yes}"},
           {"sweep", "{profile: profile, track: track}"},
           {"interpolated_surface", std::string("{degree_u: 4, ") + net + "}"}})
    out.emplace_back(type + " " + text, c.surface(type, text));
  return out;
}

SurfaceParameters random_place(const Surface& s, std::mt19937& numbers) {
  std::uniform_real_distribution<double> part(0.02, 0.98);
  const double a = part(numbers), b = part(numbers);
  return {s.u().first + a * s.u().length(), s.v().first + b * s.v().length()};
}

TEST(Surfaces, have_the_derivatives_of_their_points) {
  SurfaceCase c;
  std::mt19937 numbers(1);
  for (const auto& [name, surface] : all(c))
    for (int k = 0; k < 20; ++k) {
      const SurfaceParameters x = random_place(*surface, numbers);
      SurfacePoint at;
      surface->evaluate(x, 3, at);
      for (const bool along_u : {true, false}) {
        const double h = 1e-5 * (along_u ? surface->u().length() : surface->v().length());
        const auto moved = [&, surface = surface](double by) {
          SurfacePoint p;
          surface->evaluate(along_u ? SurfaceParameters{x.u + by, x.v} : SurfaceParameters{x.u, x.v + by}, 3,
                            p);
          return p;
        };
        const SurfacePoint plus = moved(h), minus = moved(-h);
        for (int i = 0; i <= 2; ++i)
          for (int j = 0; i + j <= 2; ++j) {
            const Vec3 found = along_u ? at.by(i + 1, j) : at.by(i, j + 1);
            EXPECT_LE((found - (plus.by(i, j) - minus.by(i, j)) / (2 * h)).norm(),
                      1e-6 * (found.norm() + 1e-5 * at.by(i, j).norm() / h))
                << name << ", " << i << j << (along_u ? " by u" : " by v");
          }
      }
    }
}

TEST(Surfaces, have_unit_directions_with_their_derivatives) {
  SurfaceCase c;
  std::mt19937 numbers(2);
  for (const auto& [name, surface] : all(c))
    for (int k = 0; k < 10; ++k) {
      const SurfaceParameters x = random_place(*surface, numbers);
      const auto directions = [&, surface = surface](double du, double dv) {
        SurfacePoint p;
        surface->evaluate({x.u + du, x.v + dv}, 3, p);
        return surface->directions(p);
      };
      const SurfaceDirections at = directions(0, 0);
      EXPECT_LT((at.normal.d[0] - surface->normal(x)).norm(), 1e-13) << name;
      EXPECT_NEAR(at.normal.d[0].dot(at.u.d[0]), 0, 1e-14) << name;
      const double h = 1e-5 * surface->u().length(), g = 1e-5 * surface->v().length();
      const SurfaceDirections a = directions(h, 0), b = directions(-h, 0), e = directions(0, g),
                              f = directions(0, -g);
      for (const auto part : {&SurfaceDirections::u, &SurfaceDirections::v, &SurfaceDirections::normal})
        for (const auto& [i, j] : {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1)}) {
          const double scale = 1e-6 * (1 + (at.*part).by(i + 1, j).norm() + (at.*part).by(i, j + 1).norm());
          EXPECT_LT(((at.*part).by(i + 1, j) - ((a.*part).by(i, j) - (b.*part).by(i, j)) / (2 * h)).norm(),
                    scale)
              << name;
          EXPECT_LT(((at.*part).by(i, j + 1) - ((e.*part).by(i, j) - (f.*part).by(i, j)) / (2 * g)).norm(),
                    scale)
              << name;
        }
    }
}

TEST(Surfaces, lie_in_the_boxes_of_their_patches) {
  SurfaceCase c;
  std::mt19937 numbers(5);
  std::uniform_real_distribution<double> part(0, 1);
  for (const auto& [name, surface] : all(c)) {
    double covered = 0;
    const std::vector<SurfacePatch> patches = surface->patches();
    for (const SurfacePatch& patch : patches) {
      const double du = patch.last.u - patch.first.u, dv = patch.last.v - patch.first.v;
      covered += du * dv;
      for (int k = 0; k < 20; ++k) {
        const Vec3 p =
            surface->point({patch.first.u + part(numbers) * du, patch.first.v + part(numbers) * dv});
        EXPECT_LE(patch.box.exteriorDistance(p), 1e-13 * surface->size()) << name;
      }
      // The control points of an interpolation of degree 4 through rough points lie far from the surface.
      const double far = name.starts_with("interpolated_surface") ? 3.0 : 1.0;
      EXPECT_LT(patch.box.diagonal().norm(), far * surface->size()) << name;
    }
    EXPECT_NEAR(covered, surface->u().length() * surface->v().length(), 1e-12 * covered) << name;
  }
}

TEST(Surfaces, find_the_nearest_point) {
  SurfaceCase c;
  std::mt19937 numbers(3);
  for (const auto& [name, surface] : all(c))
    for (int k = 0; k < 20; ++k) {
      const SurfaceParameters x = random_place(*surface, numbers);
      const double off = 0.01 * surface->size();
      const Vec3 from = surface->point(x) + off * surface->normal(x);
      const SurfaceParameters found = surface->nearest(from);
      EXPECT_LT((surface->point(found) - from).norm(), off * (1 + 1e-9)) << name;
      EXPECT_EQ(surface->beyond(found), 0) << name;
      const SurfaceParameters near = surface->nearest(from, {x.u + 0.01 * surface->u().length(), x.v});
      EXPECT_LT((surface->point(near) - from).norm(), off * (1 + 1e-9)) << name;
    }
}

TEST(Surfaces, are_what_they_are_called) {
  SurfaceCase c;
  const auto curvatures = [](const Surface& s, const SurfaceParameters& x, double least, double most) {
    const SurfaceCurvatures found = s.curvatures(x);
    EXPECT_NEAR(found.least, least, 1e-12);
    EXPECT_NEAR(found.most, most, 1e-12);
  };
  curvatures(*c.surface("sphere", "{radius: 0.4}"), {1, 0.3}, -2.5, -2.5);
  curvatures(*c.surface("sphere", "{radius: 0.4, reversed: yes}"), {1, 0.3}, 2.5, 2.5);
  curvatures(*c.surface("torus", "{ring_radius: 2, tube_radius: 0.5}"), {1, 0}, -2, -0.4);
  curvatures(*c.surface("cylinder", "{radius: 0.5, from: 0, to: 1}"), {1, 0.2}, -2, 0);
  // A quarter of a cylinder, as a rational surface: exact.
  const double w = std::sqrt(0.5);
  const auto quarter = c.surface(
      "nurbs_surface",
      "{degree_u: 2, degree_v: 1, points: [[[1, 0, 0], [1, 0, 2]], [[1, 1, 0], [1, 1, 2]], [[0, 1, 0], "
      "[0, 1, 2]]], weights: [[1, 1], [" +
          std::to_string(w) + ", " + std::to_string(w) + "], [1, 1]]}");
  for (double u = 0; u <= 1; u += 0.1) {
    const Vec3 p = quarter->point({u, 0.3});
    EXPECT_NEAR(std::hypot(p.x(), p.y()), 1, 1e-6);  // the digits of std::to_string
    EXPECT_NEAR(p.z(), 0.6, 1e-14);
    EXPECT_LT((quarter->normal({u, 0.3}) - Vec3(p.x(), p.y(), 0)).norm(), 1e-5);
  }
  // A periodic surface is smooth where it closes.
  const auto tube = c.surface("nurbs_surface", std::string("{") + ring + "}");
  SurfacePoint a, b;
  tube->evaluate({0, 0.3}, 2, a);
  tube->evaluate({1 - 1e-12, 0.3}, 2, b);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_LT((a.d[k] - b.d[k]).norm(), 1e-8);
  EXPECT_LT((tube->point({0.2, 0.3}) - tube->point({3.2, -1.7})).norm(), 1e-12);
}

/// A surface through 13 x 13 and 25 x 25 points of a wave converges with order degree + 1; it goes through its points.
TEST(InterpolatedSurface, goes_through_its_points) {
  SurfaceCase c;
  const auto wave = [](double x, double y) { return 0.3 * std::sin(x) * std::cos(y); };
  std::array<double, 2> worst{};
  for (const int n : {12, 24}) {
    std::string points;
    for (int i = 0; i <= n; ++i) {
      points += i == 0 ? "[" : ", [";
      for (int j = 0; j <= n; ++j) {
        const double x = -1 + 2.0 * i / n, y = -1 + 2.0 * j / n;
        points += fmt::format("{}[{:.17g}, {:.17g}, {:.17g}]", j == 0 ? "" : ", ", x, y, wave(x, y));
      }
      points += "]";
    }
    const auto s = c.surface("interpolated_surface", "{points: [" + points + "]}");
    for (int i = 0; i <= n; ++i) {
      const double x = -1 + 2.0 * i / n;
      const Vec3 p(x, 0.5, wave(x, 0.5));  // a grid line of both
      EXPECT_LT((s->point(s->nearest(p)) - p).norm(), 1e-12);
    }
    double& far = worst[n == 12 ? 0 : 1];
    for (double x = -0.9; x < 0.9; x += 0.037)
      for (double y = -0.9; y < 0.9; y += 0.041) {
        const Vec3 p(x, y, wave(x, y));
        far = std::max(far, (s->point(s->nearest(p, {0.5 * (x + 1), 0.5 * (y + 1)})) - p).norm());
      }
  }
  EXPECT_GT(std::log2(worst[0] / worst[1]), 3.5) << worst[0] << ' ' << worst[1];
}

TEST(OffsetSurface, is_the_parallel_surface) {
  SurfaceCase c;
  c.add(surface_category, "sphere", "ball", "{radius: 0.5}");
  const auto s = c.surface("offset_surface", "{of: ball, distance: 0.2}");
  EXPECT_NEAR(s->point({0.7, 0.3}).norm(), 0.7, 1e-15);
  EXPECT_NEAR(s->curvatures({0.7, 0.3}).least, -1 / 0.7, 1e-12);
  EXPECT_THAT(c.message("offset_surface", "{of: ball, distance: -0.5}"),
              HasSubstr("an offset of -0.5 m reaches the centre of curvature of the surface at ["));
  EXPECT_THAT(c.message("offset_surface", "{of: bal, distance: 1}"), HasSubstr("did you mean 'ball'"));
}

TEST(BadSurfaces, say_what_does_not_fit) {
  SurfaceCase c;
  EXPECT_THAT(c.message("interpolated_surface", "{points: [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0]]]}"),
              HasSubstr("degree 3 along u needs at least 4 points, found 2"));
  EXPECT_THAT(c.message("interpolated_surface",
                        "{degree_u: 1, degree_v: 1, points: [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0]]]}"),
              HasSubstr("row 2 has 1 points, the first one 2"));
  EXPECT_THAT(
      c.message("interpolated_surface",
                "{degree_u: 1, degree_v: 1, points: [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 1, 0]]]}"),
      HasSubstr("points 1 and 2 along v coincide at [0, 1, 0]"));
  EXPECT_THAT(c.message("formula_surface", "{point: [u, v], u: [0, 1], v: [0, 1]}"),
              HasSubstr("three formulas of u and v"));
  EXPECT_THAT(c.message("formula_surface", "{point: [u, v, w], u: [0, 1], v: [0, 1]}"), HasSubstr("'w'"));
  EXPECT_THAT(c.message("formula_surface", "{point: [u, v, 0], u: [0, 1], v: [1, 1]}"),
              HasSubstr("two numbers that rise"));
  EXPECT_THAT(c.message("formula_surface", "{point: [u*v, 0, v], u: [0, 1], v: [0, 1]}"),
              HasSubstr("collapses"));
}

TEST(BadSurfaces, are_refused_with_the_reason) {
  SurfaceCase c;
  const auto nurbs = [&](const std::string& own) {
    return c.message("nurbs_surface", std::string("{") + net + own + "}");
  };
  EXPECT_EQ(nurbs(""), "");
  EXPECT_THAT(nurbs(", degree_u: 5"), HasSubstr("degree 5 along u needs at least 6 control points, found 5"));
  EXPECT_THAT(nurbs(", degree_v: 26"), HasSubstr("a degree of 26 along v is too high: at most 25"));
  EXPECT_THAT(nurbs(", degree_v: 0"), HasSubstr("too low"));
  EXPECT_THAT(nurbs(", knots_u: [0, 1]"), HasSubstr("need 9 knots, found 2"));
  EXPECT_THAT(nurbs(", knots_u: [0, 0, 0, 0, 2, 1, 1, 1, 1]"),
              HasSubstr("must not fall: knot 6 is 1 after 2"));
  EXPECT_THAT(nurbs(", degree_u: 2, knots_u: [0, 0, 0, 1, 1, 1, 2, 2]"),
              HasSubstr("the surface tears there"));
  EXPECT_THAT(nurbs(", weights: [[1, 1, 1, 1, 1]]"), HasSubstr("must be 5 rows of 5"));
  EXPECT_THAT(
      nurbs(
          ", weights: [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]"),
      HasSubstr("weight 3 of row 3 is 0"));
  EXPECT_THAT(
      c.message("nurbs_surface", "{degree_u: 1, degree_v: 1, points: [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0]]]}"),
      HasSubstr("row 2 has 1 control points"));
  EXPECT_THAT(c.message("nurbs_surface",
                        "{degree_u: 1, degree_v: 1, points: [[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [0, 1, "
                        "0]]]}"),
              HasSubstr("collapses at [0, 1, 0]"));
  EXPECT_THAT(c.message("sphere", "{radius: -1}"), HasSubstr("radius"));
  EXPECT_THAT(c.message("ellipsoid", "{semi_axes: [1, 0, 1]}"), HasSubstr("must be positive"));
  EXPECT_THAT(c.message("torus", "{ring_radius: 1, tube_radius: 1}"), HasSubstr("meets itself"));
  EXPECT_THAT(c.message("cone", "{radius: 1, half_angle: -0.7853981633974483, from: 0, to: 2}"),
              HasSubstr("its tip"));
  EXPECT_THAT(c.message("cylinder", "{radius: 1, from: 2, to: 2}"), HasSubstr("must lie beyond"));
  EXPECT_THAT(c.message("plane", "{size: [1]}"), HasSubstr("two positive lengths"));
  EXPECT_THAT(c.message("extrusion", "{profile: profil, to: 1, direction: [0, 0, 1]}"),
              HasSubstr("there is no curve 'profil'"));
  EXPECT_THAT(c.message("extrusion", "{profile: profile, to: 1, direction: [0, 0, 0]}"),
              HasSubstr("must not be zero"));
  c.add_profile("on_axis", std::make_shared<testing::Ellipse>(Vec3(1, 0, 0)));
  EXPECT_THAT(c.message("revolution", "{profile: on_axis, axis: [0, 0, 1]}"), HasSubstr("collapses"));
}

TEST(BadSurfaces, are_offered_by_their_names) {
  SurfaceCase c;
  c.add(surface_category, "plane", "floor", "{}");
  Value name;
  name.kind = Value::Kind::scalar;
  name.text = "flor";
  try {
    find_surface(c.builder, name);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'floor'"));
  }
}

TEST(DrawnSurfaces, follow_the_surface) {
  SurfaceCase c;
  const surfaces::DrawnSurface drawn({c.surface("sphere", "{radius: 2}"), Marker::ground()});
  const std::vector<int>& faces = drawn.faces();
  ASSERT_EQ(faces.size() % 5, 0U);
  double area = 0;
  for (std::size_t i = 0; i < faces.size(); i += 5) {
    ASSERT_EQ(faces[i], 4);
    const auto p = [&](std::size_t k) { return drawn.points()[static_cast<std::size_t>(faces[i + k])]; };
    const Vec3 across = 0.5 * (p(3) - p(1)).cross(p(4) - p(2));
    EXPECT_GT(across.dot(p(1)), 0);  // seen from outside they turn to the left
    area += across.norm();
  }
  EXPECT_NEAR(area, 16 * std::numbers::pi, 0.002 * 16 * std::numbers::pi);
}

}  // namespace
}  // namespace trammel
