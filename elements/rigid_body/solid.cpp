#include "solid.hpp"

#include <algorithm>

#include "trammel/named_file.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/quoted.hpp"

namespace trammel::rigid_body {

namespace {

using Kind = Parameter::Kind;

Parameter positive(const char* name, const char* doc) {
  return Parameter::make(Kind::real, name, "m", doc).positive().must();
}

struct SolidType {
  std::string name;
  std::vector<Parameter> parameters;  ///< `type` among them
};

const std::vector<SolidType>& solid_types() {
  static const std::vector<SolidType> types = [] {
    const Parameter type = Parameter::make(Kind::text, "type", "", "kind of shape").must();
    const auto placed = [&](const char* name, std::vector<Parameter> own) {
      own.insert(own.end(),
                 {type,
                  Parameter::make(Kind::vector3, "at", "m", "centre of the shape, in body axes")
                      .defaults("[0, 0, 0]"),
                  Parameter::make(Kind::rotation, "rotation", "", "rotation of the shape from the body axes")
                      .defaults("[1, 0, 0, 0]")});
      return SolidType{name, std::move(own)};
    };
    return std::vector<SolidType>{
        placed("box", {Parameter::make(Kind::vector3, "size", "m", "edges").positive().must()}),
        placed("cylinder", {positive("radius", "radius"), positive("length", "length along its z axis")}),
        placed("sphere", {positive("radius", "radius")}),
        {"rod",
         {type, Parameter::make(Kind::vector3, "from", "m", "one end, in body axes").must(),
          Parameter::make(Kind::vector3, "to", "m", "the other end").must(), positive("radius", "radius")}},
        placed(
            "stl",
            {Parameter::make(Kind::text, "file", "", "path of the file, from the folder of the case").must(),
             Parameter::make(Kind::real, "scale", "", "factor to metres").positive().defaults("1")})};
  }();
  return types;
}

Solid read_solid(const Parameters& in, const Value& value) {
  std::vector<std::string> names;
  for (const SolidType& one : solid_types()) names.push_back(one.name);
  const Value* type = value.is_map() ? value.find("type") : nullptr;
  if (type == nullptr || !type->is_scalar())
    throw Error(value.where, "a shape is a map with a 'type' (box, cylinder, sphere, rod, stl), found " +
                                 value.described());
  const auto kind = std::ranges::find(solid_types(), type->text, &SolidType::name);
  if (kind == solid_types().end())
    throw Error(type->where, "unknown shape " + in_quotes(type->text) + did_you_mean(type->text, names));
  const Parameters p = in.map(value, kind->parameters);
  Solid solid;
  if (kind->name == "rod") {
    solid.shape = Rod{p.vector3("from"), p.vector3("to"), p.real("radius")};
    return solid;
  }
  solid.R_BS = p.rotation("rotation");
  solid.p_BS_B = p.vector3("at");
  if (kind->name == "box") {
    solid.shape = Box{p.vector3("size")};
  } else if (kind->name == "sphere") {
    solid.shape = Sphere{p.real("radius")};
  } else if (kind->name == "cylinder") {
    solid.shape = Cylinder{p.real("radius"), p.real("length")};
  } else {
    const std::string path = path_of_named_file(p.text("file"), p.where("file"));
    solid.shape = read_stl(path, p.real("scale"), p.where("file"));
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

std::vector<Parameter> shape_parameters() {
  std::vector<Parameter> all;
  std::vector<std::string> names;
  const auto& types = solid_types();
  for (const SolidType& type : types) {
    names.push_back(type.name);
    for (const Parameter& p : type.parameters)
      if (std::ranges::find(all, p.name, &Parameter::name) == all.end()) all.push_back(p);
  }
  for (Parameter& p : all) {
    std::string kinds;
    std::size_t count = 0;
    for (const SolidType& type : types)
      if (std::ranges::find(type.parameters, p.name, &Parameter::name) != type.parameters.end())
        kinds += (count++ == 0 ? "" : ", ") + type.name;
    if (count == types.size()) continue;
    p.required = false;
    p.doc = kinds + ": " + p.doc;
  }
  const auto type = std::ranges::find(all, "type", &Parameter::name);
  type->kind = Kind::choice;
  type->choices = names;
  std::rotate(all.begin(), type, type + 1);
  return all;
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
