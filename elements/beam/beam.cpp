#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "axis_input.hpp"
#include "beam_element.hpp"
#include "beam_point.hpp"
#include "beam_signals.hpp"
#include "section_input.hpp"
#include "trammel/builder.hpp"
#include "trammel/elastic_line.hpp"
#include "trammel/material_line.hpp"
#include "trammel/plugin.hpp"

namespace trammel::beam {
namespace {

using Kind = Parameter::Kind;

/// The nodes of a beam: frames at section triads, from start to end, and their arc lengths [m].
struct Chain {
  std::vector<Frame> nodes;
  std::vector<double> s;
};

std::vector<Parameter> parameters() {
  std::vector<Parameter> known{
      Parameter::make(Kind::any, "section", "",
                      "name of a section, or {stiffness, mass}, or {shape, material}, or {stations}")
          .such_as("{stiffness: {EA: 2e6, GA: [8e5, 8e5], GJ: 80, EI: [100, 100]}, mass: {rhoA: 1}}")
          .with(section_parameters())
          .must()};
  for (Parameter& p : axis_parameters()) known.push_back(std::move(p));
  std::vector<Parameter> rest{
      Parameter::make(Kind::integer, "elements", "", "number of finite elements")
          .between(1, 1e8)
          .defaults("10"),
      Parameter::make(Kind::reals, "nodes", "",
                      "fractions of the length where the nodes stand, in place of `elements`"),
      Parameter::make(
          Kind::choice, "bending", "",
          "moment within an element: constant, or linear, which is exact under forces at nodes "
          "while rotations are small; where nothing is said, linear if a joint slides along the beam")
          .one_of({"constant", "linear"}),
      Parameter::make(Kind::any, "damping", "s",
                      "stiffness-proportional: a time, or six of them for (Gamma1..3, kappa1..3)")
          .defaults("0"),
      Parameter::make(Kind::vector3, "velocity", "m/s", "of the start, at t = 0, in world axes")
          .defaults("[0, 0, 0]"),
      Parameter::make(Kind::vector3, "angular_velocity", "rad/s",
                      "of the whole beam as a rigid body, at t = 0, in "
                      "world axes")
          .defaults("[0, 0, 0]")};
  for (Parameter& p : rest) known.push_back(std::move(p));
  return known;
}

std::vector<double> read_nodes(const Parameters& in) {
  if (in.has("nodes")) {
    if (in.has("elements"))
      throw Error(in.where("nodes"), "the mesh is given twice, by 'elements' and by 'nodes'");
    return in.reals("nodes");
  }
  const int n = in.integer("elements");
  std::vector<double> fractions;
  fractions.reserve(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i <= n; ++i) fractions.push_back(static_cast<double>(i) / n);
  return fractions;
}

Damping read_damping(const Parameters& in) {
  Damping damping;
  const Value& value = *in.value("damping");
  if (value.is_sequence()) {
    const std::vector<double> times = in.reals("damping");
    if (times.size() != 6)
      throw Error(in.where("damping"),
                  fmt::format("'damping' must be one time or six, found {}", times.size()));
    std::ranges::copy(times, damping.times.data());
  } else {
    damping.times.setConstant(in.real(value));
  }
  if (!damping.times.allFinite() || damping.times.minCoeff() < 0)
    throw Error(in.where("damping"), "'damping' must not be negative");
  return damping;
}

bool says(const Parameters& in, const char* bending) {
  return in.has("bending") && in.text("bending") == bending;
}

Discretization read_discretization(const Parameters& in, const SectionAlongSpan& section) {
  const std::unique_ptr<Axis> axis = read_axis(in);
  try {
    return discretize(*axis, section, read_damping(in), read_nodes(in), says(in, "linear"));
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where(in.has("nodes") ? "nodes" : "elements"), e.what());
  }
}

std::string six_rows(const char* title, const Mat6& matrix) {
  std::string text = fmt::format("{}\n", title);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) text += fmt::format(" {:13.6g}", matrix(i, j));
    text += '\n';
  }
  return text;
}

/// The 6x6 matrices that a section came to, about the origin and in the axes of its triad.
std::string description(const SectionAlongSpan& span) {
  std::string text;
  for (const auto& [at, section] : span.stations()) {
    if (!span.constant()) text += fmt::format("at {} of the length\n", at);
    text += six_rows("stiffness: (N1, N2, N3, M1, M2, M3) by (Gamma1..3, kappa1..3) [N, N m, N m^2]",
                     section.stiffness);
    text += six_rows("mass: momentum by velocity and angular velocity [kg/m, kg, kg m]",
                     mass_matrix(section.mass));
  }
  return text;
}

std::vector<Frame> add_nodes(const Discretization& beam, const Parameters& in, Builder& builder) {
  const Vec3 v = in.vector3("velocity");
  const Vec3 w = in.vector3("angular_velocity");
  const Vec3& start = beam.nodes.front().p;
  std::vector<Frame> frames;
  frames.reserve(beam.nodes.size());
  for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
    const Pose& X = beam.nodes[i];
    const std::string name = i == 0                       ? "start"
                             : i + 1 == beam.nodes.size() ? "end"
                                                          : "node " + std::to_string(i + 1);
    frames.push_back(builder.add_frame(name, X.R, X.p, v + w.cross(X.p - start), X.R.transpose() * w));
  }
  return frames;
}

/// The marker at an arc length: a node's frame where it falls on one.
Marker marker_at(const Chain& chain, double s) {
  const double tolerance = 1e-12 * chain.s.back();
  const auto next = std::upper_bound(chain.s.begin() + 1, chain.s.end() - 1, s);
  const auto k = static_cast<std::size_t>(next - chain.s.begin());
  if (std::abs(s - chain.s[k - 1]) <= tolerance) return Marker::on_frame(chain.nodes[k - 1]);
  if (std::abs(s - chain.s[k]) <= tolerance) return Marker::on_frame(chain.nodes[k]);
  const double xi = (s - chain.s[k - 1]) / (chain.s[k] - chain.s[k - 1]);
  return Marker::on_shape(std::make_shared<const BeamPoint>(chain.nodes[k - 1], chain.nodes[k], xi));
}

Marker marker_at_fraction(const Chain& chain, double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw Error(fmt::format("a point of a beam is given by a fraction of its length between 0 and 1, not {}",
                            fraction));
  return marker_at(chain, fraction * chain.s.back());
}

/// In a uniform field the blended mass of an element acts as one point a node.
void offer_masses(const Discretization& beam, const Chain& chain, Builder& builder) {
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    double mass = 0;
    Vec3 first = Vec3::Zero();
    const auto add = [&](const BlendedMass& m, std::size_t end) {
      mass += m.nodal_mass(end);
      first += m.nodal_first(end);
    };
    if (i > 0) add(beam.elements[i - 1]->mass, 1);
    if (i + 1 < chain.nodes.size()) add(beam.elements[i]->mass, 0);
    if (mass > 0) builder.offer_mass(Marker::on_frame(chain.nodes[i], Mat3::Identity(), first / mass), mass);
  }
}

/// Offers the beam's elastic line to sliding joints. Equal elements share one law. If the case does not give the
/// variation of moments along an element, a sliding joint may choose it.
void offer_elastic_line(const Discretization& beam, const Chain& chain, const Parameters& in,
                        Builder& builder) {
  auto line = std::make_shared<ElasticLine>();
  std::vector<std::shared_ptr<ElasticLine::Law>> laws;
  line->nodes = chain.nodes;
  line->s = chain.s;
  line->laws.reserve(beam.elements.size());
  for (std::size_t k = 0; k < beam.elements.size(); ++k) {
    const ElementConstants& e = *beam.elements[k];
    if (k == 0 || beam.elements[k] != beam.elements[k - 1])
      laws.push_back(std::make_shared<ElasticLine::Law>(
          ElasticLine::Law{e.elastic.reference, e.section, says(in, "linear")}));
    line->laws.push_back(laws.back());
  }
  if (!in.has("bending"))
    line->let_moments_vary = [elements = beam.elements, laws] {
      if (laws.front()->linear_moment) return;  // another joint slides along
      for (std::size_t k = 0; k < elements.size(); ++k)
        if (k == 0 || elements[k] != elements[k - 1]) elements[k]->let_moment_vary();
      for (const auto& law : laws) law->linear_moment = true;
    };
  builder.offer("elastic line", std::shared_ptr<const ElasticLine>(std::move(line)));
}

void build(const Parameters& in, Builder& builder) {
  const SectionAlongSpan section = read_section(in, "section");
  const Discretization beam = read_discretization(in, section);
  builder.note("section", [&section] { return description(section); });
  auto chain = std::make_shared<Chain>();
  chain->nodes = add_nodes(beam, in, builder);
  chain->s = beam.s;

  builder.offer_marker("start", Marker::on_frame(chain->nodes.front()));
  builder.offer_marker("end", Marker::on_frame(chain->nodes.back()));
  builder.offer_marker_family("at",
                              [chain](double fraction) { return marker_at_fraction(*chain, fraction); });
  builder.offer("line", std::make_shared<const MaterialLine>(
                            MaterialLine{chain->s, [chain](double s) { return marker_at(*chain, s); }}));
  offer_elastic_line(beam, *chain, in, builder);
  offer_masses(beam, *chain, builder);
  builder.offer<SignalSource>("signals", std::make_shared<const BeamSignals>(beam.elements, chain->nodes));

  const std::size_t count = beam.elements.size();
  for (std::size_t k = 0; k < count; ++k) {
    BeamElement::Place place;
    place.index = static_cast<int>(k);
    place.first = k == 0;
    place.last = k + 1 == count;
    place.s_first = beam.s[k];
    place.pieces = count <= 50 ? 4 : count <= 200 ? 2 : 1;
    const Frame& a = chain->nodes[k];
    const Frame& b = chain->nodes[k + 1];
    builder.add(BeamElement(beam.elements[k], place), {a.position, a.rotation, b.position, b.rotation});
  }
}

void count_unknowns(const Parameters& in, Needs& needs) {
  const std::size_t nodes =
      in.has("nodes") ? in.reals("nodes").size() : static_cast<std::size_t>(in.integer("elements")) + 1;
  needs.unknowns = static_cast<int>(6 * nodes);
}

}  // namespace
}  // namespace trammel::beam

TRAMMEL_PLUGIN("beam", "1.0") {
  registry.add({.name = "beam",
                .category = trammel::Type::Category::body,
                .summary = "a geometrically exact beam of two-node helicoidal elements",
                .parameters = trammel::beam::parameters(),
                .build = trammel::beam::build,
                .needs = trammel::beam::count_unknowns,
                .plugin = {},
                .library = {}});
}
