#include "particle.hpp"
#include "trammel/builder.hpp"
#include "trammel/plugin.hpp"

namespace trammel::point_mass {
namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> parameters() {
  return {
      Parameter::make(Kind::real, "mass", "kg", "mass").positive().must(),
      Parameter::make(Kind::vector3, "position", "m", "at the start, in the world").defaults("[0, 0, 0]"),
      Parameter::make(Kind::vector3, "velocity", "m/s", "at the start, in world axes").defaults("[0, 0, 0]"),
      Parameter::make(Kind::real, "radius", "m", "of the sphere that it is drawn as")
          .not_negative()
          .defaults("0"),
  };
}

void build(const Parameters& in, Builder& builder) {
  const double mass = in.real("mass");
  const BlockId position = builder.add_position("position", in.vector3("position"), in.vector3("velocity"));
  builder.offer_marker("", Marker::on_point(position));
  builder.offer_mass(Marker::on_point(position), mass);
  builder.add(Particle(mass, in.real("radius")), {position});
}

}  // namespace
}  // namespace trammel::point_mass

TRAMMEL_PLUGIN("point_mass", "0.1") {
  registry.add({.name = "point_mass",
                .category = trammel::Type::Category::body,
                .summary = "a particle: mass at a point, without orientation",
                .parameters = trammel::point_mass::parameters(),
                .build = trammel::point_mass::build,
                .plugin = {},
                .library = {}});
}
