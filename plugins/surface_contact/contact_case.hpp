#pragma once

#include <string>

#include <gmock/gmock.h>

#include "joint_case.hpp"
#include "trammel/surface.hpp"

namespace trammel::testing {

/// S(u, v) = (u, v, (k u^2 + m v^2)/2): the curvatures at the origin are k and m, the normal is e3.
class Paraboloid final : public Surface {
 public:
  Paraboloid(double k, double m, bool reversed = false) : k_(k), m_(m) {
    set_domain({.first = -1, .last = 1}, {.first = -1.2, .last = 1.1}, reversed);
  }

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    out.d.fill(Vec3::Zero());
    out.d[0] = Vec3(u, v, 0.5 * (k_ * u * u + m_ * v * v));
    if (derivatives > 0) out.by(1, 0) = Vec3(1, 0, k_ * u), out.by(0, 1) = Vec3(0, 1, m_ * v);
    if (derivatives > 1) out.by(2, 0) = Vec3(0, 0, k_), out.by(0, 2) = Vec3(0, 0, m_);
  }

 private:
  double k_, m_;
};

/// A ball whose poles are away from the contact point: (r cos v cos u, r sin v, -r cos v sin u).
class Ball final : public Surface {
 public:
  explicit Ball(double radius) : r_(radius) {
    set_domain({.first = 0, .last = 6.283185307179586, .periodic = true}, {.first = -1.5, .last = 1.5},
               false);
  }

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    const auto turned = [](double x, int k) { return x + k * 1.5707963267948966; };
    for (int i = 0; i <= derivatives; ++i)
      for (int j = 0; i + j <= derivatives; ++j) {
        const double a = turned(u, i), b = turned(v, j);
        out.by(i, j) =
            r_ * Vec3(std::cos(b) * std::cos(a), i == 0 ? std::sin(b) : 0.0, -std::cos(b) * std::sin(a));
      }
  }

 private:
  double r_;
};

/// JointCase with surfaces `one` and `two`.
class ContactCase : public JointCase {
 public:
  explicit ContactCase(const Vec3& p_WB = Vec3::Zero(), const Mat3& R_WB = Mat3::Identity())
      : JointCase(Mat3::Identity(), Vec3::Zero(), R_WB, p_WB) {}
  void add_surface(const std::string& name, const std::string& on, std::shared_ptr<const Surface> surface) {
    Type type;
    type.name = "sample";
    type.category = surface_category;
    builder.begin({name, {}, {}, {}, {}}, type);
    offer_surface(builder, std::move(surface), on == "ground" ? Marker::ground() : model.markers.at(on), {});
  }
};

}  // namespace trammel::testing
