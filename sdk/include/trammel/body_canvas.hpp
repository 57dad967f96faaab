#pragma once

#include <span>
#include <string_view>

#include "trammel/canvas.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// The motion of a rigid body, all in world components.
struct BodyMotion {
  Vec3 p_WB = Vec3::Zero();  ///< its origin [m]
  Vec3 v_WB = Vec3::Zero();
  Vec3 a_WB = Vec3::Zero();
  Vec3 w_WB = Vec3::Zero();      ///< angular velocity [rad/s]
  Vec3 alpha_WB = Vec3::Zero();  ///< and its rate [rad/s^2]
};

/// Draws on another canvas what a rigid body carries, with the fields `velocity` [m/s], `acceleration` [m/s^2] (of each point)
/// and `angular velocity` [rad/s].
class TRAMMEL_API BodyCanvas final : public Canvas {
 public:
  /// Keeps a reference to the canvas.
  BodyCanvas(Canvas& canvas, const BodyMotion& motion) : canvas_(canvas), motion_(motion) {}

  void polyline(Layer layer, std::span<const Vec3> points) override;
  void points(Layer layer, std::span<const Vec3> points) override;
  void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) override;
  void field(std::string_view name, std::span<const double> values, int components) override {
    canvas_.field(name, values, components);
  }

 private:
  void add_motion(std::span<const Vec3> points);

  Canvas& canvas_;
  BodyMotion motion_;
};

}  // namespace trammel
