#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plain_case.hpp"
#include "trammel/curve.hpp"
#include "trammel/surface.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::testing {

/// An ellipse in space: a profile for surfaces made of curves.
class Ellipse final : public Curve {
 public:
  explicit Ellipse(const Vec3& centre = Vec3(3, 0, 0.5)) : centre_(centre) {
    set_domain({0, 2, 5, 6.283185307179586}, true);
  }

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override {
    for (int k = 0; k <= derivatives; ++k) {
      const double turned = eta + k * 1.5707963267948966;
      out.d[static_cast<std::size_t>(k)] =
          Vec3(std::cos(turned), 0.2 * std::sin(turned), 0.6 * std::sin(turned));
    }
    out.d[0] += centre_;
  }

 private:
  Vec3 centre_;
};

/// Builds surfaces by their names, beside a curve `profile`.
class SurfaceCase : public PlainCase {
 public:
  SurfaceCase() {
    registry.set_source("surfaces", "");
    trammel_register(registry);
    add_profile("profile", std::make_shared<Ellipse>());
  }
  void add_profile(const std::string& name, std::shared_ptr<const Curve> curve) {
    Type type;
    type.name = "sample";
    type.category = Type::Category::curve;
    builder.begin({name, {}, {}, {}, {}}, type);
    offer_curve(builder, std::move(curve), Marker::ground(), {});
  }
  std::shared_ptr<const Surface> surface(const std::string& type, const std::string& text) {
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = "surface" + std::to_string(count_++);
    add(surface_category, type, value.text, text);
    return find_surface(builder, value).surface;
  }
  std::string message(const std::string& type, const std::string& text) {
    return PlainCase::message(surface_category, type, text);
  }

 private:
  int count_ = 0;
};

}  // namespace trammel::testing
