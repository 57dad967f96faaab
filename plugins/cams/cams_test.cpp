#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cam_profile.hpp"
#include "cam_surface.hpp"
#include "plain_case.hpp"
#include "spline_outline.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::cams {
namespace {

using ::testing::HasSubstr;

constexpr double pi = std::numbers::pi;

/// Rise 30 mm in 120 degrees, dwell 60, fall in 120, dwell 60; roller of 10 mm, prime circle of 50 mm, offset 10 mm.
CamDefinition roller() {
  return {.law = {{0.03, 2 * pi / 3}, {0, pi / 3}, {-0.03, 2 * pi / 3}, {0, pi / 3}},
          .flat = false,
          .prime_radius = 0.05,
          .roller_radius = 0.01,
          .offset = 0.01,
          .swing = {}};
}
CamDefinition flat() {
  CamDefinition what = roller();
  what.flat = true;
  what.prime_radius = 0.08;
  what.roller_radius = what.offset = 0;
  return what;
}

CamDefinition knife_edge() {
  CamDefinition what = roller();
  what.roller_radius = 0;
  return what;
}
/// An arm of 100 mm from a pivot at (-100, 50) mm, which swings by 0.3 rad.
CamDefinition swinging_roller() {
  CamDefinition what = roller();
  what.law = {{0.3, 2 * pi / 3}, {0, pi / 3}, {-0.3, 2 * pi / 3}, {0, pi / 3}};
  what.offset = what.prime_radius = 0;
  what.swing = Swing{-0.1, 0.05, 0.05, 0.1, 0};
  return what;
}
CamDefinition swinging_flat() {
  CamDefinition what = swinging_roller();
  what.flat = true;
  what.roller_radius = 0;
  what.swing = Swing{-0.1, 0.05, 0.05, 0, 0.012};
  return what;
}

TEST(CamProfile, has_the_derivatives_of_its_points) {
  for (const CamDefinition& what : {roller(), flat(), knife_edge(), swinging_roller(), swinging_flat()}) {
    const CamProfile cam(what);
    const double h = 1e-4;
    for (double eta = 0.05; eta < 6.2; eta += 0.137) {
      CurvePoint at, plus, minus;
      cam.evaluate(eta, 4, at);
      cam.evaluate(eta + h, 3, plus);
      cam.evaluate(eta - h, 3, minus);
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_LT((at.d[k + 1] - (plus.d[k] - minus.d[k]) / (2 * h)).norm(), 3e-6 * (1 + at.d[k + 1].norm()))
            << eta << ", derivative " << k + 1;
    }
  }
}

/// Points, slopes and radii of curvature in closed form, by another program.
TEST(CamProfile, gives_the_motion_law) {
  const CamProfile cam(roller());
  const auto expect = [&](double degrees, double s, double x, double y, double radius) {
    const double theta = degrees * pi / 180;
    EXPECT_NEAR(cam.lift(theta)[0], s, 1e-15) << degrees;
    EXPECT_LT((cam.point(theta) - Vec3(x, y, 0)).norm(), 1e-14) << degrees;
    EXPECT_NEAR(1 / cam.curvature(theta), radius, 1e-11) << degrees;
  };
  expect(15, 0.000373813814410852, 0.0187369703646109, 0.0358024911713233, 0.1197782476198);
  expect(45, 0.00787381381441085, 0.0421683400995953, 0.0245425835418161, 0.08766767741381);
  expect(75, 0.0221261861855891, 0.0623306333435005, 0.00428689248408453, 0.03911892159465);
  expect(105, 0.0296261861855891, 0.0639065601850711, -0.0267141515870276, 0.04710277248387);
  expect(150, 0.03, 0.0269619307416903, -0.0641875108162406, 0.06962027186176);
  expect(240, 0.015, -0.0504187351024528, -0.0235319748329406, 0.05239367589);
  expect(330, 0, -0.0126677147119899, 0.0379411254969543, 0.04);
  EXPECT_TRUE(cam.closed());
  EXPECT_FALSE(cam.kink());
}

/// A flat face across the motion touches the cam at its highest point, at the height of the law.
TEST(CamProfile, lifts_a_flat_face) {
  const CamProfile cam(flat());
  for (double theta = 0; theta < 6.2; theta += 0.31) {
    const double height = 0.08 + cam.lift(theta)[0];
    const Vec3 up(std::sin(theta), std::cos(theta), 0);  // e2 of the world in the axes of the cam
    EXPECT_NEAR(cam.point(theta).dot(up), height, 1e-15);
    for (double eta = 0; eta < 6.28; eta += 0.01) EXPECT_LT(cam.point(eta).dot(up), height + 1e-12);
  }
}

/// The roller, or the edge, of a swinging follower touches the cam alone where it should, and is nowhere nearer.
TEST(CamProfile, lifts_a_swinging_roller) {
  for (const double r : {0.01, 0.0}) {
    CamDefinition what = swinging_roller();
    what.roller_radius = r;
    const CamProfile cam(what);
    for (double theta = 0; theta < 6.2; theta += 0.31) {
      const double angle = what.swing->angle + cam.lift(theta)[0];
      const Vec3 centre(what.swing->x + what.swing->arm * std::cos(angle),
                        what.swing->y + what.swing->arm * std::sin(angle), 0);
      const double c = std::cos(theta), sine = std::sin(theta);
      const Vec3 on_cam(c * centre.x() + sine * centre.y(), -sine * centre.x() + c * centre.y(), 0);
      EXPECT_NEAR((cam.point(theta) - on_cam).norm(), r, 1e-15);
      for (double eta = 0; eta < 6.28; eta += 0.01) EXPECT_GT((cam.point(eta) - on_cam).norm(), r - 1e-12);
    }
  }
}

TEST(CamProfile, lifts_a_swinging_face) {
  const CamDefinition what = swinging_flat();
  const CamProfile cam(what);
  for (double theta = 0; theta < 6.2; theta += 0.31) {
    const double angle = what.swing->angle + cam.lift(theta)[0];
    const Vec3 up(-std::sin(angle), std::cos(angle), 0), pivot(what.swing->x, what.swing->y, 0);
    const auto height = [&](double eta) {
      const Vec3 p = cam.point(eta);
      const double c = std::cos(theta), sine = std::sin(theta);
      return up.dot(Vec3(c * p.x() - sine * p.y(), sine * p.x() + c * p.y(), 0) - pivot);
    };
    EXPECT_NEAR(height(theta), what.swing->offset, 1e-15);
    for (double eta = 0; eta < 6.28; eta += 0.01) EXPECT_LT(height(eta), what.swing->offset + 1e-12);
  }
}

/// The height of the centre of the roller on a cam that has turned by theta.
double roller_height(const Curve& cam, const CamDefinition& what, double theta) {
  const auto centre = [&](double eta) {
    CurvePoint c;
    cam.evaluate(eta, 1, c);
    const Vec3 t = c.d[1].normalized(), p = c.d[0] + what.roller_radius * Vec3(-t.y(), t.x(), 0);
    return Vec3(std::cos(theta) * p.x() - std::sin(theta) * p.y(),
                std::sin(theta) * p.x() + std::cos(theta) * p.y(), 0);
  };
  double eta = theta;
  for (int i = 0; i < 8; ++i) {
    const double h = 1e-6;
    const double slope = (centre(eta + h).x() - centre(eta - h).x()) / (2 * h);
    eta -= (centre(eta).x() - what.offset) / slope;
  }
  return centre(eta).y();
}

/// The largest errors of lift, rate and acceleration by theta on a spline, away from the places given.
std::array<double, 3> worst_errors(const Curve& spline, const CamProfile& cam, const CamDefinition& what) {
  const double base = std::sqrt(what.prime_radius * what.prime_radius - what.offset * what.offset);
  const auto error = [&](double theta) {
    return roller_height(spline, what, theta) - base - cam.lift(theta)[0];
  };
  std::array<double, 3> worst{};
  for (int i = 0; i < 4000; ++i) {
    const double theta = 0.01 + 6.26 * i / 4000, h = 2e-4;
    const double a = error(theta - h), b = error(theta), c = error(theta + h);
    worst[0] = std::max(worst[0], std::abs(b));
    worst[1] = std::max(worst[1], std::abs(c - a) / (2 * h));
    worst[2] = std::max(worst[2], std::abs(a - 2 * b + c) / (h * h));
  }
  return worst;
}

/// The third derivative of the law jumps: lift, rate and acceleration on a spline converge with the orders 3, 2, 1 in the maximum
/// norm.
TEST(SplineOutline, converges_as_fast_as_the_jumps_of_the_law_permit) {
  const CamDefinition what = roller();
  const CamProfile cam(what);
  const auto coarse = worst_errors(SplineOutline(cam, {50, 0}), cam, what),
             fine = worst_errors(SplineOutline(cam, {400, 0}), cam, what);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_NEAR(std::log2(coarse[d] / fine[d]) / 3, 3 - static_cast<double>(d), 0.4);
}

/// Four knots at each end of a segment let the outline's curvature jump where that of the law's outline does: the spline converges
/// with its own order, 6, as far as rounding in the differences of the lift lets it be seen.
TEST(SplineOutline, converges_with_its_own_order_with_knots_at_the_jumps) {
  const CamDefinition what = roller();
  const CamProfile cam(what);
  const auto coarse = worst_errors(SplineOutline(cam, {50, 4}), cam, what),
             fine = worst_errors(SplineOutline(cam, {100, 4}), cam, what),
             simple = worst_errors(SplineOutline(cam, {100, 0}), cam, what);
  EXPECT_GT(std::log2(coarse[0] / fine[0]), 4.5) << coarse[0] << ' ' << fine[0];
  EXPECT_LT(fine[0], 1e-2 * simple[0]);
  EXPECT_LT(fine[1], 1e-2 * simple[1]);
  EXPECT_LT(fine[2], 1e-2 * simple[2]);
}

TEST(SplineOutline, has_the_derivatives_of_its_points) {
  const CamProfile cam(roller());
  for (const int at_ends : {0, 1, 3, 4}) {
    const SplineOutline spline(cam, {60, at_ends});
    for (int i = 0; i < 50; ++i) {
      const double eta = 0.1 + 0.123 * i, h = 1e-4;
      CurvePoint at, plus, minus;
      spline.evaluate(eta, 4, at);
      spline.evaluate(eta + h, 3, plus);
      spline.evaluate(eta - h, 3, minus);
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_LT((at.d[k + 1] - (plus.d[k] - minus.d[k]) / (2 * h)).norm(), 1e-5 * (1 + at.d[k + 1].norm()))
            << at_ends << ", " << eta << ", derivative " << k + 1;
    }
  }
}

TEST(CamSurface, is_the_spline_of_its_control_points) {
  const CamProfile cam(roller());
  const KnotChoice knots{80, 4};
  const CamWidth across{0.02, 0.0005};
  const CamSurface surface(cam, knots, across, false);
  const SplineOutline middle(cam, knots);
  const ClosedSpline normals(knots_along(cam, knots), cam.last(), [&](double eta) {
    CurvePoint c;
    cam.evaluate(eta, 1, c);
    return Vec3(-c.d[1].y(), c.d[1].x(), 0).normalized();
  });
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j <= 6; ++j) {
      const double eta = 0.05 + 0.15 * i, v = j / 6.0, w = 1 - v;
      CurvePoint C, N;
      middle.evaluate(eta, 0, C);
      normals.evaluate(eta, 0, N);
      const std::array<double, 4> B{w * w * w, 3 * v * w * w, 3 * v * v * w, v * v * v},
          d{-across.crown, across.crown / 3, across.crown / 3, -across.crown};
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = 0; k < 4; ++k)
        sum += B[k] *
               (C.d[0] + d[k] * N.d[0] + across.width * (static_cast<double>(k) / 3 - 0.5) * Vec3::UnitZ());
      EXPECT_LT((surface.point({eta, v}) - sum).norm(), 1e-15);
      const Vec3 p = surface.point({eta, v});
      EXPECT_GT(surface.normal({eta, v}).dot(Vec3(p.x(), p.y(), 0).normalized()), 0.5);  // out of the cam
      SurfacePoint at;
      surface.evaluate({eta, v}, 3, at);
      for (const bool by_u : {true, false}) {
        const double h = 1e-5;
        SurfacePoint plus, minus;
        surface.evaluate({eta + (by_u ? h : 0), v + (by_u ? 0 : h)}, 2, plus);
        surface.evaluate({eta - (by_u ? h : 0), v - (by_u ? 0 : h)}, 2, minus);
        for (int a = 0; a <= 2; ++a)
          for (int b = 0; a + b <= 2; ++b)
            EXPECT_LT(
                (at.by(a + (by_u ? 1 : 0), b + (by_u ? 0 : 1)) - (plus.by(a, b) - minus.by(a, b)) / (2 * h))
                    .norm(),
                1e-6 * (1 + at.by(a, b).norm()))
                << eta << ' ' << v << ' ' << a << b;
      }
    }
}

TEST(BadCams, are_refused_with_the_reason) {
  testing::PlainCase c;
  c.registry.set_source("cams", "");
  trammel_register(c.registry);
  const auto message = [&](const std::string& own) {
    return c.message(Type::Category::curve, "cam_profile", "{" + own + "}");
  };
  const std::string law = "law: [{rise: 0.03, over: 2}, {over: 1}, {rise: -0.03, over: 3.283185307179586}]";
  EXPECT_EQ(message(law + ", prime_radius: 0.05, roller_radius: 0.01"), "");
  EXPECT_THAT(message(law + ", prime_radius: 0.05"), HasSubstr("needs 'roller_radius'"));
  EXPECT_THAT(message(law + ", prime_radius: 0.05, roller_radius: 0.01, offset: 0.06"),
              HasSubstr("must be below"));
  EXPECT_THAT(message(law + ", prime_radius: 0.05, roller_radius: 0.049"),
              HasSubstr("the motion law undercuts the cam at "));
  EXPECT_THAT(message(law + ", prime_radius: 0.02, follower: flat"), HasSubstr("take a larger prime radius"));
  EXPECT_THAT(message(law + ", prime_radius: 0.2, follower: flat, offset: 0.01"),
              HasSubstr("belongs to `follower: roller`"));
  EXPECT_THAT(message(law + ", prime_radius: 0.01, roller_radius: 0.02"),
              HasSubstr("would reach the cam's axis"));
  EXPECT_EQ(message(law + ", prime_radius: 0.05, roller_radius: 0.01, control_points: 50"), "");
  EXPECT_THAT(message(law + ", prime_radius: 0.05, roller_radius: 0.01, control_points: 5"),
              HasSubstr("5 control points are too few: a spline of degree 5 needs 6 at least"));
  const std::string spline = law + ", prime_radius: 0.05, roller_radius: 0.01, control_points: 20, ";
  EXPECT_EQ(message(spline + "knots_at_ends: 4"), "");
  EXPECT_THAT(message(spline + "knots_at_ends: 5"), HasSubstr("'knots_at_ends' is 5, but must be 1 to 4"));
  EXPECT_THAT(message(spline + "knots_at_ends: 0"), HasSubstr("must be 1 to 4"));
  EXPECT_THAT(
      message(law + ", prime_radius: 0.05, roller_radius: 0.01, control_points: 14, knots_at_ends: 4"),
      HasSubstr("14 control points are too few for 4 knots at each of the 3 ends of segments: at least 15"));
  EXPECT_THAT(message(law + ", prime_radius: 0.05, roller_radius: 0.01, knots_at_ends: 4"),
              HasSubstr("belongs to a spline with 'control_points'"));
  const auto surface = [&](const std::string& own) {
    return c.message(surface_category, "cam_surface",
                     "{" + law + ", prime_radius: 0.05, roller_radius: 0.01, " + own + "}");
  };
  EXPECT_EQ(surface("control_points: 50, width: 0.02"), "");
  EXPECT_EQ(surface("control_points: 50, knots_at_ends: 4, width: 0.02, crown: 0.001"), "");
  EXPECT_THAT(surface("control_points: 5, width: 0.02"), HasSubstr("needs 6 at least"));
  EXPECT_THAT(surface("control_points: 50, width: 0"), HasSubstr("width"));
  EXPECT_EQ(message(law + ", prime_radius: 0.05, follower: knife_edge"), "");
  EXPECT_THAT(message(law + ", follower: knife_edge"), HasSubstr("needs 'prime_radius'"));
  const std::string swing =
      "law: [{rise: 0.3, over: 2}, {over: 1}, {rise: -0.3, over: 3.283185307179586}], pivot: [-0.1, 0.05]";
  EXPECT_EQ(message(swing + ", arm: 0.1, roller_radius: 0.01"), "");
  EXPECT_EQ(message(swing + ", follower: flat, angle: 0.05, face_offset: 0.012"), "");
  EXPECT_THAT(message(swing + ", roller_radius: 0.01"), HasSubstr("needs 'arm'"));
  EXPECT_THAT(message(swing + ", follower: flat, arm: 0.1"), HasSubstr("'arm' belongs to"));
  EXPECT_THAT(message(swing + ", arm: 0.1, roller_radius: 0.01, prime_radius: 0.05"),
              HasSubstr("'prime_radius' belongs to a follower without `pivot`"));
  EXPECT_THAT(message(swing + ", arm: 0.1, roller_radius: 0.049"), HasSubstr("undercuts the cam at "));
  EXPECT_THAT(message(law + ", prime_radius: 0.05, roller_radius: 0.01, angle: 1"),
              HasSubstr("'angle' belongs to a follower with `pivot`"));
  EXPECT_THAT(message("law: [{rise: 0.01, over: 6.283185307179586}], prime_radius: 0.1, roller_radius: 0.01"),
              HasSubstr("ends 0.01 m from where it begins"));
  EXPECT_THAT(message("law: [{over: 6}], prime_radius: 0.1, roller_radius: 0.01"),
              HasSubstr("by 6 rad in all"));
  EXPECT_THAT(message("law: [], prime_radius: 0.1, roller_radius: 0.01"), HasSubstr("no segments"));
  EXPECT_THAT(message("law: [{over: -1}], prime_radius: 0.1, roller_radius: 0.01"), HasSubstr("over"));
}

}  // namespace
}  // namespace trammel::cams
