#include "attachments.hpp"
#include "trammel/builder.hpp"
#include "trammel/plugin.hpp"

namespace trammel::coordinates {
namespace {

using Kind = Parameter::Kind;

struct Place {
  Target target;
  BlockId block = no_block;
  std::string name;  ///< "A.angle": of the coordinate's signal
};

Place place(const Parameters& in, Builder& builder) {
  const std::string of = in.text("of"), coordinate = in.text("coordinate");
  // The joint was built just before what hangs on it: search from the end.
  const auto& entities = builder.model().entities;
  int joint = static_cast<int>(entities.size()) - 1;
  while (joint >= 0 && !(entities[static_cast<std::size_t>(joint)].name == of &&
                         entities[static_cast<std::size_t>(joint)].category == "joint"))
    --joint;
  if (joint < 0) throw Error(in.where("of"), "joint '" + of + "' not found");
  const JointCoordinate c = builder.coordinate(joint, coordinate, in.where("coordinate"));
  Place p;
  p.block = c.block;
  p.name = of + "." + coordinate;
  p.target.component = c.component;
  p.target.size = builder.model().block(c.block).size;
  p.target.unit = c.unit;
  p.target.force_unit = c.unit == "rad" ? "N m" : c.unit == "m" ? "N" : "J/" + c.unit;
  return p;
}

std::vector<Parameter> parameters(const char* value) {
  return {Parameter::make(Kind::text, "of", "", "the joint").must(),
          Parameter::make(Kind::text, "coordinate", "", "its coordinate").must(),
          Parameter::make(Kind::any, "value", "", value).must()};
}

Type attachment(const char* name, const char* summary, const char* value,
                std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = name;
  type.category = Type::Category::coordinate;
  type.summary = summary;
  type.parameters = parameters(value);
  type.build = std::move(build);
  return type;
}

void build_motion(const Parameters& in, Builder& builder) {
  Place p = place(in, builder);
  FunctionPtr f = in.context().function(*in.value("value"));
  if (!f->depends_on_time_only())
    throw Error(f->where(), "the motion '" + f->text() + "' reads the signal '" + f->signals().front() +
                                "', but only a function of time is allowed here");
  const BlockId multiplier = builder.add_multiplier("force", 1, p.target.unit);
  builder.add(Motion(std::move(p.target), std::move(f)), {p.block, multiplier});
}

void build_spring(const Parameters& in, Builder& builder) {
  static const std::vector<Parameter> known{
      Parameter::make(Kind::real, "stiffness", "force per coordinate", "of a linear spring"),
      Parameter::make(Kind::real, "rest", "", "coordinate without force").defaults("0"),
      Parameter::make(Kind::function, "law", "",
                      "force against the coordinate, as a function of it and of time")};
  Place p = place(in, builder);
  const Value& value = *in.value("value");
  if (!value.is_map()) {
    builder.add(LinearSpring(std::move(p.target), in.real(value), 0), {p.block});
    return;
  }
  const Parameters map = in.map(value, known);
  if (map.has("law") == map.has("stiffness"))
    throw Error(value.where, "a spring needs either 'stiffness' or 'law'");
  if (map.has("stiffness")) {
    builder.add(LinearSpring(std::move(p.target), map.real("stiffness"), map.real("rest")), {p.block});
    return;
  }
  FunctionPtr law = map.function("law");
  if (law->signals().size() > 1 || (law->signals().size() == 1 && law->signals().front() != p.name))
    throw Error(map.where("law"), "the law of this spring may read '" + p.name + "' and time only");
  builder.add(LawSpring(std::move(p.target), std::move(law), map.real("rest")), {p.block});
}

void build_damper(const Parameters& in, Builder& builder) {
  Place p = place(in, builder);
  const double damping = in.real(*in.value("value"));
  if (damping < 0) throw Error(in.where("value"), "the damping must not be negative");
  builder.add(Damper(std::move(p.target), damping), {p.block});
}

}  // namespace
}  // namespace trammel::coordinates

TRAMMEL_PLUGIN("coordinates", "0.1") {
  using namespace trammel::coordinates;
  registry.add(attachment("motion", "prescribes a joint's coordinate", "function of time", build_motion));
  registry.add(attachment("spring", "a spring on a joint's coordinate",
                          "stiffness, or {stiffness, rest}, or {law, rest}", build_spring));
  registry.add(
      attachment("damper", "a linear damper on a joint's coordinate", "force per rate", build_damper));
}
