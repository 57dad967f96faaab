// The camera of a view, of plain boxes that move.

#include "io/drawing/recorder_camera.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/drawing/glyph_scale.hpp"
#include "io/vtk/recorded_view.hpp"

namespace trammel {
namespace {

const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();

/// The direction from the scene to the camera.
Vec3 towards(const RecorderCamera& c) { return (c.position - c.focus).normalized(); }
/// Direction to the right in the picture.
Vec3 right(const RecorderCamera& c) { return c.up.cross(towards(c)).normalized(); }
/// Elevation of the camera above the plane across its up [degrees].
double lift(const RecorderCamera& c) { return std::asin(towards(c).dot(c.up)) * 180 / std::numbers::pi; }

CameraSubject box(const Vec3& size) { return {-0.5 * size, 0.5 * size, Vec3::Zero(), Mat3::Zero()}; }

/// Where a point is in the picture, in halves of its height.
Vec3 seen(const RecorderCamera& c, const Vec3& p) {
  const Vec3 d = p - c.position;
  const double depth = -d.dot(towards(c));
  const Vec3 top = towards(c).cross(right(c));
  const double half = depth * std::tan(0.5 * view_angle * std::numbers::pi / 180);
  return {d.dot(right(c)) / half, d.dot(top) / half, depth};
}

TEST(RecorderCamera, shows_the_sag_of_a_crane_that_slews) {
  // A jib of 10 m slews about z by a right angle: the box is flat along gravity, and all motion is across it.
  CameraSubject crane = box({10, 10, 2});
  crane.gravity = -9.81 * z;
  crane.motion = x * x.transpose() + y * y.transpose();
  const RecorderCamera camera = camera_for(crane);
  EXPECT_LT((camera.up - z).norm(), 1e-12);
  EXPECT_GT(lift(camera), 14);
  EXPECT_LT(lift(camera), 36);
  // A sag of 1 m takes at least 0.7 of the room that 1 m takes across.
  EXPECT_GT((seen(camera, Vec3(0, 0, 1)) - seen(camera, Vec3::Zero())).head<2>().norm(),
            0.7 * (seen(camera, right(camera)) - seen(camera, Vec3::Zero())).head<2>().norm());
}

TEST(RecorderCamera, looks_across_the_plane_of_motion_and_gravity) {
  for (const auto& [swing, gravity] :
       {std::pair(Mat3(x * x.transpose() + 0.5 * z * z.transpose()), Vec3(-z)),
        std::pair(Mat3(y * y.transpose() + 0.5 * z * z.transpose()), Vec3(-z)),
        std::pair(Mat3(x * x.transpose() + 0.5 * y * y.transpose()), Vec3(-y)),
        std::pair(Mat3(z * z.transpose() + 0.5 * x * x.transpose()), Vec3(-x))}) {
    CameraSubject pendulum;
    const Vec3 size = swing.diagonal().cwiseSqrt();
    pendulum.low = -size, pendulum.high = size;
    pendulum.motion = swing;
    pendulum.gravity = gravity;
    const RecorderCamera camera = camera_for(pendulum);
    EXPECT_LT((camera.up + gravity).norm(), 1e-12);
    int across = 0;
    swing.diagonal().minCoeff(&across);
    EXPECT_GT(std::abs(towards(camera)[across]), 0.9) << towards(camera).transpose();
  }
}

TEST(RecorderCamera, follows_the_motion_in_a_box_without_a_thin_side) {
  // A cube swings in a plane that is rotated by 30 degrees about z: the plane is seen from the front.
  CameraSubject cube = box({1, 1, 1});
  const Vec3 along(std::cos(0.5), std::sin(0.5), 0);
  cube.motion = along * along.transpose();
  cube.gravity = -z;
  EXPECT_LT(std::abs(towards(camera_for(cube)).dot(along)), 0.6);
  EXPECT_GT(std::abs(right(camera_for(cube)).dot(along)), 0.8);
}

TEST(RecorderCamera, never_looks_along_gravity) {
  for (const Vec3& size : {Vec3(1, 1, 1), Vec3(5, 5, 0), Vec3(0, 0, 3), Vec3(5, 0, 0), Vec3(1, 20, 3)})
    for (const Vec3& gravity : {x, y, z, Vec3(1, 2, 3)}) {
      CameraSubject subject = box(size);
      subject.gravity = gravity;
      const RecorderCamera camera = camera_for(subject);
      EXPECT_LT((camera.up + gravity.normalized()).norm(), 1e-12);
      EXPECT_GE(lift(camera), 14 - 1e-9);
      EXPECT_LE(lift(camera), 35 + 1e-9);
    }
}

TEST(RecorderCamera, looks_at_a_plane_mechanism_without_gravity_from_its_front) {
  RecorderCamera camera = camera_for(box({3, 2, 0.1}));
  EXPECT_GT(towards(camera).z(), 0.9);
  EXPECT_GT(right(camera).x(), 0.9);
  EXPECT_GT(camera.up.y(), 0.9);
  camera = camera_for(box({3, 0.1, 2}));
  EXPECT_LT(towards(camera).y(), -0.9);
  EXPECT_GT(camera.up.z(), 0.99);
}

TEST(RecorderCamera, shows_the_box_and_little_else) {
  for (const Vec3& size : {Vec3(1, 1, 1), Vec3(100, 1, 1), Vec3(1, 1, 30), Vec3(2, 1, 0)}) {
    CameraSubject subject = box(size);
    subject.low += Vec3(7, 8, 9), subject.high += Vec3(7, 8, 9);
    const RecorderCamera camera = camera_for(subject);
    double most = 0;
    for (int i = 0; i < 8; ++i) {
      const Vec3 at(subject.low.x() + (i & 1 ? size.x() : 0), subject.low.y() + (i & 2 ? size.y() : 0),
                    subject.low.z() + (i & 4 ? size.z() : 0));
      const Vec3 p = seen(camera, at);
      EXPECT_GT(p.z(), 0);
      most = std::max({most, std::abs(p.x()) / view_aspect, std::abs(p.y())});
    }
    EXPECT_LT(most, 1);
    EXPECT_GT(most, 0.75) << size.transpose();
  }
}

TEST(RecorderCamera, ignores_displacements_of_rounding) {
  CameraSubject still = box({3, 0.1, 2});
  const Vec3 before = towards(camera_for(still));
  still.motion = 1e-20 * Mat3(Vec3(0, 1, 0).asDiagonal());
  EXPECT_LT((towards(camera_for(still)) - before).norm(), 1e-12);
}

TEST(RecordedView, has_no_arrows_for_what_rounding_leaves) {
  SeriesLayer joints{"joints", {}, {}};
  joints.extent.low = {0, 0, 0};
  joints.extent.high = {3, 4, 0};
  joints.extent.force = 10;
  joints.extent.moment = 1e-10;
  constexpr double glyph = 0.3;
  RecordedView view = view_of({joints}, Vec3::Zero(), Mat3::Zero(), glyph);
  EXPECT_NEAR(view.metres_per_newton, 0.15 * 5 / 10, 1e-12);
  EXPECT_EQ(view.metres_per_newton_metre, 0);
  joints.extent.moment = 1e-3;
  view = view_of({joints}, Vec3::Zero(), Mat3::Zero(), glyph);
  EXPECT_NEAR(view.metres_per_newton_metre, 0.15 * 5 / 1e-3, 1e-9);
  joints.extent.force = 1e-15;
  view = view_of({joints}, Vec3::Zero(), Mat3::Zero(), glyph);
  EXPECT_EQ(view.metres_per_newton, 0);
}

TEST(RecordedView, has_short_arrows_where_joints_are_close_to_each_other) {
  SeriesLayer joints{"joints", {}, {}};
  joints.extent.low = {0, 0, 0};
  joints.extent.high = {3, 4, 0};
  joints.extent.force = 10;
  const auto longest = [&](double glyph) {
    return 10 * view_of({joints}, Vec3::Zero(), Mat3::Zero(), glyph).metres_per_newton;
  };
  EXPECT_NEAR(longest(0.3), 0.15 * 5, 1e-12);
  EXPECT_NEAR(longest(0.05), 6 * 0.05, 1e-12);
  EXPECT_NEAR(longest(0.02), 0.03 * 5, 1e-12);
}

TEST(GlyphScale, is_larger_than_the_sections_that_would_hide_most_of_the_glyphs) {
  DrawingExtent extent;
  extent.low = {0, 0, 0};
  extent.high = {3, 4, 0};
  const std::vector<double> places{0, 0, 0, 3, 0, 0, 3, 4, 0};
  EXPECT_NEAR(glyph_scale_of(extent, places, {0, 0, 0}).size, 0.06 * 5, 1e-12);
  // Two rings hold a place, another is beside all places.
  const std::vector<GlyphSurvey::Ring> rings{
      {Vec3(0.1, 0, 0), 0.2}, {Vec3(3, 0, 0), 0.3}, {Vec3(3, 0, 0), 0.2}, {Vec3(3, 2, 0), 0.4}};
  const std::vector<double> radii = radii_at(places, rings);
  EXPECT_THAT(radii, ::testing::ElementsAre(0.2, 0.3, 0));
  EXPECT_NEAR(glyph_scale_of(extent, places, radii).size, 2.4 * 0.3, 1e-12);
  EXPECT_NEAR(glyph_scale_of(extent, places, {0.1, 0.1, 0.1}).size, 0.06 * 5, 1e-12);
  EXPECT_NEAR(glyph_scale_of(extent, places, {2, 2, 2}).size, 0.2 * 5, 1e-12);
}

}  // namespace
}  // namespace trammel
