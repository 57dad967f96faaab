#include "section_input.hpp"

#include <fmt/format.h>

#include "section_shape.hpp"
#include "trammel/error.hpp"

namespace trammel::beam {

namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> stiffness_parameters() {
  return {Parameter::make(Kind::real, "EA", "N", "axial stiffness").positive().must(),
          Parameter::make(Kind::reals, "GA", "N", "shear stiffness along t2 and t3, shear factors included")
              .must(),
          Parameter::make(Kind::real, "GJ", "N m^2", "torsional stiffness").positive().must(),
          Parameter::make(Kind::reals, "EI", "N m^2", "bending stiffness about t2 and t3").must()};
}

std::vector<Parameter> mass_parameters() {
  return {
      Parameter::make(Kind::real, "rhoA", "kg/m", "mass per length").not_negative().must(),
      Parameter::make(Kind::any, "J", "kg m",
                      "rotary inertia per length about the origin of the triad: [J1, J2, J3] or three rows")
          .defaults("[0, 0, 0]"),
      Parameter::make(Kind::vector3, "centre", "m", "centre of mass of the section, in its axes")
          .defaults("[0, 0, 0]")};
}

std::vector<Parameter> material_parameters() {
  return {Parameter::make(Kind::real, "E", "Pa", "Young's modulus").positive().must(),
          Parameter::make(Kind::real, "nu", "", "Poisson's ratio; with G, of the shear factors only")
              .between(-0.999, 0.5),
          Parameter::make(Kind::real, "G", "Pa", "shear modulus; E / (2 (1 + nu)) where absent").positive(),
          Parameter::make(Kind::real, "rho", "kg/m^3", "density").not_negative().defaults("0")};
}

std::vector<Parameter> shape_parameters() {
  return {Parameter::make(Kind::choice, "type", "", "shape of the section")
              .one_of({"rectangle", "circle", "tube", "i_section"})
              .must(),
          Parameter::make(Kind::real, "width", "m", "along t2: rectangle, i_section").positive(),
          Parameter::make(Kind::real, "height", "m", "along t3: rectangle, i_section").positive(),
          Parameter::make(Kind::real, "radius", "m", "outer radius: circle, tube").positive(),
          Parameter::make(Kind::real, "wall", "m", "thickness of the wall: tube").positive(),
          Parameter::make(Kind::real, "flange", "m", "thickness of the flanges: i_section").positive(),
          Parameter::make(Kind::real, "web", "m", "thickness of the web: i_section").positive()};
}

std::vector<Parameter> one_section() {
  return {Parameter::make(Kind::any, "stiffness", "", "{EA, GA, GJ, EI}, or the 6x6 matrix as six rows")
              .with(stiffness_parameters()),
          Parameter::make(Kind::any, "mass", "", "{rhoA, J, centre}, or the 6x6 matrix as six rows")
              .with(mass_parameters()),
          Parameter::make(Kind::map, "shape", "", "rectangle, circle, tube or i_section")
              .with(shape_parameters()),
          Parameter::make(Kind::map, "material", "", "of the shape").with(material_parameters()),
          Parameter::make(Kind::reals, "shear_factors", "", "along t2 and t3, in place of Cowper's"),
          Parameter::make(Kind::real, "torsion_constant", "m^4", "in place of Saint-Venant's").positive()};
}

std::vector<Parameter> one_station() {
  std::vector<Parameter> known = one_section();
  known.push_back(Parameter::make(Kind::real, "at", "", "fraction of the length").between(0, 1).must());
  return known;
}

Eigen::Vector2d pair(const Parameters& in, std::string_view name) {
  const std::vector<double> list = in.reals(name);
  if (list.size() != 2)
    throw Error(in.where(name),
                fmt::format("'{}' must be a list of two numbers (along or about t2 and t3), found {}", name,
                            list.size()));
  for (const double x : list)
    if (!(x > 0)) throw Error(in.where(name), fmt::format("'{}' must be positive, found {}", name, x));
  return {list[0], list[1]};
}

Mat6 read_stiffness(const Parameters& in) {
  const Value& value = *in.value("stiffness");
  if (value.is_sequence()) return in.matrix("stiffness", 6, 6);
  const Parameters k = in.map(value, stiffness_parameters());
  return diagonal_stiffness(k.real("EA"), pair(k, "GA"), k.real("GJ"), pair(k, "EI"));
}

SectionMass read_mass(const Parameters& in) {
  const Value& value = *in.value("mass");
  if (value.is_sequence()) return mass_from_matrix(in.matrix("mass", 6, 6));
  const Parameters m = in.map(value, mass_parameters());
  SectionMass mass;
  mass.density = m.real("rhoA");
  mass.first = mass.density * m.vector3("centre");
  const Value& J = *m.value("J");
  const bool rows = J.is_sequence() && !J.items.empty() && J.items.front().is_sequence();
  mass.inertia = rows ? Mat3(m.matrix("J", 3, 3)) : Mat3(m.vector3("J").asDiagonal());
  if (!mass.inertia.isApprox(mass.inertia.transpose(), 1e-9))
    throw Error(m.where("J"), "'J' must be symmetric");
  return mass;
}

ShapeConstants read_shape(const Parameters& shape, double nu) {
  const std::string type = shape.text("type");
  const auto need = [&](std::initializer_list<const char*> names) {
    for (const char* name : {"width", "height", "radius", "wall", "flange", "web"}) {
      const bool wanted = std::find_if(names.begin(), names.end(), [&](const char* n) {
                            return std::string_view(n) == name;
                          }) != names.end();
      if (wanted && !shape.has(name)) throw Error(shape.where(), fmt::format("a {} needs '{}'", type, name));
      if (!wanted && shape.has(name))
        throw Error(shape.where(name), fmt::format("a {} has no '{}'", type, name));
    }
  };
  if (type == "rectangle") {
    need({"width", "height"});
    return rectangle(shape.real("width"), shape.real("height"), nu);
  }
  if (type == "circle") {
    need({"radius"});
    return circle(shape.real("radius"), nu);
  }
  if (type == "tube") {
    need({"radius", "wall"});
    if (shape.real("wall") > shape.real("radius"))
      throw Error(shape.where("wall"), fmt::format("the wall of a tube, {}, is thicker than its radius, {}",
                                                   shape.real("wall"), shape.real("radius")));
    return tube(shape.real("radius"), shape.real("wall"), nu);
  }
  need({"width", "height", "flange", "web"});
  if (2 * shape.real("flange") >= shape.real("height"))
    throw Error(shape.where("flange"), "the flanges of an i_section fill its height");
  if (shape.real("web") > shape.real("width"))
    throw Error(shape.where("web"), "the web of an i_section is wider than its flanges");
  return i_section(shape.real("width"), shape.real("height"), shape.real("flange"), shape.real("web"), nu);
}

Material read_material(const Parameters& in) {
  Material m;
  m.E = in.real("E");
  m.rho = in.real("rho");
  if (!in.has("nu") && !in.has("G")) throw Error(in.where(), "a material needs 'nu' or 'G'");
  m.nu = in.has("nu") ? in.real("nu") : m.E / (2 * in.real("G")) - 1;
  m.G = in.has("G") ? in.real("G") : m.E / (2 * (1 + m.nu));
  return m;
}

Section read_one(const Parameters& in) {
  Section section;
  const bool shaped = in.has("shape");
  if (shaped) {
    if (!in.has("material")) throw Error(in.where(), "a section with a 'shape' needs a 'material'");
    if (in.has("stiffness"))
      throw Error(in.where("stiffness"), "a section has either a 'shape' or a 'stiffness', not both");
    const Material material = read_material(in.map("material"));
    ShapeConstants shape = read_shape(in.map("shape"), material.nu);
    if (in.has("shear_factors")) {
      const Eigen::Vector2d k = pair(in, "shear_factors");
      shape.k2 = k[0];
      shape.k3 = k[1];
    }
    if (in.has("torsion_constant")) shape.torsion = in.real("torsion_constant");
    section = make_section(shape, material);
  } else {
    if (!in.has("stiffness"))
      throw Error(in.where(), "a section needs a 'stiffness', or a 'shape' and a 'material'");
    for (const char* name : {"material", "shear_factors", "torsion_constant"})
      if (in.has(name))
        throw Error(in.where(name), fmt::format("'{}' belongs to a section with a 'shape'", name));
    section.stiffness = read_stiffness(in);
  }
  if (in.has("mass")) section.mass = read_mass(in);
  return section;
}

Section read_checked(const Parameters& in) {
  try {
    const Section section = read_one(in);
    validate(section, "section");
    return section;
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where(), e.what());
  }
}

}  // namespace

std::vector<Parameter> section_parameters() {
  std::vector<Parameter> known = one_section();
  known.push_back(
      Parameter::make(Kind::list, "stations", "",
                      "sections along the span, linear between: [{at: 0, ...}, ..., {at: 1, ...}]"));
  return known;
}

SectionAlongSpan read_section(const Parameters& in, std::string_view name) {
  const Value& value = *in.value(name);
  if (value.is_scalar())
    throw Error(value.where,
                fmt::format("section '{}' not found: a section is a map, or the name of one under "
                            "'sections'",
                            value.text));
  const Parameters section = in.map(value, section_parameters());
  if (!section.has("stations")) return SectionAlongSpan(read_checked(section));
  for (const Parameter& p : one_section())
    if (section.has(p.name))
      throw Error(section.where(p.name),
                  fmt::format("'{}' stands beside 'stations': give it at each station", p.name));
  std::vector<std::pair<double, Section>> stations;
  for (const Value& item : section.value("stations")->items) {
    const Parameters station = in.map(item, one_station());
    stations.emplace_back(station.real("at"), read_checked(station));
  }
  try {
    return SectionAlongSpan(std::move(stations));
  } catch (const Error& e) {
    throw Error(section.where("stations"), e.what());
  }
}

}  // namespace trammel::beam
