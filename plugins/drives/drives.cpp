#include "drives.hpp"

#include "trammel/coordinate_glyph.hpp"
#include "trammel/plugin.hpp"

namespace trammel::drives {
namespace {

using Kind = Parameter::Kind;

/// Adds a drive with one state, of the given size, made of its place, its data and the function under `key`.
template <class Drive>
void add(const CoordinateSite& place, const typename Drive::Data& data, const Parameters& map,
         const char* key, const char* state, double size, const std::string& unit, Builder& builder) {
  BoundFunction f(map.function(key), builder);
  const double start = map.real("start");
  const Measure measure = Measure::nominal(size);
  std::vector<BlockId> stencil{place.block, builder.add_states(state, {&start, 1}, {&measure, 1}, unit)};
  stencil.insert(stencil.end(), f.blocks().begin(), f.blocks().end());
  builder.add(Drive(place.target, data, std::move(f)), std::move(stencil));
  CoordinateGlyph::add(place, builder, draw_coordinate_motor);
}

std::vector<Parameter> motor_keys() {
  return {
      Parameter::make(Kind::function, "voltage", "V", "function of time, signals and rates of coordinates")
          .must(),
      Parameter::make(Kind::real, "inductance", "H", "L").positive().must(),
      Parameter::make(Kind::real, "resistance", "Ohm", "R").not_negative().must(),
      Parameter::make(Kind::real, "constant", "N m/A", "torque for a current, and voltage for a rate").must(),
      Parameter::make(Kind::real, "gear", "", "turns of the rotor for one of the coordinate").defaults("1"),
      Parameter::make(Kind::real, "inertia", "kg m^2", "of the rotor about its axis")
          .not_negative()
          .defaults("0"),
      Parameter::make(Kind::real, "friction", "N m s/rad", "viscous, of the rotor")
          .not_negative()
          .defaults("0"),
      Parameter::make(Kind::real, "start", "A", "current at the start").defaults("0"),
      Parameter::make(Kind::real, "rated_current", "A", "typical of it: what its errors are small against")
          .positive()
          .defaults("1")};
}

void build_motor(const Parameters& in, Builder& builder) {
  static const std::vector<Parameter> known = motor_keys();
  const CoordinateSite place = read_coordinate_site(in, builder);
  const Parameters map = in.map(*in.value("value"), known);
  DcMotor::Data data;
  data.inductance = map.real("inductance");
  data.resistance = map.real("resistance");
  data.constant = map.real("constant");
  data.gear = map.real("gear");
  data.inertia = map.real("inertia");
  data.friction = map.real("friction");
  if (data.gear == 0) throw Error(map.where("gear"), "the ratio of the gear must not be zero");
  add<DcMotor>(place, data, map, "voltage", "current", map.real("rated_current"), "A", builder);
}

std::vector<Parameter> servo_keys() {
  return {Parameter::make(Kind::function, "command", "force",
                          "force asked for: function of time, signals and rates of coordinates")
              .must(),
          Parameter::make(Kind::real, "limit", "force", "largest force").positive().must(),
          Parameter::make(Kind::real, "lag", "s", "time constant").positive().must(),
          Parameter::make(Kind::real, "start", "force", "at the start").defaults("0")};
}

void build_servo(const Parameters& in, Builder& builder) {
  static const std::vector<Parameter> known = servo_keys();
  const CoordinateSite place = read_coordinate_site(in, builder);
  const Parameters map = in.map(*in.value("value"), known);
  const Servo::Data data{map.real("lag"), map.real("limit")};
  const std::string unit = place.target.force_unit;
  add<Servo>(place, data, map, "command", "force", data.limit, unit, builder);
}

}  // namespace
}  // namespace trammel::drives

TRAMMEL_PLUGIN("drives", "0.1") {
  using namespace trammel;
  registry.add(
      coordinate_element_type("motor", "a DC motor with gear and rotor on a joint's coordinate",
                              "{voltage, inductance, resistance, constant, gear, inertia, friction, start, "
                              "rated_current}",
                              drives::build_motor, drives::motor_keys()));
  registry.add(coordinate_element_type("servo", "a force that follows its command with a lag and a limit",
                                       "{command, limit, lag, start}", drives::build_servo,
                                       drives::servo_keys()));
}
