#include "io/drawing/recorder_camera.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trammel {

namespace {

constexpr double degree = std::numbers::pi / 180;

/// Motion and box, each with a trace of at most 1. Equals are told apart by a preference for a view along y, then z.
Mat3 importance(const CameraSubject& subject) {
  Mat3 sum = Vec3(0.02, 0, 0.01).asDiagonal();
  const Vec3 size = (subject.high - subject.low).cwiseMax(0);
  if (size.squaredNorm() > 0) sum.diagonal() += size.cwiseAbs2() / size.squaredNorm();
  // Displacements that rounding leaves, or that nobody could see, have no say.
  constexpr double seen = 1e-6;
  const double moved = subject.motion.trace();
  if (moved > seen * seen * size.squaredNorm()) sum += subject.motion / moved;
  return sum;
}

/// The unit vector normal to `up` along which `shown` is smallest; with `up` zero, of all directions.
Vec3 least_direction(const Mat3& shown, const Vec3& up) {
  // Directions along `up` are made the last choice.
  const Mat3 across = Mat3::Identity() - up * up.transpose();
  const Mat3 form = across * shown * across + 10 * up * up.transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(form);
  return solver.eigenvectors().col(0);
}

/// Up where nothing has weight: z, or y where the camera looks more or less along z.
Vec3 upright(const Vec3& towards) {
  const Vec3 axis = std::abs(towards.z()) < 0.8 ? Vec3::UnitZ() : Vec3::UnitY();
  return (axis - axis.dot(towards) * towards).normalized();
}

/// The sign for which x, or else y, or else z, points to the right.
double sign_of_view(const Vec3& right) {
  for (int k = 0; k < 3; ++k)
    if (std::abs(right[k]) > 0.1) return right[k] > 0 ? 1 : -1;
  return 1;
}

}  // namespace

RecorderCamera camera_for(const CameraSubject& subject) {
  RecorderCamera camera;
  const Mat3 shown = importance(subject);
  const bool heavy = subject.gravity.norm() > 0;
  if (heavy) camera.up = -subject.gravity.normalized();
  Vec3 towards = least_direction(shown, heavy ? camera.up : Vec3::Zero());  // from the scene to the camera
  if (!heavy) camera.up = upright(towards);
  towards *= sign_of_view(camera.up.cross(towards));
  const Vec3 right = camera.up.cross(towards);

  const auto along = [&](const Vec3& v) { return v.dot(shown * v); };
  const double depth = along(towards), width = along(right), height = along(camera.up);
  const double turn = (12 + 23 * depth / std::max(width, depth)) * degree;
  const double lift = (14 + 21 * depth / (depth + height + 1e-12)) * degree;
  const Vec3 from =
      std::cos(lift) * (std::cos(turn) * towards + std::sin(turn) * right) + std::sin(lift) * camera.up;

  // As near as the corners of the box allow.
  const Vec3 side = camera.up.cross(from).normalized(), top = from.cross(side);
  constexpr double margin = 1.12;
  const double slope = std::tan(0.5 * view_angle * degree);
  const Vec3 half = 0.5 * (subject.high - subject.low).cwiseMax(0);
  camera.focus = 0.5 * (subject.low + subject.high);
  double distance = 0, half_height = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 at(corner & 1 ? half.x() : -half.x(), corner & 2 ? half.y() : -half.y(),
                  corner & 4 ? half.z() : -half.z());
    const double reach = std::max(std::abs(at.dot(top)), std::abs(at.dot(side)) / view_aspect);
    half_height = std::max(half_height, margin * reach);
    distance = std::max(distance, at.dot(from) + margin * reach / slope);
  }
  if (half_height > 0) camera.half_size = half_height;
  camera.position = camera.focus + (distance > 0 ? distance : 1 / slope) * from;
  return camera;
}

}  // namespace trammel
