#include "axis_input.hpp"

#include <optional>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::beam {

namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> arc_parameters() {
  return {
      Parameter::make(Kind::vector3, "via", "m", "a point that the arc passes"),
      Parameter::make(Kind::vector3, "to", "m", "end, with `via`"),
      Parameter::make(Kind::vector3, "centre", "m", "centre of the circle"),
      Parameter::make(Kind::vector3, "normal", "", "direction that the arc turns about (right-hand rule)"),
      Parameter::make(Kind::real, "angle", "rad", "that the arc turns by")};
}

std::vector<Parameter> helix_parameters() {
  return {
      Parameter::make(Kind::vector3, "centre", "m", "a point of the line that the helix winds about").must(),
      Parameter::make(Kind::vector3, "direction", "", "of that line").must(),
      Parameter::make(Kind::real, "pitch", "m", "advance a turn; negative: left-handed").must(),
      Parameter::make(Kind::real, "turns", "", "number of turns").positive().must()};
}

std::vector<Parameter> curve_parameters() {
  return {Parameter::make(Kind::vector3, "tangent", "", "direction at the start").must(),
          Parameter::make(Kind::real, "length", "m", "arc length").positive().must(),
          Parameter::make(Kind::vector3, "curvature", "1/m",
                          "constant, in section axes: [twist, about t2, about t3]")
              .must()};
}

std::unique_ptr<Axis> make_axis(const Parameters& in, std::string_view way) {
  std::optional<Vec3> up_vector;
  if (in.has("up")) up_vector = in.vector3("up");
  const Vec3* up = up_vector ? &*up_vector : nullptr;
  const double twist = in.real("twist");
  if (way == "through") {
    std::vector<Vec3> points;
    for (const Value& item : in.value("through")->items) points.push_back(in.vector3(item));
    if (in.has("from"))
      throw Error(in.where("from"), "'through' lists all points, the first included: leave out 'from'");
    return spline_axis(points, up, twist);
  }
  if (!in.has("from")) throw Error(in.where(), "'from' is missing: the start of the beam");
  const Vec3 from = in.vector3("from");
  if (way == "to") return straight_axis(from, in.vector3("to"), up, twist);
  if (twist != 0) throw Error(in.where("twist"), fmt::format("'twist' cannot be given with '{}'", way));
  const Parameters curve = in.map(way);
  if (way == "arc") {
    if (curve.has("via") && curve.has("to") && !curve.has("centre") && !curve.has("normal") &&
        !curve.has("angle"))
      return arc_axis(from, curve.vector3("via"), curve.vector3("to"), up);
    if (curve.has("centre") && curve.has("normal") && curve.has("angle") && !curve.has("via") &&
        !curve.has("to"))
      return arc_axis(from, curve.vector3("centre"), curve.vector3("normal"), curve.real("angle"), up);
    throw Error(curve.where(), "an arc needs either 'via' and 'to', or 'centre', 'normal' and 'angle'");
  }
  if (way == "helix")
    return helix_axis(from, curve.vector3("centre"), curve.vector3("direction"), curve.real("pitch"),
                      curve.real("turns"), up);
  const Pose start{triad(curve.vector3("tangent"), up), from};
  return std::make_unique<ConstantCurvatureAxis>(start, curve.vector3("curvature"), curve.real("length"));
}

}  // namespace

std::vector<Parameter> axis_parameters() {
  return {
      Parameter::make(Kind::vector3, "from", "m", "start of the axis").such_as("[0, 0, 0]"),
      Parameter::make(Kind::vector3, "to", "m", "end of a straight axis").such_as("[1, 0, 0]"),
      Parameter::make(Kind::map, "arc", "", "circular arc: {via, to} or {centre, normal, angle}")
          .with(arc_parameters()),
      Parameter::make(Kind::map, "helix", "", "helix: {centre, direction, pitch, turns}")
          .with(helix_parameters()),
      Parameter::make(Kind::map, "curve", "", "constant curvature and twist: {tangent, length, curvature}")
          .with(curve_parameters()),
      Parameter::make(Kind::list, "through", "m", "points of a cubic spline"),
      Parameter::make(
          Kind::vector3, "up", "",
          "t3 of the first section lies in the plane of the tangent and this direction; default: z, "
          "for a vertical tangent -x (upwards) or x (downwards)"),
      Parameter::make(Kind::real, "twist", "rad", "turn of the last section about the axis, linear along it")
          .defaults("0")};
}

std::unique_ptr<Axis> read_axis(const Parameters& in) {
  std::string_view way;
  for (const char* name : {"to", "arc", "helix", "curve", "through"}) {
    if (!in.has(name)) continue;
    if (!way.empty())
      throw Error(in.where(name), fmt::format("the axis is given twice, by '{}' and by '{}'", way, name));
    way = name;
  }
  if (way.empty())
    throw Error(in.where(), "a beam needs an axis: 'to', 'arc', 'helix', 'curve' or 'through'");
  try {
    return make_axis(in, way);
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where(way), e.what());
  }
}

}  // namespace trammel::beam
