#include "axis.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "trammel/error.hpp"

namespace trammel::beam {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Triad, has_T1_along_the_tangent_and_T3_towards_up) {
  EXPECT_LT((triad({2, 0, 0}, nullptr) - Mat3::Identity()).norm(), 1e-15);
  const Vec3 up(0, 1, 1);
  const Mat3 R = triad({0, 0, 3}, &up);
  EXPECT_LT((R.col(0) - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((R.col(2) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_NEAR(R.determinant(), 1, 1e-15);
  EXPECT_LT((triad({0, 0, 1}, nullptr).col(1) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((triad({0, 0, -1}, nullptr).col(1) - Vec3::UnitY()).norm(), 1e-15);
  const Vec3 along(0, 0, 2);
  EXPECT_THROW(triad({0, 0, 1}, &along), Error);
}

TEST(Axis, straight_line_may_twist) {
  const auto axis = straight_axis({1, 0, 0}, {4, 0, 4}, nullptr, 0.8);
  EXPECT_NEAR(axis->length(), 5, 1e-15);
  EXPECT_LT((axis->pose(5).p - Vec3(4, 0, 4)).norm(), 1e-14);
  const Vec3 turn = so3::log(Mat3(axis->pose(0).R.transpose() * axis->pose(5).R));
  EXPECT_LT((turn - Vec3(0.8, 0, 0)).norm(), 1e-14);
  EXPECT_THROW(straight_axis({1, 0, 0}, {1, 0, 0}, nullptr, 0), Error);
}

TEST(Axis, arc_of_the_45_degree_bend_is_exact) {
  const auto axis = arc_axis({0, 0, 0}, {100, 0, 0}, {0, 0, -1}, pi / 4, nullptr);
  EXPECT_NEAR(axis->length(), 25 * pi, 1e-12);
  EXPECT_LT((axis->pose(0).R.col(0) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((axis->pose(axis->length()).p - Vec3(100 - 50 * std::sqrt(2.0), 50 * std::sqrt(2.0), 0)).norm(),
            1e-12);
  const Vec3 via(100 - 100 * std::cos(0.3), 100 * std::sin(0.3), 0);
  const auto same = arc_axis({0, 0, 0}, via, axis->pose(axis->length()).p, nullptr);
  EXPECT_NEAR(same->length(), axis->length(), 1e-10);
  for (const double s : {10.0, 40.0, 70.0}) {
    EXPECT_LT((same->pose(s).p - axis->pose(s).p).norm(), 1e-11);
    EXPECT_LT((same->pose(s).R - axis->pose(s).R).norm(), 1e-12);
  }
  EXPECT_THROW(arc_axis({0, 0, 0}, {1, 0, 0}, {2, 0, 0}, nullptr), Error);
}

TEST(Axis, arc_through_three_points_may_be_more_than_half_a_circle) {
  const auto at = [](double angle) { return Vec3(std::cos(angle), 0, std::sin(angle)); };
  const auto axis = arc_axis(at(0), at(2), at(5), nullptr);
  EXPECT_NEAR(axis->length(), 5, 1e-12);
  EXPECT_LT((axis->pose(2).p - at(2)).norm(), 1e-12);
}

TEST(Axis, helix_is_exact) {
  const double rise = 0.4 / (2 * pi);
  const auto axis = helix_axis({0.5, 0, 0}, {0, 0, 0}, {0, 0, 2}, 0.4, 3, nullptr);
  EXPECT_NEAR(axis->length(), 3 * std::hypot(2 * pi * 0.5, 0.4), 1e-12);
  for (const double u : {1.0, 5.0, 18.0}) {
    const Pose X = axis->pose(u * std::hypot(0.5, rise));
    EXPECT_LT((X.p - Vec3(0.5 * std::cos(u), 0.5 * std::sin(u), rise * u)).norm(), 1e-12);
    EXPECT_LT((X.R.col(0) - Vec3(-0.5 * std::sin(u), 0.5 * std::cos(u), rise) / std::hypot(0.5, rise)).norm(),
              1e-12);
  }
  EXPECT_THROW(helix_axis({0, 0, 1}, {0, 0, 0}, {0, 0, 2}, 0.4, 3, nullptr), Error);
}

TEST(Axis, spline_runs_through_its_points_and_carries_its_triad) {
  std::vector<Vec3> points;
  for (int i = 0; i <= 20; ++i) {
    const double u = 0.1 * i;
    points.emplace_back(std::cos(u), std::sin(u), 0);
  }
  const auto axis = spline_axis(points, nullptr, 0);
  EXPECT_NEAR(axis->length(), 2, 1e-4);
  EXPECT_LT((axis->pose(axis->length()).p - points.back()).norm(), 1e-12);
  for (const double s : {0.0, 0.4, 1.1, 1.93}) {
    const Pose X = axis->pose(s);
    EXPECT_LT((X.p - Vec3(std::cos(s), std::sin(s), 0)).norm(), 1e-4) << s;
    EXPECT_LT((X.R.col(2) - Vec3::UnitZ()).norm(), 1e-6) << s;
    EXPECT_NEAR(X.R.determinant(), 1, 1e-14);
    const double step = 1e-4;
    if (s > 0) {
      const Vec3 tangent = (axis->pose(s + step).p - axis->pose(s - step).p) / (2 * step);
      EXPECT_LT((tangent - X.R.col(0)).norm(), 1e-6) << s;
    }
  }
  EXPECT_THROW(spline_axis({{0, 0, 0}, {0, 0, 0}}, nullptr, 0), Error);
  EXPECT_NEAR(spline_axis({{0, 0, 0}, {0, 3, 4}}, nullptr, 0)->length(), 5, 1e-14);
}

TEST(Axis, strain_of_a_constant_curvature_is_its_own) {
  const Vec3 curvature(0.3, 0, 1);
  const ConstantCurvatureAxis axis({}, curvature, 7);
  EXPECT_LT((axis.pose(7).p - Vec3(1.329066293122, 0.441216617407, 1.701280112063)).norm(), 1e-11);
  Vec6 expected;
  expected << 1, 0, 0, curvature;
  EXPECT_LT((axis.Axis::strain(2, 2.5) - expected).norm(), 1e-13);
}

}  // namespace
}  // namespace trammel::beam
