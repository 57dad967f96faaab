#include <fmt/format.h>

#include "analytic_curves.hpp"
#include "curve_process.hpp"
#include "drawn_curve.hpp"
#include "face_type.hpp"
#include "named_in_file.hpp"
#include "shapes.hpp"
#include "trammel/plugin.hpp"

namespace trammel::geometry {
namespace {

using Kind = Parameter::Kind;
using CurvePtr = std::unique_ptr<Curve>;

/// A curve's type: what all have, and how its shape is read.
void add_type(Registry& registry, std::string name, std::string summary, std::vector<Parameter> own,
              CurvePtr (*read)(const Parameters&)) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::curve;
  type.summary = std::move(summary);
  type.parameters = std::move(own);
  type.parameters.push_back(
      Parameter::make(Kind::marker, "on", "",
                      "marker that the curve is fixed in, and in whose axes it is given")
          .defaults("ground"));
  type.build = [read](const Parameters& in, Builder& builder) {
    const Marker marker = builder.marker(in, "on");
    std::shared_ptr<const Curve> curve = read(in);
    offer_curve(builder, curve, marker, in.where("on"));
    builder.note("shape", [&] {
      return fmt::format("length {:.9g} m, {}, parameter from {:.6g} to {:.6g}", curve->length(),
                         curve->closed() ? "closed" : "open", curve->first(), curve->last());
    });
    builder.add(DrawnCurve({curve, marker}), marker.blocks());
  };
  registry.add(std::move(type));
}

std::vector<Vec3> points(const Parameters& in) {
  std::vector<Vec3> list;
  for (const Value& item : in.value("points")->items) list.push_back(in.vector3(item));
  return list;
}

CurvePtr read_nurbs(const Parameters& in) {
  NurbsDefinition what;
  what.points = points(in);
  what.degree = in.integer("degree");
  if (in.has("weights")) what.weights = in.reals("weights");
  if (in.has("knots")) what.knots = in.reals("knots");
  const std::string form = in.text("form");
  what.form = form == "periodic" ? NurbsDefinition::Form::periodic
              : form == "closed" ? NurbsDefinition::Form::closed
                                 : NurbsDefinition::Form::open;
  return shapes().nurbs(what);
}

CurvePtr read_interpolated(const Parameters& in) {
  const bool has_tangents = in.has("first_tangent");
  if (has_tangents != in.has("last_tangent"))
    throw Error(in.where(), "give both 'first_tangent' and 'last_tangent', or neither");
  if (has_tangents && in.flag("closed"))
    throw Error(in.where("first_tangent"), "a closed curve has no end tangents");
  Vec3 first = Vec3::Zero(), last = Vec3::Zero();
  if (has_tangents) {
    first = in.vector3("first_tangent");
    last = in.vector3("last_tangent");
    if (!(first.norm() > 0) || !(last.norm() > 0))
      throw Error(in.where("first_tangent"), "the end tangents must not be zero");
  }
  return shapes().interpolated(points(in), in.flag("closed"), has_tangents ? &first : nullptr,
                               has_tangents ? &last : nullptr);
}

CurvePtr read_line(const Parameters& in) { return shapes().line(in.vector3("from"), in.vector3("to")); }

CurvePtr read_arc(const Parameters& in) {
  return shapes().arc(in.vector3("from"), in.vector3("via"), in.vector3("to"));
}

CurvePtr read_circle(const Parameters& in) {
  const Vec3 normal = in.vector3("normal"), radius = in.vector3("radius");
  if (!(normal.norm() > 0) || !(radius.norm() > 0))
    throw Error(in.where(), "the normal and the radius of the circle must not be zero");
  if (std::abs(normal.dot(radius)) > 1e-9 * normal.norm() * radius.norm())
    throw Error(in.where("radius"), "the radius of the circle must be perpendicular to its normal");
  return shapes().ellipse(in.vector3("centre"), radius, normal.normalized().cross(radius));
}

CurvePtr read_ellipse(const Parameters& in) {
  return shapes().ellipse(in.vector3("centre"), in.vector3("major"), in.vector3("minor"));
}

CurvePtr read_helix(const Parameters& in) {
  const std::vector<double> turns = in.reals("turns");
  if (turns.size() != 2) throw Error(in.where("turns"), "'turns' must be [first, last]");
  return std::make_unique<Helix>(in.vector3("centre"), in.vector3("axis"), in.vector3("radius"),
                                 in.real("pitch"), turns[0], turns[1]);
}

CurvePtr read_cycloid(const Parameters& in) {
  return std::make_unique<Cycloid>(in.vector3("centre"), in.vector3("along"), in.vector3("up"),
                                   in.real("radius"), in.real("span"));
}

CurvePtr read_file(const Parameters& in) {
  return shapes().nurbs(load_curve_file(file_path(in), names_in_file(in, "edges", "an edge")));
}

Parameter vector(const char* name, const char* unit, const char* doc) {
  return Parameter::make(Kind::vector3, name, unit, doc);
}

void add_splines(Registry& registry) {
  add_type(registry, "nurbs_curve", "a NURBS curve by its control points",
           {Parameter::make(Kind::list, "points", "m", "control points").must(),
            Parameter::make(Kind::reals, "weights", "", "positive, one a point; absent: all 1"),
            Parameter::make(Kind::integer, "degree", "", "up to 25").defaults("3"),
            Parameter::make(
                Kind::reals, "knots", "",
                "points + degree + 1 numbers that do not fall (periodic: points + 1); absent: uniform from "
                "0 to 1"),
            Parameter::make(Kind::choice, "form", "",
                            "closed: its ends meet; periodic: points and knots wrap round")
                .one_of({"open", "closed", "periodic"})
                .defaults("open")},
           read_nurbs);
  add_type(registry, "interpolated_curve", "the cubic spline through points, with continuous curvature",
           {Parameter::make(Kind::list, "points", "m", "points that the curve passes").must(),
            Parameter::make(Kind::flag, "closed", "", "yes: back to the first point").defaults("no"),
            vector("first_tangent", "", "direction at the first point"),
            vector("last_tangent", "", "direction at the last point")},
           read_interpolated);
}

void add_shapes(Registry& registry) {
  add_type(registry, "line", "a straight line",
           {vector("from", "m", "first point").such_as("[0, 0, 0]").must(),
            vector("to", "m", "last point").must()},
           read_line);
  add_type(registry, "arc", "the arc of a circle through three points",
           {vector("from", "m", "first point").must(), vector("via", "m", "a point between").must(),
            vector("to", "m", "last point").must()},
           read_arc);
  add_type(
      registry, "circle", "a circle",
      {vector("centre", "m", "its centre").defaults("[0, 0, 0]"),
       vector("normal", "", "direction that it turns about (right-hand rule)").such_as("[0, 0, 1]").must(),
       vector("radius", "m", "from the centre to its first point").such_as("[1, 0, 0]").must()},
      read_circle);
  add_type(registry, "ellipse", "an ellipse",
           {vector("centre", "m", "its centre").defaults("[0, 0, 0]"),
            vector("major", "m", "semi-axis, from the centre to the first point").must(),
            vector("minor", "m", "the other semi-axis: it turns from `major` to this").must()},
           read_ellipse);
  add_type(registry, "helix", "a helix",
           {vector("centre", "m", "where the axis begins").defaults("[0, 0, 0]"),
            vector("axis", "", "direction of the axis").must(),
            vector("radius", "m", "from the axis to the point at turn 0").must(),
            Parameter::make(Kind::real, "pitch", "m", "advance a turn; negative: left-handed").must(),
            Parameter::make(Kind::reals, "turns", "", "[first, last]").must()},
           read_helix);
  add_type(registry, "cycloid",
           "a cycloid, lowest in its middle: centre + radius ((u + sin u) along - cos u up)",
           {vector("centre", "m", "above the lowest point by the radius").defaults("[0, 0, 0]"),
            vector("along", "", "direction of the line").must(), vector("up", "", "upwards").must(),
            Parameter::make(Kind::real, "radius", "m", "of the circle that rolls").positive().must(),
            Parameter::make(Kind::real, "span", "rad", "u goes from -span to span; the cusps are at pi")
                .positive()
                .defaults("3")},
           read_cycloid);
}

void add_file(Registry& registry) {
  add_type(
      registry, "curve_file", "edges of a STEP or IGES file, joined into one curve",
      {Parameter::make(Kind::text, "file", "", "its path; a relative one counts from the folder of the case")
           .must(),
       Parameter::make(Kind::any, "edges", "",
                       "name of an edge or a wire, or a list of them; absent: the only one there is")},
      read_file);
}

}  // namespace
}  // namespace trammel::geometry

TRAMMEL_PLUGIN("geometry", "0.1") {
  using namespace trammel::geometry;
  add_splines(registry);
  add_shapes(registry);
  add_file(registry);
  add_face_file(registry);
}
