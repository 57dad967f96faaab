#include "trammel/curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trammel {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi;

TEST(Antiderivative, is_exact_to_rounding) {
  const std::vector<double> breaks{-1, 0.3, 4};
  int calls = 0;
  const Antiderivative F(
      [&calls](double x) {
        ++calls;
        return std::exp(x) * std::cos(5 * x);
      },
      breaks);
  const auto exact = [](double x) { return std::exp(x) * (std::cos(5 * x) + 5 * std::sin(5 * x)) / 26; };
  for (double x = -1; x <= 4; x += 0.001) EXPECT_NEAR(F.at(x), exact(x) - exact(-1), 1e-13 * std::exp(4));
  EXPECT_NEAR(F.total(), exact(4) - exact(-1), 1e-13 * std::exp(4));
  EXPECT_LT(calls, 1000);
}

TEST(Antiderivative, ends_at_a_kink_and_in_noise) {
  const std::vector<double> breaks{-1, 2};
  int calls = 0;
  const Antiderivative kink(
      [&calls](double x) {
        ++calls;
        return std::abs(x - 0.1234);
      },
      breaks);
  EXPECT_NEAR(kink.total(), 0.5 * (1.1234 * 1.1234 + 1.8766 * 1.8766), 1e-7);
  EXPECT_LT(calls, 2000);
  calls = 0;
  const Antiderivative noise(
      [&calls](double) {
        ++calls;
        return 1 + 1e-6 * std::sin(1e9 * calls);
      },
      breaks);
  EXPECT_NEAR(noise.total(), 3, 1e-5);
  EXPECT_LT(calls, 20000);
}

/// The ellipse (a cos u, sin u, 0), over some part of a turn.
class Ellipse final : public Curve {
 public:
  Ellipse(double a, double to, bool closed) : a_(a) { set_domain({0, 1, to}, closed); }

 protected:
  void inside(double u, int derivatives, CurvePoint& out) const override {
    for (int k = 0; k <= derivatives; ++k)
      out.d[static_cast<std::size_t>(k)] << a_ * std::cos(u + k * pi / 2), std::sin(u + k * pi / 2), 0;
  }

 private:
  double a_;
};

TEST(Curve, has_length_laps_and_nearest_points) {
  const Ellipse ellipse(2, 2 * pi, true);
  EXPECT_NEAR(ellipse.length(), 9.688448220547675, 1e-13);
  EXPECT_NEAR(ellipse.arc_length(-4 * pi + 0.7), ellipse.arc_length(0.7) - 2 * ellipse.length(), 1e-13);
  for (double s = -20; s < 20; s += 0.37) EXPECT_NEAR(ellipse.arc_length(ellipse.parameter(s)), s, 1e-12);
  for (double u = 0; u < 6; u += 0.37) {
    CurvePoint at;
    ellipse.evaluate(u, 1, at);
    const Vec3 outwards = at.d[1].cross(Vec3::UnitZ());
    EXPECT_NEAR(ellipse.nearest(at.d[0] + 3 * outwards + Vec3(0, 0, 2)), u, 1e-7);
    EXPECT_NEAR(ellipse.nearest(at.d[0], u + 2 * pi - 0.2), u + 2 * pi, 1e-7);
  }
  EXPECT_NEAR(ellipse.curvature(0), 2, 1e-14);
  EXPECT_FALSE(ellipse.kink().has_value());
}

TEST(Curve, continues_beyond_its_ends) {
  const Ellipse arc(1, 2, false);
  CurvePoint at;
  arc.evaluate(2.1, 3, at);
  EXPECT_LT((at.d[0] - Vec3(std::cos(2.1), std::sin(2.1), 0)).norm(), 1e-5);
  EXPECT_LT((at.d[1] - Vec3(-std::sin(2.1), std::cos(2.1), 0)).norm(), 1e-3);
  EXPECT_NEAR(arc.arc_length(2.1), 2.1, 1e-5);
  EXPECT_NEAR(arc.arc_length(-0.1), -0.1, 1e-5);
  EXPECT_NEAR(arc.arc_length(arc.parameter(2.5)), 2.5, 1e-12);
  EXPECT_NEAR(arc.nearest(Vec3(5, -1, 0)), 0, 1e-15);
}

TEST(Curve, refuses_gaps_and_cusps) {
  const auto message = [](double a, double to, bool closed) -> std::string {
    try {
      const Ellipse ellipse(a, to, closed);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(message(2, 5, true), HasSubstr("its ends [2, 0, 0] and"));
  EXPECT_THAT(message(0, 2, false), HasSubstr("standstill"));
}

}  // namespace
}  // namespace trammel
