#include "spread.hpp"
#include "trammel/builder.hpp"
#include "trammel/material_line.hpp"
#include "trammel/plugin.hpp"
#include "trammel/quoted.hpp"
#include "weight.hpp"

namespace trammel::load {
namespace {

using Kind = Parameter::Kind;

Parameter follower_parameter() {
  return Parameter::make(
             Kind::flag, "follower", "",
             "components in the axes of the marker, which turn with it, rather than in the world's")
      .defaults("no");
}

std::vector<Parameter> gravity_parameters() {
  return {Parameter::make(Kind::vector3, "acceleration", "m/s^2", "of free fall, in world axes")
              .defaults("[0, 0, -9.81]"),
          Parameter::make(Kind::function, "factor", "", "function of time that multiplies it; absent: 1")};
}

void build_gravity(const Parameters& in, Builder& builder) {
  auto gravity = std::make_shared<Gravity>();
  gravity->acceleration = in.vector3("acceleration");
  if (in.has("factor")) {
    gravity->factor = in.function("factor");
    if (!gravity->factor->depends_on_time_only())
      throw Error(in.where("factor"), "'factor' must be a function of time only; it reads the signal '" +
                                          gravity->factor->signals().front() + "'");
  }
  for (const MassPoint& point : builder.masses()) {
    if (point.mass == 0) continue;
    if (point.centre.at_frame_origin())
      builder.add(PointWeight(gravity, point.mass), {point.centre.frame().position});
    else
      builder.add(MarkerWeight(gravity, point.centre, point.mass), point.centre.blocks());
  }
}

Marker loaded_marker(const Parameters& in, Builder& builder) {
  Marker at = builder.marker(in, "on");
  if (at.is_ground()) throw Error(in.where("on"), "a load on the ground has no effect");
  return at;
}

void need_orientation(const Marker& at, const Parameters& in, const char* why) {
  if (at.is_point())
    throw Error(in.where("on"), "'" + at.name() + "' is a point without orientation: " + why);
}

std::vector<Parameter> force_parameters() {
  return {Parameter::make(Kind::marker, "on", "", "marker at whose origin the force acts").must(),
          Parameter::make(Kind::functions, "force", "N", "three components, functions of time and signals")
              .must(),
          follower_parameter()};
}

void build_force(const Parameters& in, Builder& builder) {
  const Marker at = loaded_marker(in, builder);
  MarkerLoadOptions options;
  options.follower = in.flag("follower");
  if (options.follower) need_orientation(at, in, "a force on it cannot follow");
  MarkerLoad load(at, Components(in.functions("force"), builder), options);
  const std::vector<BlockId> stencil = load.stencil();
  builder.add(std::move(load), stencil);
}

std::vector<Parameter> moment_parameters() {
  return {Parameter::make(Kind::marker, "on", "", "marker that the moment turns").must(),
          Parameter::make(Kind::functions, "moment", "N m", "three components, functions of time and signals")
              .must(),
          follower_parameter()};
}

void build_moment(const Parameters& in, Builder& builder) {
  const Marker at = loaded_marker(in, builder);
  need_orientation(at, in, "a moment cannot act on it");
  MarkerLoadOptions options;
  options.moment = true;
  options.follower = in.flag("follower");
  MarkerLoad load(at, Components(in.functions("moment"), builder), options);
  const std::vector<BlockId> stencil = load.stencil();
  builder.add(std::move(load), stencil);
}

std::vector<Parameter> distributed_parameters() {
  return {Parameter::make(Kind::text, "on", "", "beam that carries the load").must(),
          Parameter::make(
              Kind::functions, "force", "N/m",
              "by reference length: three functions of time, of signals, and of the arc length `<beam>.s`"),
          Parameter::make(Kind::functions, "moment", "N m/m", "by reference length, as `force`"),
          Parameter::make(Kind::real, "from", "m", "arc length where the load begins")
              .not_negative()
              .defaults("0"),
          Parameter::make(Kind::real, "to", "m", "arc length where it ends; absent: the end of the beam")
              .positive(),
          follower_parameter()};
}

void build_distributed(const Parameters& in, Builder& builder) {
  const std::string beam = in.text("on");
  const auto line = builder.find<MaterialLine>(beam + ".line");
  if (!line) throw Error(in.where("on"), in_quotes(beam) + " is not a beam that a load may be spread on");
  const double length = line->borders.back();
  const double from = in.real("from"), to = in.has("to") ? in.real("to") : length;
  if (!(from < to && to <= length * (1 + 1e-12)))
    throw Error(in.where("from"), "the load must begin before it ends, inside the beam's length of " +
                                      number_text(length) + " m");
  if (!in.has("force") && !in.has("moment")) throw Error(in.where(), "neither 'force' nor 'moment' is given");
  MarkerLoadOptions options;
  options.follower = in.flag("follower");
  for (const char* part : {"force", "moment"}) {
    if (!in.has(part)) continue;
    options.moment = std::string_view(part) == "moment";
    const std::vector<FunctionPtr> functions = in.functions(part);
    for (const WeightedStation& station : stations_between(line->borders, from, std::min(to, length))) {
      options.weight = station.weight;
      const auto find = [&](const std::string& name, const Location& where) {
        return name == beam + ".s" ? station_signal(station.s) : builder.signal(name, where);
      };
      MarkerLoad load(line->at(station.s), Components(functions, builder, find), options);
      const std::vector<BlockId> stencil = load.stencil();
      builder.add(SpreadLoad(std::move(load)), stencil);
    }
  }
}

Type load_type(std::string name, std::string summary, std::vector<Parameter> parameters,
               std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::load;
  type.summary = std::move(summary);
  type.parameters = std::move(parameters);
  type.build = std::move(build);
  return type;
}

}  // namespace
}  // namespace trammel::load

TRAMMEL_PLUGIN("load", "0.1") {
  using namespace trammel::load;
  trammel::Type gravity =
      load_type("gravity", "weight of everything that has mass", gravity_parameters(), build_gravity);
  gravity.needs = [](const trammel::Parameters&, trammel::Needs& needs) { needs.everywhere = true; };
  registry.add(std::move(gravity));
  registry.add(load_type("force", "a force at a marker, dead or following", force_parameters(), build_force));
  registry.add(load_type("moment", "a moment at a marker, about fixed axes or following", moment_parameters(),
                         build_moment));
  registry.add(load_type("distributed", "a force and a moment by length, spread along a beam",
                         distributed_parameters(), build_distributed));
}
