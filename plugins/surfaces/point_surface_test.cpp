#include "trammel/point_surface.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trammel/error.hpp"

namespace trammel {
namespace {

/// (u, v, sin(k u) cos(k v + 0.3) / k), with m waves over each range.
class Waves final : public PointSurface {
 public:
  explicit Waves(double waves, double step = default_step) : k_(2 * std::numbers::pi * waves) {
    set_domain({.first = 0, .last = 1}, {.first = 0, .last = 1}, false, step);
  }
  /// d^(i+j) of the height.
  double exact(double u, double v, int i, int j) const {
    const double quarter = 0.5 * std::numbers::pi;
    return std::pow(k_, i + j - 1) * std::sin(k_ * u + i * quarter) * std::cos(k_ * v + 0.3 + j * quarter);
  }
  /// The largest errors of the derivatives of each order, by their size.
  std::array<double, 4> errors() const {
    std::mt19937 numbers(1);
    std::uniform_real_distribution<double> part(0, 1);
    std::array<double, 4> worst{};
    for (int n = 0; n < 100; ++n) {
      const SurfaceParameters x{part(numbers), part(numbers)};
      SurfacePoint p;
      evaluate(x, 3, p);
      for (int i = 0; i <= 3; ++i)
        for (int j = 0; i + j <= 3; ++j) {
          double& error = worst[static_cast<std::size_t>(i + j)];
          error = std::max(error, std::abs(p.by(i, j).z() - exact(x.u, x.v, i, j)) / std::pow(k_, i + j - 1));
        }
    }
    return worst;
  }

 protected:
  Vec3 point_at(double u, double v) const override {
    return {u, v, std::sin(k_ * u) * std::cos(k_ * v + 0.3) / k_};
  }

 private:
  double k_;
};

/// The loss of accuracy is at most twice what the header says.
TEST(PointSurface, loses_the_digits_that_its_page_says) {
  for (const double m : {0.25, 1.0, 2.0, 4.0, 8.0}) {
    const std::array<double, 4> worst = Waves(m).errors();
    EXPECT_LT(worst[0], 1e-15);
    EXPECT_LT(worst[1], 2 * (4e-13 * std::pow(m, 6) + 2e-14 / m)) << m;
    EXPECT_LT(worst[2], 2 * (7e-13 * std::pow(m, 6) + 3e-12 / (m * m))) << m;
    EXPECT_LT(worst[3], 2 * (8e-9 * std::pow(m, 4) + 1e-10 / (m * m * m))) << m;
  }
}

TEST(PointSurface, has_errors_of_the_sixth_and_fourth_order_of_the_step) {
  const auto coarse = Waves(4, 8e-3).errors(), fine = Waves(4, 4e-3).errors();
  EXPECT_NEAR(std::log2(coarse[1] / fine[1]), 6, 0.2);
  EXPECT_NEAR(std::log2(coarse[2] / fine[2]), 6, 0.2);
  EXPECT_NEAR(std::log2(coarse[3] / fine[3]), 4, 0.2);
}

TEST(PointSurface, gives_lower_derivatives_alone_as_with_the_third) {
  const Waves waves(2);
  SurfacePoint all;
  waves.evaluate({0.3, 0.7}, 3, all);
  for (int order = 0; order < 3; ++order) {
    SurfacePoint some;
    waves.evaluate({0.3, 0.7}, order, some);
    for (int i = 0; i <= order; ++i)
      for (int j = 0; i + j <= order; ++j) EXPECT_EQ(some.by(i, j), all.by(i, j)) << order << i << j;
  }
}

TEST(PointSurface, refuses_steps_that_are_none) {
  for (const double step : {0.0, -1e-3, 0.1}) {
    try {
      Waves(1, step);
      FAIL();
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("must be above 0 and at most 0.05 of the range"));
    }
  }
}

}  // namespace
}  // namespace trammel
