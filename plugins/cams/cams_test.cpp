#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cam_profile.hpp"
#include "plain_case.hpp"

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
          .offset = 0.01};
}
CamDefinition flat() {
  CamDefinition what = roller();
  what.flat = true;
  what.prime_radius = 0.08;
  what.roller_radius = what.offset = 0;
  return what;
}

TEST(CamProfile, HasTheDerivativesOfItsPoints) {
  for (const CamDefinition& what : {roller(), flat()}) {
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
TEST(CamProfile, IsWhatTheMotionLawAsksFor) {
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
TEST(CamProfile, LiftsAFlatFace) {
  const CamProfile cam(flat());
  for (double theta = 0; theta < 6.2; theta += 0.31) {
    const double height = 0.08 + cam.lift(theta)[0];
    const Vec3 up(std::sin(theta), std::cos(theta), 0);  // e2 of the world in the axes of the cam
    EXPECT_NEAR(cam.point(theta).dot(up), height, 1e-15);
    for (double eta = 0; eta < 6.28; eta += 0.01) EXPECT_LT(cam.point(eta).dot(up), height + 1e-12);
  }
}

TEST(BadCams, AreRefusedWithTheReason) {
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
  EXPECT_THAT(message("law: [{rise: 0.01, over: 6.283185307179586}], prime_radius: 0.1, roller_radius: 0.01"),
              HasSubstr("ends 0.01 m from where it begins"));
  EXPECT_THAT(message("law: [{over: 6}], prime_radius: 0.1, roller_radius: 0.01"),
              HasSubstr("by 6 rad in all"));
  EXPECT_THAT(message("law: [], prime_radius: 0.1, roller_radius: 0.01"), HasSubstr("no segments"));
  EXPECT_THAT(message("law: [{over: -1}], prime_radius: 0.1, roller_radius: 0.01"), HasSubstr("over"));
}

}  // namespace
}  // namespace trammel::cams
