#include <trammel/plugin.hpp>
#include <trammel/point_surface.hpp>

#include <cmath>

namespace {

using trammel::Vec3;

/// The points p with |p|^2 + dent x y z = radius^2, met along rays from the origin: u [rad] about e3, v [rad] above e1 and e2.
class Pebble : public trammel::PointSurface {
 public:
  Pebble(double radius, double dent, bool reversed) : radius_(radius), dent_(dent) {
    constexpr double pi = 3.14159265358979323846, most_v = 1.3;  // the poles are left out
    set_domain({.first = -pi, .last = pi, .periodic = true}, {.first = -most_v, .last = most_v}, reversed);
  }

 protected:
  Vec3 point_at(double u, double v) const override {
    const Vec3 ray(std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v));
    const double cubic = dent_ * ray.prod();
    double r = radius_;
    // Newton's method to the last digit: differences divide what is left by small steps.
    for (int i = 0; i < 30; ++i) {
      const double step = (r * r + cubic * r * r * r - radius_ * radius_) / (2 * r + 3 * cubic * r * r);
      r -= step;
      if (std::abs(step) < 1e-15 * radius_) break;
    }
    return r * ray;
  }

 private:
  double radius_, dent_;
};

}  // namespace

TRAMMEL_PLUGIN("pebble", "1.0") {
  using trammel::Parameter;
  trammel::Type type;
  type.name = "pebble";
  type.category = trammel::surface_category;
  type.summary = "a ball with dents: |p|^2 + dent x y z = radius^2";
  type.parameters = {
      Parameter::make(Parameter::Kind::real, "radius", "m", "without the dents").positive().must(),
      Parameter::make(Parameter::Kind::real, "dent", "1/m", "how deep the dents are").defaults("0"),
      Parameter::make(Parameter::Kind::marker, "on", "", "marker that it is fixed in").defaults("ground")};
  type.build = [](const trammel::Parameters& in, trammel::Builder& builder) {
    if (!(std::abs(in.real("dent")) * in.real("radius") < 1.5))
      throw trammel::Error(in.where("dent"),
                           "'dent' times 'radius' must be below 1.5: the surface opens there");
    trammel::offer_surface(builder, std::make_shared<const Pebble>(in.real("radius"), in.real("dent"), false),
                           builder.marker(in, "on"), in.where("on"));
  };
  registry.add(type);
}
