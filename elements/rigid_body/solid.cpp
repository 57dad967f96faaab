#include "solid.hpp"

#include <filesystem>

#include "trammel/nearest_name.hpp"

namespace trammel::rigid_body {

namespace {

using Kind = Parameter::Kind;

Parameter place_at() {
  return Parameter::make(Kind::vector3, "at", "m", "centre of the shape, in body axes").defaults("[0, 0, 0]");
}
Parameter place_rotation() {
  return Parameter::make(Kind::rotation, "rotation", "", "rotation of the shape from the body axes")
      .defaults("[1, 0, 0, 0]");
}
Parameter positive(const char* name, const char* doc) {
  return Parameter::make(Kind::real, name, "m", doc).positive().must();
}

Solid read_solid(const Parameters& in, const Value& value) {
  const std::vector<std::string> types{"box", "cylinder", "sphere", "rod", "stl"};
  const Value* type = value.is_map() ? value.find("type") : nullptr;
  if (type == nullptr || !type->is_scalar())
    throw Error(value.where, "a shape is a map with a 'type' (box, cylinder, sphere, rod, stl), found " +
                                 value.described());
  const Parameter of_type = Parameter::make(Kind::text, "type", "", "kind of shape");
  Solid solid;
  const auto placed = [&](std::vector<Parameter> known) {
    known.insert(known.end(), {of_type, place_at(), place_rotation()});
    Parameters p = in.map(value, known);
    solid.R_BS = p.rotation("rotation");
    solid.p_BS_B = p.vector3("at");
    return p;
  };
  if (type->text == "box") {
    const Parameters p = placed({Parameter::make(Kind::vector3, "size", "m", "edges").positive().must()});
    solid.shape = Box{p.vector3("size")};
  } else if (type->text == "sphere") {
    const Parameters p = placed({positive("radius", "radius")});
    solid.shape = Sphere{p.real("radius")};
  } else if (type->text == "cylinder") {
    const Parameters p =
        placed({positive("radius", "radius"), positive("length", "length along its z axis")});
    solid.shape = Cylinder{p.real("radius"), p.real("length")};
  } else if (type->text == "rod") {
    const Parameters p =
        in.map(value, {of_type, Parameter::make(Kind::vector3, "from", "m", "one end, in body axes").must(),
                       Parameter::make(Kind::vector3, "to", "m", "the other end").must(),
                       positive("radius", "radius")});
    solid.shape = Rod{p.vector3("from"), p.vector3("to"), p.real("radius")};
  } else if (type->text == "stl") {
    const Parameters p = placed(
        {Parameter::make(Kind::text, "file", "", "path of the file, from the folder of the case").must(),
         Parameter::make(Kind::real, "scale", "", "factor to metres").positive().defaults("1")});
    std::filesystem::path path = p.text("file");
    if (path.is_relative()) path = std::filesystem::path(value.where.file).parent_path() / path;
    solid.shape = read_stl(path.string(), p.real("scale"), p.where("file"));
  } else {
    throw Error(type->where, "unknown shape " + in_quotes(type->text) + did_you_mean(type->text, types));
  }
  return solid;
}

struct Painter {
  Canvas& canvas;
  Mat3 R_WS;
  Vec3 p_WS;

  static constexpr Canvas::Layer layer = Canvas::Layer::bodies;

  void operator()(const Box& b) const { canvas.box(layer, R_WS, p_WS, b.size); }
  void operator()(const Sphere& s) const { canvas.sphere(layer, p_WS, s.radius); }
  void operator()(const Cylinder& c) const {
    const Vec3 half = R_WS.col(2) * (0.5 * c.length);
    canvas.cylinder(layer, p_WS - half, p_WS + half, c.radius);
  }
  void operator()(const Rod& r) const {
    canvas.cylinder(layer, p_WS + R_WS * r.from, p_WS + R_WS * r.to, r.radius);
  }
  void operator()(const Surface& s) const {
    std::vector<Vec3> points;
    points.reserve(s.points.size());
    for (const Vec3& p : s.points) points.push_back(p_WS + R_WS * p);
    canvas.surface(layer, points, s.faces);
  }
};

}  // namespace

void Solids::draw(const Mat3& R_WB, const Vec3& p_WB, Canvas& canvas) const {
  for (const Solid& s : solids_) std::visit(Painter{canvas, R_WB * s.R_BS, p_WB + R_WB * s.p_BS_B}, s.shape);
}

Solids read_solids(const Parameters& in, std::string_view name) {
  const Value* value = in.value(name);
  std::vector<Solid> solids;
  if (value != nullptr && value->is_sequence()) {
    for (const Value& item : value->items) solids.push_back(read_solid(in, item));
  } else if (value != nullptr) {
    solids.push_back(read_solid(in, *value));
  }
  return Solids(std::move(solids));
}

}  // namespace trammel::rigid_body
