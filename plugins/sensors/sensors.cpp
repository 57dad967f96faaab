#include "motion.hpp"
#include "trammel/builder.hpp"
#include "trammel/function_signal.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/plugin.hpp"

namespace trammel::sensors {
namespace {

using Kind = Parameter::Kind;

void append(std::vector<BlockId>& stencil, const std::vector<BlockId>& more) {
  stencil.insert(stencil.end(), more.begin(), more.end());
}

/// Offers a signal for functions to read. What a joint of the sensor's name offers goes before it.
void offer(Builder& builder, const std::string& name, std::shared_ptr<const Signal> signal) {
  if (!builder.has_signal(builder.entity().name + "." + name)) builder.offer_signal(name, std::move(signal));
}

std::vector<Parameter> motion_parameters() {
  return {Parameter::make(Kind::marker, "of", "", "marker whose motion is reported").must(),
          Parameter::make(Kind::marker, "relative_to", "", "marker that the observer is fixed in")
              .defaults("ground"),
          Parameter::make(Kind::marker, "axes", "",
                          "marker whose axes the vectors are given in; absent: those of relative_to")};
}

void build_motion(const Parameters& in, Builder& builder) {
  const Marker of = builder.marker(in, "of"), observer = builder.marker(in, "relative_to");
  if (of.is_ground() && observer.is_ground()) throw Error(in.where("of"), "the ground does not move");
  if (observer.is_point())
    throw Error(in.where("relative_to"), "'" + observer.name() + "' is a point without orientation");
  std::vector<BlockId> stencil = observer.blocks();
  append(stencil, of.blocks());
  std::optional<Marker> axes;
  if (in.has("axes")) {
    axes = builder.marker(in, "axes");
    if (axes->is_point())
      throw Error(in.where("axes"), "'" + axes->name() + "' is a point without orientation");
    append(stencil, axes->blocks());
  }
  // In the axes of the observer, in which functions read them.
  for (int i = 0; !axes && i < 3; ++i) {
    const std::string number = std::string(".") + "xyz"[i];
    offer(builder, "position" + number, position_signal(observer, of, i));
    offer(builder, "velocity" + number, velocity_signal(observer, of, i));
    if (!of.is_point())
      offer(builder, "angular_velocity_body" + number, velocity_signal(observer, of, 3 + i));
  }
  const InitialMotion A = builder.initial(observer), B = builder.initial(of);
  const Vec3 p_start = A.R_WM.transpose() * (B.p_WM - A.p_WM);
  builder.add(MotionSensor(observer, of, axes, p_start), stencil);
}

std::vector<Parameter> distance_parameters() {
  return {Parameter::make(Kind::marker_pair, "between", "", "the two markers; `ground`: the world's origin")
              .must()};
}

void build_distance(const Parameters& in, Builder& builder) {
  const auto [a, b] = builder.marker_pair(in, "between");
  if (a.is_ground() && b.is_ground()) throw Error(in.where("between"), "both markers are on the ground");
  const auto signal = distance_signal(a, b);
  offer(builder, "distance", signal);
  builder.add(SignalSensor(signal, "distance"), signal->blocks());
}

std::vector<Parameter> signal_parameters() {
  return {Parameter::make(Kind::text, "of", "", "name of the signal: \"hinge.angle\"").must()};
}

void build_signal(const Parameters& in, Builder& builder) {
  const auto signal = builder.signal(in.text("of"), in.where("of"));
  offer(builder, "value", signal);
  builder.add(SignalSensor(signal, "value"), signal->blocks());
}

std::vector<Parameter> function_parameters() {
  return {Parameter::make(Kind::function, "value", "", "expression of time and signals").must(),
          Parameter::make(Kind::text, "unit", "", "unit of the value, for the history; absent: none")};
}

void build_function(const Parameters& in, Builder& builder) {
  FunctionPtr f = in.function("value");
  std::vector<std::shared_ptr<const Signal>> of;
  for (const std::string& name : f->signals()) of.push_back(builder.signal(name, f->where()));
  const auto signal =
      function_signal(std::move(f), std::move(of), in.has("unit") ? in.text("unit") : std::string());
  offer(builder, "value", signal);
  builder.add(SignalSensor(signal, "value"), signal->blocks());
}

/// The entity that `of` names, of `category` where that is not empty; sensors don't count.
int find_entity(const Parameters& in, const Builder& builder, std::string_view category, const char* what) {
  const std::string wanted = in.text("of");
  std::vector<std::string> names;
  int found = -1;
  for (int i = 0; i < builder.entity_index(); ++i) {
    const Entity& e = builder.entities()[static_cast<std::size_t>(i)];
    if (e.category == "sensor") continue;
    if (!category.empty() && e.category != category) continue;
    if (e.name == wanted) {
      if (found >= 0)
        throw Error(in.where("of"), "there are several things named '" + wanted + "': a " +
                                        builder.entities()[static_cast<std::size_t>(found)].category +
                                        " and a " + e.category);
      found = i;
    }
    names.push_back(e.name);
  }
  if (found < 0)
    throw Error(in.where("of"),
                std::string(what) + " " + in_quotes(wanted) + " not found" + did_you_mean(wanted, names));
  return found;
}

std::vector<Parameter> reaction_parameters() {
  return {Parameter::make(Kind::text, "of", "", "name of the joint").must()};
}

void build_reaction(const Parameters& in, Builder& builder) {
  SensorReference reference;
  reference.sensor = builder.entity_index();
  reference.of = find_entity(in, builder, "joint", "joint");
  reference.channels = {"force",      "moment",      "force_world",      "moment_world",
                        "force_on_A", "moment_on_A", "force_on_A_world", "moment_on_A_world"};
  builder.report(std::move(reference));
}

std::vector<Parameter> outputs_parameters() {
  return {Parameter::make(Kind::text, "of", "",
                          "name of a body, joint, element or load, or of what hangs on a coordinate")
              .must(),
          Parameter::make(Kind::list, "channels", "", "names of the outputs wanted; absent: all")};
}

void build_outputs(const Parameters& in, Builder& builder) {
  SensorReference reference;
  reference.sensor = builder.entity_index();
  reference.of = find_entity(in, builder, "", "body, joint, element or load");
  if (in.has("channels"))
    for (const Value& item : in.value("channels")->items) {
      if (!item.is_scalar()) throw Error(item.where, "'channels' lists names, found " + item.described());
      reference.channels.push_back(item.text);
    }
  builder.report(std::move(reference));
}

std::vector<Parameter> energy_parameters() {
  return {Parameter::make(Kind::text, "of", "",
                          "name of a body, joint, element or load; absent: the whole model")};
}

void build_energy(const Parameters& in, Builder& builder) {
  SensorReference reference;
  reference.sensor = builder.entity_index();
  reference.what = SensorReference::What::energy;
  if (in.has("of")) reference.of = find_entity(in, builder, "", "body, joint, element or load");
  builder.report(std::move(reference));
}

Type sensor_type(std::string name, std::string summary, std::vector<Parameter> parameters,
                 std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::sensor;
  type.summary = std::move(summary);
  type.parameters = std::move(parameters);
  type.build = std::move(build);
  return type;
}

}  // namespace
}  // namespace trammel::sensors

TRAMMEL_PLUGIN("sensors", "0.1") {
  using namespace trammel::sensors;
  registry.add(sensor_type("motion", "position, velocity, acceleration and rotation of a marker",
                           motion_parameters(), build_motion));
  registry.add(
      sensor_type("distance", "distance between two markers", distance_parameters(), build_distance));
  registry.add(sensor_type("signal", "value and rates of a signal", signal_parameters(), build_signal));
  registry.add(
      sensor_type("function", "a function of time and signals", function_parameters(), build_function));
  registry.add(
      sensor_type("reaction", "forces and moments of a joint", reaction_parameters(), build_reaction));
  registry.add(sensor_type("outputs", "what a body, joint, element or load reports", outputs_parameters(),
                           build_outputs));
  registry.add(sensor_type("energy", "energies of the whole model or of one thing in it", energy_parameters(),
                           build_energy));
}
