#include <fmt/format.h>

#include "counter.hpp"
#include "initial.hpp"
#include "motion.hpp"
#include "springs.hpp"
#include "stop.hpp"
#include "trammel/coordinate_glyph.hpp"
#include "trammel/plugin.hpp"

namespace trammel::coordinates {
namespace {

using Kind = Parameter::Kind;

// Names under which a motion and initial values tell each other that they are there.
const std::string prescribed = "prescribed", given = "given";
struct GivenCoordinate {
  static constexpr std::string_view offered_as = "given coordinate 1";
};

/// Throws Error where a coordinate has both a motion and what the element `other` on that coordinate gives it.
void refuse_beside(const Parameters& in, const Builder& builder, const CoordinateSite& p,
                   const std::string& other, const std::string& key) {
  if (builder.find<GivenCoordinate>(p.name + "." + other + "." + key) != nullptr)
    throw Error(in.where(),
                "the coordinate '" + p.name +
                    "' has a `motion`, which gives it its initial value and rate too; leave out its "
                    "`initial` and `initial_rate`");
}

void build_motion(const Parameters& in, Builder& builder) {
  CoordinateSite p = read_coordinate_site(in, builder);
  for (const char* start : {"initial", "initial_rate"}) refuse_beside(in, builder, p, start, given);
  FunctionPtr f = in.context().function(*in.value("value"));
  if (!f->depends_on_time_only())
    throw Error(f->where(), "the motion '" + f->text() + "' reads the signal '" + f->signals().front() +
                                "', but only a function of time is allowed here");
  if (const auto others = builder.add_relation({{p.block, p.target.component, 1}}); !others.empty()) {
    std::string names;
    for (const int other : others)
      names += (names.empty() ? "'" : ", '") + builder.entities()[static_cast<std::size_t>(other)].name + "'";
    throw Error(in.where(), "the coordinate '" + p.name + "' is prescribed already, by " + names);
  }
  builder.offer(prescribed, std::make_shared<const GivenCoordinate>());
  const BlockId multiplier = builder.add_multiplier("force", {{.measure = p.target.measure}});
  builder.add(Motion(p.target, std::move(f), p.name), {p.block, multiplier});
  CoordinateGlyph::add(p, builder, draw_coordinate_motion);
}

/// The coordinate that an initial value is given to: a joint that may become inactive, on which nothing else may hang, has it at
/// the start as well.
CoordinateSite read_initial_place(const Parameters& in, Builder& builder) {
  const std::string name = in.text("coordinate");
  CoordinateSite p;
  p.joint_name = in.text("of");
  p.joint = builder.joint_named(p.joint_name);
  for (const JointCoordinate& c : builder.coordinates_of(p.joint))
    if (c.name == name) {
      p.block = c.block;
      p.name = p.joint_name + "." + c.name;
      p.target = coordinate_target(c, builder);
      return p;
    }
  return read_coordinate_site(in, builder);
}

void build_initial(const Parameters& in, Builder& builder, bool of_rate) {
  CoordinateSite p = read_initial_place(in, builder);
  refuse_beside(in, builder, p, "motion", prescribed);
  builder.offer(given, std::make_shared<const GivenCoordinate>());
  const double value = in.real(*in.value("value"));
  const BlockId multiplier =
      builder.add_multiplier("value", {{.measure = p.target.measure, .switches = true}});
  builder.range_of<InitialRange>().add({std::move(p.target), value, of_rate}, p.block, multiplier,
                                       builder.entity_index());
}

std::vector<Parameter> spring_keys() {
  return {Parameter::make(Kind::real, "stiffness", "force per coordinate", "of a linear spring"),
          Parameter::make(Kind::real, "rest", "", "coordinate at which the law begins").defaults("0"),
          Parameter::make(Kind::real, "preload", "force", "of a linear spring at rest").defaults("0"),
          Parameter::make(Kind::function, "law", "",
                          "force against the coordinate, as a function of it and of time")};
}

void add_spring(const Parameters& in, const CoordinateSite& p, Builder& builder) {
  static const std::vector<Parameter> known = spring_keys();
  const Value& value = *in.value("value");
  if (!value.is_map()) {
    builder.add(LinearSpring(p.target, in.real(value), 0), {p.block});
    return;
  }
  const Parameters map = in.map(value, known);
  if (map.has("law") == map.has("stiffness"))
    throw Error(value.where, "a spring needs either 'stiffness' or 'law'");
  if (map.has("stiffness")) {
    builder.add(LinearSpring(p.target, map.real("stiffness"), map.real("rest"), map.real("preload")),
                {p.block});
    return;
  }
  if (map.has("preload")) throw Error(map.where("preload"), "a law holds its own preload");
  FunctionPtr law = map.function("law");
  if (law->signals().size() > 1 || (law->signals().size() == 1 && law->signals().front() != p.name))
    throw Error(map.where("law"), "the law of this spring may read '" + p.name + "' and time only");
  builder.add(LawSpring(p.target, std::move(law), map.real("rest")), {p.block});
}

void build_spring(const Parameters& in, Builder& builder) {
  const CoordinateSite p = read_coordinate_site(in, builder);
  add_spring(in, p, builder);
  CoordinateGlyph::add(p, builder, draw_coordinate_spring);
}

void add_function_force(const Parameters& in, const CoordinateSite& p, const Value& function, double sign,
                        Builder& builder) {
  BoundFunction f(in.context().function(function), builder);
  std::vector<BlockId> stencil{p.block};
  stencil.insert(stencil.end(), f.blocks().begin(), f.blocks().end());
  builder.add(FunctionForce(p.target, std::move(f), sign), std::move(stencil));
}

std::vector<Parameter> damper_keys() {
  return {Parameter::make(Kind::function, "law", "",
                          "force against the coordinate's rate, as a function of it, of signals and of time")
              .must()};
}

void add_damper(const Parameters& in, const CoordinateSite& p, Builder& builder) {
  static const std::vector<Parameter> known = damper_keys();
  const Value& value = *in.value("value");
  if (value.is_map()) {
    const Parameters map = in.map(value, known);
    add_function_force(in, p, *map.value("law"), -1, builder);
    return;
  }
  const double damping = in.real(value);
  if (damping < 0)
    throw Error(in.where("value"), fmt::format("the damping must not be negative, found {:g}", damping));
  builder.add(Damper(p.target, damping), {p.block});
}

void build_damper(const Parameters& in, Builder& builder) {
  const CoordinateSite p = read_coordinate_site(in, builder);
  add_damper(in, p, builder);
  CoordinateGlyph::add(p, builder, draw_coordinate_damper);
}

void build_actuator(const Parameters& in, Builder& builder) {
  const CoordinateSite p = read_coordinate_site(in, builder);
  add_function_force(in, p, *in.value("value"), 1, builder);
  CoordinateGlyph::add(p, builder, draw_coordinate_motor);
}

std::vector<Parameter> stop_keys() {
  return {
      Parameter::make(Kind::real, "from", "", "least value that meets no stop; absent: no stop there"),
      Parameter::make(Kind::real, "to", "", "largest value that meets no stop; absent: no stop there"),
      Parameter::make(Kind::real, "stiffness", "force per depth^exponent", "of the stop").positive().must(),
      Parameter::make(Kind::real, "exponent", "", "force = stiffness * depth^exponent").defaults("1"),
      Parameter::make(Kind::real, "damping", "1 per rate", "c of the factor 1 + c * rate of the depth")
          .not_negative()
          .defaults("0"),
      Parameter::make(Kind::flag, "meet", "", "steps end where a stop is met or left").defaults("yes")};
}

void build_stop(const Parameters& in, Builder& builder) {
  static const std::vector<Parameter> known = stop_keys();
  CoordinateSite p = read_coordinate_site(in, builder);
  const Parameters map = in.map(*in.value("value"), known);
  if (!map.has("from") && !map.has("to"))
    throw Error(map.where(), "a stop needs a bound: 'from', 'to' or both");
  Stop::Law law;
  if (map.has("from")) law.range.from = map.real("from");
  if (map.has("to")) law.range.to = map.real("to");
  if (!(law.range.from <= law.range.to))
    throw Error(map.where("from"), fmt::format("the stops of '{}' are in the wrong order: from {:g} to {:g}",
                                               p.name, law.range.from, law.range.to));
  law.stiffness = map.real("stiffness");
  law.exponent = map.real("exponent");
  if (!(law.exponent >= 1))
    throw Error(map.where("exponent"),
                fmt::format("the exponent of a stop must be at least 1, found {:g}", law.exponent));
  law.damping = map.real("damping");
  law.meet = map.flag("meet");
  builder.add(Stop(std::move(p.target), law), {p.block});
}

std::vector<Parameter> counter_keys() {
  return {Parameter::make(Kind::reals, "at", "s", "times of resets, in order"),
          Parameter::make(Kind::function, "when", "",
                          "a reset wherever this function of time, signals and rates becomes positive")};
}

void build_counter(const Parameters& in, Builder& builder) {
  static const std::vector<Parameter> known = counter_keys();
  CoordinateSite p = read_coordinate_site(in, builder);
  const Parameters map = in.map(*in.value("value"), known);
  std::vector<double> times;
  if (map.has("at")) times = map.reals("at");
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]))
      throw Error(map.where("at"), fmt::format("the times of resets must increase, found {:g} s after {:g} s",
                                               times[i], times[i - 1]));
  std::optional<BoundFunction> when;
  if (map.has("when")) when.emplace(map.function("when"), builder);
  std::vector<BlockId> stencil{p.block};
  if (when) stencil.insert(stencil.end(), when->blocks().begin(), when->blocks().end());
  builder.add(Counter(std::move(p.target), std::move(times), std::move(when)), std::move(stencil));
}

}  // namespace
}  // namespace trammel::coordinates

TRAMMEL_PLUGIN("coordinates", "0.2") {
  using namespace trammel;
  using namespace trammel::coordinates;
  registry.add(
      coordinate_element_type("motion", "prescribes a joint's coordinate", "function of time", build_motion));
  registry.add(coordinate_element_type(
      "initial", "the value of a joint's coordinate at the start", "number [rad or m]",
      [](const Parameters& in, Builder& builder) { build_initial(in, builder, false); }));
  registry.add(coordinate_element_type(
      "initial_rate", "the rate of a joint's coordinate at the start", "number [rad/s or m/s]",
      [](const Parameters& in, Builder& builder) { build_initial(in, builder, true); }));
  registry.add(coordinate_element_type("spring", "a spring on a joint's coordinate",
                                       "stiffness, or {stiffness, rest, preload}, or {law, rest}",
                                       build_spring, spring_keys()));
  registry.add(coordinate_element_type("damper", "a damper on a joint's coordinate",
                                       "force per rate, or {law}: function of signals and rates",
                                       build_damper, damper_keys()));
  registry.add(coordinate_element_type("actuator", "a force or torque on a joint's coordinate",
                                       "function of time, signals and rates of coordinates", build_actuator));
  registry.add(
      coordinate_element_type("stop", "compliant stops of a joint's coordinate, with or without play",
                              "{from, to, stiffness, exponent, damping, meet}", build_stop, stop_keys()));
  registry.add(coordinate_element_type(
      "counter", "counts a joint's coordinate from its last reset, in its unit and in turns",
      "{at, when}; {} counts from zero", build_counter, counter_keys()));
}
