#include "trammel/coordinate_element.hpp"

namespace trammel {

CoordinateTarget coordinate_target(const JointCoordinate& c, const Builder& builder) {
  CoordinateTarget target;
  target.component = c.component;
  target.size = builder.block(c.block).size;
  target.measure = builder.block(c.block).measure(c.component);
  target.unit = c.unit;
  target.force_unit = target.measure.is_angle() ? "N m" : target.measure.is_length() ? "N" : "J/" + c.unit;
  return target;
}

CoordinateSite read_coordinate_site(const Parameters& in, Builder& builder) {
  CoordinateSite p;
  p.joint_name = in.text("of");
  p.joint = builder.joint_named(p.joint_name);
  if (p.joint < 0) throw Error(in.where("of"), "joint '" + p.joint_name + "' not found");
  const JointCoordinate c = builder.coordinate(p.joint, in.text("coordinate"), in.where("coordinate"));
  p.block = c.block;
  p.name = p.joint_name + "." + c.name;
  p.target = coordinate_target(c, builder);
  return p;
}

Type coordinate_element_type(std::string name, std::string summary, std::string value,
                             std::function<void(const Parameters&, Builder&)> build,
                             std::vector<Parameter> keys) {
  using Kind = Parameter::Kind;
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::coordinate;
  type.summary = std::move(summary);
  type.parameters = {Parameter::make(Kind::text, "of", "", "the joint").must(),
                     Parameter::make(Kind::text, "coordinate", "", "its coordinate").must(),
                     Parameter::make(Kind::any, "value", "", std::move(value)).must().with(std::move(keys))};
  type.build = std::move(build);
  return type;
}

}  // namespace trammel
