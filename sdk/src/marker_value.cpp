// Markers as a case writes them: a name, or {on, at, rotation, moving}.
#include <algorithm>
#include <array>

#include "trammel/builder.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel {

namespace {

std::vector<Parameter> moving_parameters() {
  using Kind = Parameter::Kind;
  return {Parameter::make(Kind::functions, "translation", "m", "of the origin, in the marker's axes at rest"),
          Parameter::make(Kind::functions, "rotation_vector", "rad", "components of the rotation vector"),
          Parameter::make(Kind::vector3, "axis", "", "fixed axis, with `angle`"),
          Parameter::make(Kind::function, "angle", "rad", "about `axis`")};
}

/// A marker that moves as a map of `moving_parameters` says.
Marker moved(const Marker& base, const Parameters& in) {
  const auto three = [&in](std::string_view name) {
    std::array<FunctionPtr, 3> list;
    if (in.has(name)) std::ranges::copy(in.functions(name), list.begin());
    return list;
  };
  RotationLaw law;
  law.vector = three("rotation_vector");
  if (in.has("axis") != in.has("angle") || (in.has("angle") && in.has("rotation_vector")))
    throw Error(in.where(), "a rotation in time is either 'axis' and 'angle' or a 'rotation_vector'");
  if (in.has("angle")) {
    law.axis = in.vector3("axis");
    if (!(law.axis.norm() > 0)) throw Error(in.where("axis"), "the axis of a rotation has no direction");
    law.axis.normalize();
    law.angle = in.function("angle");
  }
  return moving_marker(base, three("translation"), law);
}

}  // namespace

Marker Builder::marker(const Value& value, const ValueContext& context) const {
  if (value.is_map()) {
    static const std::vector<Parameter> known{
        Parameter::make(Parameter::Kind::marker, "on", "", "what the marker is fixed in").must(),
        Parameter::make(Parameter::Kind::vector3, "at", "m", "offset of the origin, in axes of `on`")
            .defaults("[0, 0, 0]"),
        Parameter::make(Parameter::Kind::rotation, "rotation", "", "rotation from the axes of `on`")
            .defaults("[1, 0, 0, 0]"),
        Parameter::make(Parameter::Kind::map, "moving", "",
                        "a motion of the marker in `on` by functions of time")
            .with(moving_parameters())};
    const Parameters in(value, known, context);
    const Marker base = marker(*in.value("on"), context);
    const Marker placed = base.offset(in.rotation("rotation"), in.vector3("at")).named(base.name());
    return in.has("moving") ? moved(placed, in.map("moving")) : placed;
  }
  if (!value.is_scalar())
    throw Error(value.where,
                "expected the name of a marker or {on, at, rotation}, found " + value.described());
  return value.text == "ground" ? Marker::ground() : named_marker(value);
}

Marker Builder::marker(const Parameters& in, std::string_view parameter) const {
  const Value* value = in.value(parameter);
  if (value == nullptr) throw Error(in.where(), "'" + std::string(parameter) + "' is missing: a marker");
  return marker(*value, in.context());
}

std::pair<Marker, Marker> Builder::marker_pair(const Parameters& in, std::string_view parameter) const {
  const Value* value = in.value(parameter);
  if (value == nullptr || !value->is_sequence() || value->items.size() != 2)
    throw Error(in.where(parameter),
                "'" + std::string(parameter) + "' must be a list of two markers" +
                    (value != nullptr ? ", found " + value->described() : std::string()));
  return {marker(value->items[0], in.context()), marker(value->items[1], in.context())};
}

}  // namespace trammel
