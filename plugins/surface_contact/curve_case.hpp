#pragma once

#include <cmath>
#include <numbers>

#include "contact_case.hpp"
#include "trammel/curve.hpp"

namespace trammel::testing {

/// A circle in the plane of e1 and e2, by its angle.
class Circle final : public Curve {
 public:
  explicit Circle(double radius) : r_(radius) { set_domain({0, 2, 4, 2 * std::numbers::pi}, true); }

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override {
    for (int k = 0; k <= derivatives; ++k) {
      const double a = eta + 0.5 * k * std::numbers::pi;
      out.d[static_cast<std::size_t>(k)] = r_ * Vec3(std::cos(a), std::sin(a), 0);
    }
  }

 private:
  double r_;
};

/// A bolt on body B in a bushing on body A, whose centre is the origin.
struct Bolt : ContactCase {
  explicit Bolt(const Vec3& centre, double hole = 0.5, double pin = 0.3, const Mat3& turn = Mat3::Identity())
      : ContactCase(centre, turn) {
    add_curve("bushing", "bodies.a", std::make_shared<Circle>(hole));
    add_curve("bolt", "bodies.b", std::make_shared<Circle>(pin));
  }
  void add_curve(const std::string& name, const std::string& on, std::shared_ptr<const Curve> curve) {
    Type type;
    type.name = "sample";
    type.category = Type::Category::curve;
    builder.begin({name, {}, {}, {}, {}}, type);
    offer_curve(builder, std::move(curve), model.markers.at(on), {});
  }
  std::string message(const std::string& own = "") {
    return JointCase::message("curve_contact", "{between: [bushing, bolt]" + own + "}");
  }
};

}  // namespace trammel::testing
