#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analytic_surfaces.hpp"
#include "derived_surfaces.hpp"
#include "drawn_surface.hpp"
#include "interpolation.hpp"
#include "nurbs_surface.hpp"
#include "swept_surfaces.hpp"
#include "trammel/plugin.hpp"

namespace trammel::surfaces {
namespace {

using Kind = Parameter::Kind;
using SurfacePtr = std::shared_ptr<const Surface>;

/// A surface's type: what all have, and how its shape is read.
void add_type(Registry& registry, std::string name, std::string summary, std::vector<Parameter> own,
              SurfacePtr (*read)(const Parameters&, Builder&)) {
  Type type;
  type.name = std::move(name);
  type.category = surface_category;
  type.summary = std::move(summary);
  type.parameters = std::move(own);
  type.parameters.push_back(
      Parameter::make(Kind::marker, "on", "",
                      "marker that the surface is fixed in, and in whose axes it is given")
          .defaults("ground"));
  type.parameters.push_back(
      Parameter::make(Kind::flag, "reversed", "",
                      "yes: the normal, which points out of the material, is turned round, as "
                      "that of a hole")
          .defaults("no"));
  type.build = [read](const Parameters& in, Builder& builder) {
    const Marker marker = builder.marker(in, "on");
    SurfacePtr surface;
    try {
      surface = read(in, builder);
    } catch (const Error& e) {
      if (e.where().line != 0) throw;
      throw Error(in.where(), e.what());
    }
    offer_surface(builder, surface, marker, in.where("on"));
    builder.note("shape", [&] {
      const auto range = [](const SurfaceRange& r) {
        return fmt::format("from {:.6g} to {:.6g}{}", r.first, r.last,
                           r.periodic  ? ", periodic"
                           : r.endless ? ", endless"
                                       : "");
      };
      return fmt::format("u {}; v {}", range(surface->u()), range(surface->v()));
    });
    builder.add(DrawnSurface({surface, marker}), marker.blocks());
  };
  registry.add(std::move(type));
}

SurfacePtr read_plane(const Parameters& in, Builder&) {
  const std::vector<double> size = in.reals("size");
  if (size.size() != 2 || !(size[0] > 0) || !(size[1] > 0))
    throw Error(in.where("size"), "'size' must be two positive lengths [along e1, along e2]");
  return std::make_shared<Plane>(size[0], size[1], in.flag("reversed"));
}

SurfacePtr read_cylinder(const Parameters& in, Builder&) {
  return std::make_shared<Cone>(in.real("radius"), 0, in.real("from"), in.real("to"), in.flag("reversed"));
}

SurfacePtr read_cone(const Parameters& in, Builder&) {
  return std::make_shared<Cone>(in.real("radius"), std::tan(in.real("half_angle")), in.real("from"),
                                in.real("to"), in.flag("reversed"));
}

SurfacePtr read_sphere(const Parameters& in, Builder&) {
  return std::make_shared<Ellipsoid>(Vec3::Constant(in.real("radius")), in.flag("reversed"));
}

SurfacePtr read_ellipsoid(const Parameters& in, Builder&) {
  return std::make_shared<Ellipsoid>(in.vector3("semi_axes"), in.flag("reversed"));
}

SurfacePtr read_torus(const Parameters& in, Builder&) {
  return std::make_shared<Torus>(in.real("ring_radius"), in.real("tube_radius"), in.flag("reversed"));
}

NurbsDirection read_direction(const Parameters& in, const std::string& name) {
  NurbsDirection out;
  out.degree = in.integer("degree_" + name);
  if (in.has("knots_" + name)) out.knots = in.reals("knots_" + name);
  out.periodic = in.flag("periodic_" + name);
  return out;
}

std::vector<std::vector<Vec3>> read_rows(const Parameters& in) {
  std::vector<std::vector<Vec3>> points;
  for (const Value& row : in.value("points")->items) {
    if (!row.is_sequence())
      throw Error(row.where, "expected a row of control points, [[x, y, z], ...], found " + row.described());
    points.emplace_back();
    for (const Value& item : row.items) points.back().push_back(in.vector3(item));
  }
  return points;
}

SurfacePtr read_nurbs(const Parameters& in, Builder&) {
  const std::vector<std::vector<Vec3>> points = read_rows(in);
  std::vector<std::vector<double>> weights;
  if (in.has("weights"))
    for (const Value& row : in.value("weights")->items) weights.push_back(in.reals(row));
  return std::make_shared<NurbsSurface>(points, weights, read_direction(in, "u"), read_direction(in, "v"),
                                        in.flag("reversed"));
}

Vec3 read_direction_vector(const Parameters& in, const char* name) {
  const Vec3 d = in.vector3(name);
  if (!(d.norm() > 0)) throw Error(in.where(name), fmt::format("'{}' must not be zero", name));
  return d.normalized();
}

SurfacePtr read_extrusion(const Parameters& in, Builder& builder) {
  return std::make_shared<Extrusion>(find_curve(builder, *in.value("profile")).curve,
                                     read_direction_vector(in, "direction"), in.real("from"), in.real("to"),
                                     in.flag("reversed"));
}

SurfacePtr read_revolution(const Parameters& in, Builder& builder) {
  return std::make_shared<Revolution>(find_curve(builder, *in.value("profile")).curve, in.vector3("centre"),
                                      read_direction_vector(in, "axis"), in.flag("reversed"));
}

SurfacePtr read_interpolated(const Parameters& in, Builder&) {
  const InterpolatedNet net = interpolate(read_rows(in), in.integer("degree_u"), in.integer("degree_v"));
  return std::make_shared<NurbsSurface>(net.points, std::vector<std::vector<double>>{}, net.u, net.v,
                                        in.flag("reversed"));
}

SurfaceRange read_range(const Parameters& in, const std::string& name) {
  const std::vector<double> ends = in.reals(name);
  if (ends.size() != 2 || !(ends[1] > ends[0]))
    throw Error(in.where(name), fmt::format("'{}' must be two numbers that rise, [from, to]", name));
  return {.first = ends[0], .last = ends[1], .periodic = in.flag("periodic_" + name)};
}

SurfacePtr read_formula(const Parameters& in, Builder&) {
  const Value& point = *in.value("point");
  if (!point.is_sequence() || point.items.size() != 3)
    throw Error(in.where("point"), "'point' must be three formulas of u and v, [x, y, z]");
  const FormulaReader& reader = formula_reader(in.context(), in.where("point"));
  std::array<FormulaPtr, 3> formulas;
  for (std::size_t i = 0; i < 3; ++i) formulas[i] = reader.formula(point.items[i], {{"u", "v"}, {}});
  return std::make_shared<FormulaSurface>(formulas, read_range(in, "u"), read_range(in, "v"),
                                          in.flag("reversed"));
}

SurfacePtr read_offset(const Parameters& in, Builder& builder) {
  return std::make_shared<OffsetSurface>(find_surface(builder, *in.value("of")).surface, in.real("distance"),
                                         in.flag("reversed"));
}

SurfacePtr read_sweep(const Parameters& in, Builder& builder) {
  return std::make_shared<Sweep>(find_curve(builder, *in.value("profile")).curve,
                                 find_curve(builder, *in.value("track")).curve, in.flag("reversed"));
}

Parameter length(const char* name, const char* doc) { return Parameter::make(Kind::real, name, "m", doc); }

void add_quadrics(Registry& registry) {
  add_type(registry, "plane", "the plane of e1 and e2, endless; its normal is e3",
           {Parameter::make(Kind::reals, "size", "m", "what is drawn of it, and searched at the start")
                .defaults("[2, 2]")},
           read_plane);
  add_type(registry, "cylinder", "a circular cylinder about e3",
           {length("radius", "its radius").positive().must(), length("from", "where it begins on e3").must(),
            length("to", "where it ends").must()},
           read_cylinder);
  add_type(registry, "cone", "a circular cone about e3, without its tip",
           {length("radius", "where e3 is 0").positive().must(),
            Parameter::make(Kind::real, "half_angle", "rad",
                            "by which the radius grows along e3; negative: shrinks")
                .between(-1.5, 1.5)
                .must(),
            length("from", "where it begins on e3").must(), length("to", "where it ends").must()},
           read_cone);
  add_type(registry, "sphere", "a sphere; its poles, where it has no parameters, lie on e3",
           {length("radius", "its radius").positive().must()}, read_sphere);
  add_type(registry, "ellipsoid", "an ellipsoid; its poles, where it has no parameters, lie on e3",
           {Parameter::make(Kind::vector3, "semi_axes", "m", "along e1, e2 and e3").must()}, read_ellipsoid);
  add_type(registry, "torus", "a torus about e3",
           {length("ring_radius", "from e3 to the middle of the tube").positive().must(),
            length("tube_radius", "of the tube").positive().must()},
           read_torus);
}

void add_nurbs(Registry& registry) {
  std::vector<Parameter> own{
      Parameter::make(Kind::list, "points", "m", "control points: rows along v, one for each number along u")
          .must(),
      Parameter::make(Kind::list, "weights", "", "positive, in rows as the points; absent: all 1")};
  for (const std::string d : {"u", "v"}) {
    own.push_back(Parameter::make(Kind::integer, "degree_" + d, "", "up to 25").defaults("3"));
    own.push_back(
        Parameter::make(Kind::reals, "knots_" + d, "",
                        "points + degree + 1 numbers that do not fall (periodic: points + 1 that rise); "
                        "absent: uniform from 0 to 1"));
    own.push_back(
        Parameter::make(Kind::flag, "periodic_" + d, "", "yes: points and knots wrap round").defaults("no"));
  }
  add_type(registry, "nurbs_surface", "a NURBS surface by its control points", std::move(own), read_nurbs);
}

void add_derived(Registry& registry) {
  add_type(registry, "interpolated_surface", "a spline through rows of points",
           {Parameter::make(Kind::list, "points", "m", "rows along v, one for each number along u").must(),
            Parameter::make(Kind::integer, "degree_u", "", "up to 25").defaults("3"),
            Parameter::make(Kind::integer, "degree_v", "", "up to 25").defaults("3")},
           read_interpolated);
  std::vector<Parameter> own{
      Parameter::make(Kind::list, "point", "m", "[x, y, z]: three formulas of u and v").must()};
  for (const std::string d : {"u", "v"}) {
    own.push_back(Parameter::make(Kind::reals, d, "", "its range, [from, to]").such_as("[0, 1]").must());
    own.push_back(
        Parameter::make(Kind::flag, "periodic_" + d, "", "yes: the surface closes along it").defaults("no"));
  }
  add_type(registry, "formula_surface", "a surface by formulas of its parameters", std::move(own),
           read_formula);
  add_type(
      registry, "offset_surface", "another surface, moved along its normals",
      {Parameter::make(Kind::text, "of", "", "name of the other surface, in the axes of this one").must(),
       length("distance", "along the normals; negative: against them").must()},
      read_offset);
  add_type(
      registry, "sweep", "a profile moved along a track without turning",
      {Parameter::make(Kind::text, "profile", "", "name of the curve, in the axes of the surface").must(),
       Parameter::make(Kind::text, "track", "", "name of the curve along which it is moved").must()},
      read_sweep);
}

void add_swept(Registry& registry) {
  add_type(
      registry, "extrusion", "a profile moved along a direction",
      {Parameter::make(Kind::text, "profile", "", "name of the curve, in the axes of the surface").must(),
       Parameter::make(Kind::vector3, "direction", "", "along which it is moved").such_as("[0, 0, 1]").must(),
       length("from", "where the surface begins, along the direction").defaults("0"),
       length("to", "where it ends").must()},
      read_extrusion);
  add_type(
      registry, "revolution", "a profile turned about an axis",
      {Parameter::make(Kind::text, "profile", "", "name of the curve, in the axes of the surface").must(),
       Parameter::make(Kind::vector3, "centre", "m", "a point of the axis").defaults("[0, 0, 0]"),
       Parameter::make(Kind::vector3, "axis", "", "direction of the axis").such_as("[0, 0, 1]").must()},
      read_revolution);
}

}  // namespace
}  // namespace trammel::surfaces

TRAMMEL_PLUGIN("surfaces", "0.1") {
  using namespace trammel::surfaces;
  add_quadrics(registry);
  add_nurbs(registry);
  add_swept(registry);
  add_derived(registry);
}
