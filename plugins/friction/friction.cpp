#include <fmt/format.h>

#include "laws.hpp"
#include "trammel/plugin.hpp"

namespace trammel::friction {
namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> parameters() {
  return {
      Parameter::make(Kind::choice, "law", "", "how the force depends on the rate")
          .one_of({"coulomb", "lugre"})
          .defaults("coulomb"),
      Parameter::make(Kind::real, "coefficient", "", "coefficient of sliding").not_negative().must(),
      Parameter::make(Kind::real, "static", "", "coefficient at rest; default: that of sliding")
          .not_negative(),
      Parameter::make(Kind::real, "stribeck", "rate", "v_s, at which `static` has fallen to `coefficient`")
          .positive(),
      Parameter::make(Kind::real, "regularization", "rate", "v_r of the law coulomb").positive(),
      Parameter::make(Kind::real, "stiffness", "1/coordinate", "s0 of the law lugre").positive(),
      Parameter::make(Kind::real, "damping", "1/rate", "s1 of the law lugre").not_negative().defaults("0"),
      Parameter::make(Kind::real, "deflection", "coordinate", "z of the law lugre at the start")
          .defaults("0"),
      Parameter::make(Kind::real, "viscous", "force per rate", "c").not_negative().defaults("0"),
      Parameter::make(Kind::any, "normal", "",
                      "radial or axial: what of the joint's reaction presses; or a function: the level "
                      "itself, of a brake"),
      Parameter::make(Kind::real, "radius", "m",
                      "of the bearing of an angle; of the key that carries the moment about a slide")
          .positive(),
      Parameter::make(Kind::real, "length", "m", "of the bearing, between the ends that carry its moment")
          .positive(),
      Parameter::make(Kind::real, "thrust_radius", "m", "lever arm of the axial force's friction")
          .not_negative()
          .defaults("0"),
      Parameter::make(Kind::real, "preload", "force", "level without a reaction")
          .not_negative()
          .defaults("0")};
}

StribeckCurve read_curve(const Parameters& map) {
  StribeckCurve curve;
  curve.kinetic = map.real("coefficient");
  curve.still = map.has("static") ? map.real("static") : curve.kinetic;
  if (curve.still < curve.kinetic)
    throw Error(map.where("static"), fmt::format("the coefficient at rest, {:g}, must not be less than that "
                                                 "of sliding, {:g}",
                                                 curve.still, curve.kinetic));
  if (map.has("stribeck"))
    curve.velocity = map.real("stribeck");
  else if (curve.still > curve.kinetic)
    throw Error(map.where("static"), "'stribeck' is missing: the rate at which 'static' has fallen");
  return curve;
}

bool names_a_direction(const Value& value) {
  return value.is_scalar() && (value.text == "radial" || value.text == "axial");
}

JointReaction reaction_of(const CoordinateSite& place, Builder& builder, const Location& where) {
  try {
    return JointReaction::of(place.joint, builder, where);
  } catch (const Error& e) {
    const std::string whole = place.joint_name + ".contact_force";
    throw Error(
        where, std::string(e.what()) + "; give 'normal' a function of time, signals and rates" +
                   (builder.has_signal(whole) ? ", such as " + whole +
                                                    "/sqrt(1 + mu^2), mu the coefficient, where nothing else "
                                                    "acts along the joint"
                                              : ""));
  }
}

NormalForce read_normal(const Parameters& map, const CoordinateSite& place, Builder& builder) {
  const Value* normal = map.value("normal");
  // A joint whose surfaces lie otherwise at every instant says itself how hard they are pressed.
  Value own;
  own.kind = Value::Kind::scalar;
  own.text = place.joint_name + ".normal_force";
  own.where = map.where();
  if (normal == nullptr && builder.has_signal(own.text)) normal = &own;
  if (normal != nullptr && !names_a_direction(*normal)) {
    for (const char* key : {"radius", "length", "thrust_radius", "preload"})
      if (map.has(key))
        throw Error(map.where(key), "'" + std::string(key) +
                                        "' belongs to friction by the joint's reaction; here 'normal' is the "
                                        "level itself");
    FunctionPtr f = map.context().function(*normal);
    if (f->is_constant() && f->at(0).value < 0)
      throw Error(normal->where,
                  fmt::format("the level of friction must not be negative, found {:g}", f->at(0).value));
    return {place.target, place.block, BoundFunction(std::move(f), builder)};
  }
  Bearing bearing;
  bool several_slides = false;
  for (const JointCoordinate& c : builder.coordinates_of(place.joint))
    several_slides = several_slides || c.name == "slide_1";
  bearing.axial = normal != nullptr ? normal->text == "axial" : several_slides;
  if (map.has("length")) bearing.length = map.real("length");
  bearing.thrust_radius = map.real("thrust_radius");
  bearing.preload = map.real("preload");
  if (place.target.measure.is_length()) {
    if (bearing.thrust_radius > 0)
      throw Error(map.where("thrust_radius"), "'thrust_radius' belongs to an angle");
    if (map.has("radius")) bearing.key_radius = map.real("radius");
  } else {
    if (!map.has("radius"))
      throw Error(map.where(),
                  "friction of an angle by the joint's reaction needs the 'radius' of the bearing");
    bearing.radius = map.real("radius");
  }
  JointReaction reaction = reaction_of(place, builder, map.where());
  std::vector<int> sizes = builder.sizes_of(reaction.blocks());
  return {std::move(reaction), place.block, std::move(sizes), bearing};
}

void build(const Parameters& in, Builder& builder) {
  static const std::vector<Parameter> known = parameters();
  CoordinateSite place = read_coordinate_site(in, builder);
  const Parameters map = in.map(*in.value("value"), known);
  const StribeckCurve curve = read_curve(map);
  const bool lugre = map.text("law") == "lugre";
  const char* needed = lugre ? "stiffness" : "regularization";
  if (!map.has(needed))
    throw Error(map.where(), fmt::format("the law {} needs '{}'", map.text("law"), needed));
  for (const char* key : {"regularization", "stiffness", "damping", "deflection"})
    if (map.has(key) && lugre == (std::string_view(key) == "regularization"))
      throw Error(map.where(key),
                  fmt::format("'{}' belongs to the law {}", key, lugre ? "coulomb" : "lugre"));

  builder.keep_multipliers(place.joint);
  NormalForce normal = read_normal(map, place, builder);
  std::vector<BlockId> stencil = normal.blocks();
  if (!lugre) {
    const Coulomb::Law law{curve, map.real("regularization"), map.real("viscous")};
    builder.add(Coulomb(std::move(place.target), law, std::move(normal)), std::move(stencil));
    return;
  }
  if (!(curve.kinetic > 0))
    throw Error(map.where("coefficient"), "the law lugre needs a positive coefficient");
  const LuGre::Law law{curve, map.real("stiffness"), map.real("damping"), map.real("viscous")};
  const double at_start = map.real("deflection");
  const Measure sliding = Measure::nominal(curve.still / law.stiffness);
  stencil.push_back(builder.add_states("deflection", {&at_start, 1}, {&sliding, 1}, place.target.unit));
  builder.add(LuGre(std::move(place.target), law, std::move(normal)), std::move(stencil));
}

}  // namespace
}  // namespace trammel::friction

TRAMMEL_PLUGIN("friction", "0.1") {
  using namespace trammel;
  Type type =
      coordinate_element_type("friction", "friction on a joint's coordinate", "{law, coefficient, ...}",
                              trammel::friction::build, trammel::friction::parameters());
  registry.add(std::move(type));
}
