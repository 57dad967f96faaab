#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <fmt/format.h>
#include <Eigen/QR>

#include "formula_joint.hpp"
#include "trammel/builder.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/number_text.hpp"
#include "trammel/plugin.hpp"
#include "trammel/quoted.hpp"

namespace trammel::formula {
namespace {

using Kind = Parameter::Kind;

constexpr double closing_tolerance = 1e-6;  // of the model's length, or of an equation's size

const std::vector<Parameter>& coordinate_keys() {
  static const std::vector<Parameter> keys{
      Parameter::make(Kind::any, "measures", "", "length, angle, or a number: a size that is typical of it")
          .must(),
      Parameter::make(Kind::text, "unit", "", "of one that measures neither a length nor an angle"),
      Parameter::make(Kind::real, "start", "", "value where the bodies stand at the start").defaults("0")};
  return keys;
}

const std::vector<Parameter>& equation_keys() {
  static const std::vector<Parameter> keys{
      Parameter::make(Kind::any, "zero", "", "expression that the joint keeps at zero"),
      Parameter::make(Kind::any, "gap", "",
                      "in place of `zero`, at position level: expression that the joint keeps from falling "
                      "below zero, by pressing only"),
      Parameter::make(Kind::any, "measures", "",
                      "length or angle (position level), velocity or spin (velocity level), or a number: a "
                      "size that is typical of it")};
  return keys;
}

/// One of the words, or the size of what is none of them.
Measure read_measure(const Parameters& in, const Value& value,
                     const std::vector<std::pair<std::string, Dimension>>& words) {
  std::vector<std::string> names;
  std::string list;
  for (const auto& [word, dimension] : words) {
    if (value.is_scalar() && value.text == word) return {dimension, 1};
    names.push_back(word);
    list += word + ", ";
  }
  const std::string expected = "expected " + list + "or a number: a size that is typical of it";
  if (!value.is_scalar())
    throw Error(value.where, "'measures': " + expected + "; found " + value.described());
  if (nearest_name(value.text, names))
    throw Error(value.where,
                "'measures': unknown word " + in_quotes(value.text) + did_you_mean(value.text, names));
  double size = 0;
  try {
    size = in.real(value);
  } catch (const Error& error) {
    throw Error(value.where, "'measures': " + expected + "; " + error.what());
  }
  if (!(size > 0))
    throw Error(value.where, fmt::format("'measures': a typical size must be positive, found {:.6g}", size));
  return Measure::nominal(size);
}

/// The names that a joint gives to numbers, each once.
class OwnNames {
 public:
  explicit OwnNames(const FormulaReader& reader) : reader_(reader) {}

  void take(const std::string& name, const std::string& what, const Location& where) {
    static const std::map<std::string, std::string> taken{
        {"p", "the position of B"},         {"R", "the rotation of B"}, {"v", "the velocity of B"},
        {"w", "the angular velocity of B"}, {"c", "the coordinates"},   {"t", "time"}};
    if (const auto at = taken.find(name); at != taken.end())
      throw Error(where, what + " " + in_quotes(name) + ": the name belongs to " + at->second);
    try {
      reader_.check_name(name, where);
    } catch (const Error& error) {
      throw Error(where, what + " " + error.what());
    }
    const auto [at, is_new] = owners_.emplace(name, what);
    if (!is_new)
      throw Error(where, what + " " + in_quotes(name) + ": a " + at->second + " has that name already");
  }

 private:
  const FormulaReader& reader_;
  std::map<std::string, std::string> owners_;
};

/// A coordinate as the case describes it.
struct CoordinateStart {
  Coordinate coordinate;
  Measure measure;
  double value = 0;
  Location where;
};

std::vector<CoordinateStart> read_coordinates(const Parameters& in, OwnNames& names) {
  std::vector<CoordinateStart> all;
  const Value* map = in.value("coordinates");
  if (map == nullptr) return all;
  for (const Value::Entry& entry : map->entries) {
    names.take(entry.key, "coordinate", entry.where);
    names.take(entry.key + "_rate", "rate of a coordinate", entry.where);
    if (!entry.value.is_map())
      throw Error(entry.value.where, "coordinate " + in_quotes(entry.key) +
                                         ": expected a map such as {measures: length, start: 0}, found " +
                                         entry.value.described());
    const Parameters of = in.map(entry.value, coordinate_keys());
    CoordinateStart c;
    c.where = entry.where;
    c.measure =
        read_measure(in, *of.value("measures"), {{"length", Dimension::length}, {"angle", Dimension::angle}});
    const bool nominal = c.measure.dimension == Dimension::nominal;
    if (of.has("unit") && !nominal)
      throw Error(of.where("unit"),
                  fmt::format("coordinate '{}' measures {}, so its unit is {}", entry.key,
                              c.measure.is_length() ? "a length" : "an angle", c.measure.unit()));
    c.coordinate = {entry.key, !nominal ? c.measure.unit() : of.has("unit") ? of.text("unit") : ""};
    c.value = of.real("start");
    all.push_back(std::move(c));
  }
  return all;
}

std::vector<std::pair<std::string, double>> read_constants(const Parameters& in, OwnNames& names,
                                                           const FormulaReader& reader) {
  FormulaNames known;
  const Value* map = in.value("parameters");
  if (map == nullptr) return {};
  for (const Value::Entry& entry : map->entries) {
    names.take(entry.key, "parameter", entry.where);
    const double value = reader.formula(entry.value, known)->value({});
    known.constants.emplace_back(entry.key, value);
  }
  return known.constants;
}

/// The equations of one joint by their level, in the order of the case.
struct EquationLists {
  std::vector<Equations::Equation> position, velocity;
};

EquationLists read_equations(const Parameters& in, const FormulaReader& reader, const FormulaNames& names,
                             const Variables& variables) {
  EquationLists all;
  const Value& list = *in.value("equations");
  if (list.items.empty()) throw Error(list.where, "the joint has no equation; give at least one");
  int number = 0;
  for (const Value& item : list.items) {
    const Parameters of = in.map(item, equation_keys());
    const std::string name = fmt::format("equation {}", ++number);
    Equations::Equation equation;
    equation.is_gap = of.has("gap");
    if (equation.is_gap == of.has("zero"))
      throw Error(item.where,
                  name + (equation.is_gap ? " has both `zero` and `gap`: give one of them"
                                          : ": 'zero' is missing: expression that the joint keeps "
                                            "at zero (or `gap`, which it keeps from falling below)"));
    try {
      equation.formula = reader.formula(*of.value(equation.is_gap ? "gap" : "zero"), names);
    } catch (const Error& error) {
      throw Error(error.where(), name + ": " + error.what());
    }
    const Formula& f = *equation.formula;
    if (!of.has("measures"))
      throw Error(item.where, name +
                                  " has no dimension: give `measures: length` or `angle` (position level), "
                                  "`velocity` or `spin` (velocity level), or a number that is typical of it");
    equation.measure = read_measure(in, *of.value("measures"),
                                    {{"length", Dimension::length},
                                     {"angle", Dimension::angle},
                                     {"velocity", Dimension::velocity},
                                     {"spin", Dimension::spin}});
    const auto velocity =
        std::ranges::find_if(f.variables(), [&](int k) { return variables.is_velocity(k); });
    const bool reads_velocity = velocity != f.variables().end();
    const Dimension d = equation.measure.dimension;
    const bool at_position = d == Dimension::length || d == Dimension::angle;
    const bool at_velocity = d == Dimension::velocity || d == Dimension::spin;
    if (at_position && reads_velocity)
      throw Error(
          f.where(),
          fmt::format("{} stands at position level, since it measures {}, and cannot read the velocity "
                      "'{}'; an equation of velocities measures `velocity` or `spin`",
                      name, d == Dimension::length ? "a length" : "an angle",
                      names.variables[static_cast<std::size_t>(*velocity)]));
    if (at_velocity && !reads_velocity)
      throw Error(f.where(), fmt::format("{} stands at velocity level, since it measures a {}, but reads no "
                                         "velocity: v.x to w.z, or the rate of a coordinate",
                                         name, d == Dimension::velocity ? "velocity" : "spin"));
    if (equation.is_gap && (at_velocity || reads_velocity))
      throw Error(f.where(), name +
                                 " is a gap, which stands at position level: it reads no velocity, and "
                                 "measures `length`, `angle` or a number");
    const bool varies = std::ranges::any_of(f.variables(), [](int k) { return k != Variables::t; });
    if (!varies)
      throw Error(f.where(),
                  fmt::format("{} reads neither p, R, v or w nor a coordinate, so the joint cannot "
                              "fulfil it",
                              name));
    (at_velocity || reads_velocity ? all.velocity : all.position).push_back(std::move(equation));
  }
  return all;
}

void check_counts(const Parameters& in, const EquationLists& lists,
                  const std::vector<CoordinateStart>& coordinates, const Variables& variables,
                  bool rotation) {
  const auto gaps = static_cast<std::size_t>(
      std::ranges::count_if(lists.position, [](const Equations::Equation& e) { return e.is_gap; }));
  const std::size_t equations = lists.position.size() + lists.velocity.size() - gaps;
  const std::size_t relative = rotation ? 6 : 3;
  if (coordinates.size() > equations)
    throw Error(in.where("equations"),
                fmt::format("{} for {}: each coordinate needs an equation that defines it",
                            equations == 1 ? "1 equation" : fmt::format("{} equations", equations),
                            fmt::format("{} coordinates", coordinates.size())));
  if (equations > relative + coordinates.size())
    throw Error(
        in.where("equations"),
        fmt::format("{} equations, but {}{} leave only {} motions to hold", equations,
                    rotation ? "a position and a rotation" : "a position alone (no equation reads R or w)",
                    coordinates.empty() ? "" : fmt::format(" and {} of its own", coordinates.size()),
                    relative + coordinates.size()));
  for (int k = 0; k < variables.coordinates; ++k) {
    const auto reads = [&](const Equations::Equation& e) {
      return e.formula->reads(Variables::c + k) || e.formula->reads(variables.rate() + k);
    };
    const CoordinateStart& c = coordinates[static_cast<std::size_t>(k)];
    if (!std::ranges::any_of(lists.position, reads) && !std::ranges::any_of(lists.velocity, reads))
      throw Error(c.where, "no equation reads the coordinate " + in_quotes(c.coordinate.name));
  }
}

/// Values of what an equation reads, for messages: "p.x = 0, t = 0".
std::string values_read(const Formula& f, const std::vector<std::string>& names,
                        std::span<const double> values) {
  std::string text;
  for (const int k : f.variables()) {
    const auto i = static_cast<std::size_t>(k);
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", names[i], values[i]);
  }
  return text;
}

/// Throws Error where an equation, or a derivative of it, is not finite at the start.
void check_finite(const Formula& f, const std::vector<std::string>& names, std::span<const double> values) {
  const std::size_t n = f.variables().size();
  std::vector<double> gradient(n), hessian(n * (n + 1) / 2);
  const double value = f.evaluate(values, gradient.data(), hessian.data());
  const auto finite = [](double d) { return std::isfinite(d); };
  if (!std::isfinite(value))
    throw Error(f.where(), fmt::format("{} is {} at the start, with {}", in_quotes(f.text()),
                                       number_text(value), values_read(f, names, values)));
  // Beside a derivative that is infinite others may be nan.
  auto bad = std::ranges::find_if(gradient, [](double d) { return std::isinf(d); });
  if (bad == gradient.end()) bad = std::ranges::find_if_not(gradient, finite);
  if (bad != gradient.end())
    throw Error(
        f.where(),
        fmt::format(
            "the derivative of {} by {} is {} at the start, with {}", in_quotes(f.text()),
            names[static_cast<std::size_t>(f.variables()[static_cast<std::size_t>(bad - gradient.begin())])],
            number_text(*bad), values_read(f, names, values)));
  if (!std::ranges::all_of(hessian, finite))
    throw Error(f.where(), fmt::format("a second derivative of {} is not finite at the start, with {}",
                                       in_quotes(f.text()), values_read(f, names, values)));
}

/// Throws Error where an equation at velocity level is not linear in velocities: where its derivatives by them are not the
/// same at random velocities and their opposites.
void check_linear(const Formula& f, const Variables& variables, const std::vector<std::string>& names,
                  std::span<const double> values) {
  const std::size_t n = f.variables().size();
  std::vector<double> at(values.begin(), values.end()), first, gradient(n);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int attempt = 0; attempt < 4; ++attempt) {
    for (const int k : f.variables()) {
      double& velocity = at[static_cast<std::size_t>(k)];
      if (variables.is_velocity(k)) velocity = attempt % 2 == 0 ? number(random) : -velocity;
    }
    f.evaluate(at, gradient.data());
    if (first.empty()) first = gradient;
    for (std::size_t i = 0; i < n; ++i) {
      if (!variables.is_velocity(f.variables()[i])) continue;
      if (std::abs(gradient[i] - first[i]) <= 1e-10 * std::max(std::abs(gradient[i]), std::abs(first[i])))
        continue;
      throw Error(
          f.where(),
          fmt::format("{} is not linear in velocities: its derivative by {} is {} at some and {} at others",
                      in_quotes(f.text()), names[static_cast<std::size_t>(f.variables()[i])],
                      number_text(first[i]), number_text(gradient[i])));
    }
  }
}

void check_closed(const Parameters& in, const Equations& equations, const RelativeValues& x, double length) {
  if (in.flag("assemble")) return;
  for (const Equations::Equation& e : equations.position()) {
    const double size = e.measure.dimension == Dimension::nominal ? e.measure.size : std::max(1.0, length);
    const double C = e.formula->value(x.span());
    if ((e.is_gap ? -C : std::abs(C)) <= closing_tolerance * size) continue;
    const std::string unit = e.measure.unit();
    throw Error(e.formula->where(),
                fmt::format("the joint {} at the start: {} is {:.6g}{}; correct the positions or the start "
                            "of coordinates, or give `assemble: yes` and a stage of type assemble",
                            e.is_gap ? "penetrates" : "is open", in_quotes(e.formula->text()), C,
                            unit.empty() ? unit : " " + unit));
  }
}

/// Rates of the coordinates that the equations ask for with this relative twist, of least norm.
std::vector<double> start_rates(const Equations& equations, const RelativeValues& at_rest,
                                const Vec6& twist) {
  const int nc = equations.coordinates();
  const JointTermsView C = equations.position_terms(at_rest, false);
  const VelocityTerms e = equations.velocity_terms(at_rest, false);
  Eigen::MatrixXd G(C.equations + e.equations, 6 + nc);
  Eigen::VectorXd off(G.rows());
  for (int i = 0; i < C.equations; ++i) {
    if (equations.position()[static_cast<std::size_t>(i)].is_gap) {
      G.row(i).setZero();
      off[i] = 0;
      continue;
    }
    G.row(i) = Eigen::Map<const Eigen::RowVectorXd>(C.G + i * (6 + nc), 6 + nc);
    off[i] = C.C_t[i];
  }
  for (int i = 0; i < e.equations; ++i) {
    G.row(C.equations + i) = Eigen::Map<const Eigen::RowVectorXd>(e.row(e.A, i), 6 + nc);
    off[C.equations + i] = e.e[i];
  }
  off += G.leftCols<6>() * twist;
  const Eigen::MatrixXd by_c = G.rightCols(nc);
  const Eigen::VectorXd rates = -by_c.completeOrthogonalDecomposition().solve(off);
  return {rates.begin(), rates.end()};
}

std::vector<Row> rows_of(const std::vector<Equations::Equation>& equations) {
  std::vector<Row> rows;
  for (const Equations::Equation& e : equations)
    rows.push_back({.measure = e.measure, .law = e.is_gap ? RowLaw::unilateral : RowLaw::equality});
  return rows;
}

/// x, y and z of what is drawn; null where the case does not give it.
std::array<FormulaPtr, 3> read_components(const Parameters& in, const char* key, const FormulaReader& reader,
                                          FormulaNames names, std::vector<std::string> variables) {
  const Value* list = in.value(key);
  if (list == nullptr) return {};
  if (list->items.size() != 3)
    throw Error(list->where, fmt::format("'{}' is a list of three expressions, x, y and z in the axes of A; "
                                         "found {}",
                                         key, list->described()));
  names.variables = std::move(variables);
  return {reader.formula(list->items[0], names), reader.formula(list->items[1], names),
          reader.formula(list->items[2], names)};
}

void build(const Parameters& in, Builder& builder) {
  const FormulaReader& reader = formula_reader(in.context(), in.where());
  OwnNames own(reader);
  const std::vector<CoordinateStart> starts = read_coordinates(in, own);
  FormulaNames names;
  names.constants = read_constants(in, own, reader);
  std::vector<std::string> coordinate_names;
  for (const CoordinateStart& c : starts) coordinate_names.push_back(c.coordinate.name);
  names.variables = Variables::names(coordinate_names);
  const Variables variables{static_cast<int>(starts.size())};
  EquationLists lists = read_equations(in, reader, names, variables);
  auto drawing =
      std::make_shared<const Drawing>(Drawing{read_components(in, "surface", reader, names, {"u", "v"}),
                                              read_components(in, "curve", reader, names, {"u"})});
  const auto equations = [&] {
    EquationLists copy = lists;
    return std::make_shared<const Equations>(variables.coordinates, std::move(copy.position),
                                             std::move(copy.velocity));
  }();
  const bool rotation = equations->reads_rotation();
  check_counts(in, lists, starts, variables, rotation);

  JointSite site = read_joint_site(in, builder, {JointAxes::own, false, rotation});
  const RelativeStart start = relative_start(builder, site);
  std::vector<double> values;
  std::vector<double> rates(starts.size(), 0.0);
  for (const CoordinateStart& c : starts) values.push_back(c.value);
  const auto state = [&](const Vec6& twist) {
    return RelativeValues(variables, start.R_AB, start.p_AB_A, &twist, values.data(), rates.data(), 0);
  };
  const Vec6 no_twist = Vec6::Zero();
  for (const std::vector<Equations::Equation>* level : {&lists.position, &lists.velocity})
    for (const Equations::Equation& e : *level)
      check_finite(*e.formula, names.variables, state(start.twist).span());
  for (const Equations::Equation& e : lists.velocity)
    check_linear(*e.formula, variables, names.variables, state(start.twist).span());
  check_closed(in, *equations, state(no_twist), builder.length());
  if (!starts.empty()) rates = start_rates(*equations, state(no_twist), start.twist);

  std::vector<BlockId> stencil = site.blocks();
  std::vector<Coordinate> coordinates;
  if (!starts.empty()) {
    std::vector<Measure> measures;
    for (const CoordinateStart& c : starts) {
      measures.push_back(c.measure);
      coordinates.push_back(c.coordinate);
    }
    const BlockId block =
        builder.add_coordinates("coordinates", values, rates, measures, coordinates.front().unit);
    int k = 0;
    for (const Coordinate& c : coordinates) builder.offer_coordinate(c.name, c.unit, block, k++);
    stencil.push_back(block);
  }
  if (!lists.position.empty())
    stencil.push_back(builder.add_multiplier("multipliers", rows_of(lists.position)));
  if (!lists.velocity.empty())
    stencil.push_back(builder.add_velocity_multiplier("velocity_multipliers", rows_of(lists.velocity)));
  builder.add(FormulaJoint(std::move(site), equations,
                           std::make_shared<const std::vector<Coordinate>>(std::move(coordinates)),
                           std::move(drawing)),
              std::move(stencil));
}

}  // namespace
}  // namespace trammel::formula

TRAMMEL_PLUGIN("formula", "0.1") {
  using namespace trammel;
  using Kind = Parameter::Kind;
  Type type = joint_type(
      "formula", "keeps expressions of the relative motion of two markers at zero",
      {JointAxes::own, false, false},
      {Parameter::make(Kind::map, "parameters", "",
                       "named numbers, each of those before it: {a: 0.5, b: 2*a}"),
       Parameter::make(Kind::map, "coordinates", "",
                       "coordinates of the joint's own: {s: {measures: length, start: 0}}"),
       Parameter::make(Kind::list, "equations", "",
                       "expressions of p, R, v, w, t and coordinates, each with what it measures: "
                       "{zero: p.z - p.x^2, measures: length}")
           .must()
           .such_as("[{zero: p.z - p.x^2 - 0.7*p.y^2, measures: length}]"),
       Parameter::make(Kind::list, "surface", "m",
                       "drawn in the axes of A: x, y and z by u and v, each from 0 to 1")
           .such_as("[u, v, u^2 + 0.7*v^2]"),
       Parameter::make(Kind::list, "curve", "m", "likewise: x, y and z by u").such_as("[u, 0, u^2]")},
      formula::build);
  registry.add(std::move(type));
}
