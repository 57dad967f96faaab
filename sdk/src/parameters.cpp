#include "trammel/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <sstream>
#include <unordered_map>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "flow_text.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

std::string text_of(double x) {
  std::ostringstream text;
  text.precision(10);
  text << x;
  return text.str();
}

/// "'mass' = -1 kg" to begin a message about a number.
std::string with_value(const Parameter& p, double x) {
  return "'" + p.name + "' = " + text_of(x) + (p.unit.empty() ? "" : " " + p.unit);
}

[[noreturn]] void wrong(const Parameter& p, const Value& value, const std::string& expected) {
  throw Error(value.where, "'" + p.name + "' must be " + expected + ", found " + value.described());
}

void check_range(const Parameter& p, double x, const Location& where) {
  if (!std::isfinite(x)) throw Error(where, with_value(p, x) + ": must be finite");
  const bool low = p.least && (p.least_excluded ? !(x > *p.least) : !(x >= *p.least));
  const bool high = p.most && (p.most_excluded ? !(x < *p.most) : !(x <= *p.most));
  if (!low && !high) return;
  std::string range;
  if (p.least && p.most) {
    range = "between " + text_of(*p.least) + (p.least_excluded ? " (excluded)" : "") + " and " +
            text_of(*p.most) + (p.most_excluded ? " (excluded)" : "");
  } else if (p.least) {
    if (*p.least == 0) {
      range = p.least_excluded ? "positive" : "not negative";
    } else {
      range = (p.least_excluded ? "greater than " : "at least ") + text_of(*p.least);
    }
  } else {
    range = (p.most_excluded ? "less than " : "at most ") + text_of(*p.most);
  }
  throw Error(where, with_value(p, x) + ": must be " + range);
}

bool read_flag(const std::string& name, const Value& value) {
  if (value.is_scalar()) {
    for (const char* yes : {"yes", "true", "on"})
      if (value.text == yes) return true;
    for (const char* no : {"no", "false", "off"})
      if (value.text == no) return false;
  }
  throw Error(value.where, "'" + name + "' must be yes or no, found " + value.described());
}

int read_integer(const std::string& name, const Value& value, const ValueContext& context) {
  if (!value.is_scalar())
    throw Error(value.where, "'" + name + "' must be an integer, found " + value.described());
  const double x = context.number(value);
  if (!(std::abs(x) <= 2147483647.0) || x != std::round(x))
    throw Error(value.where, "'" + name + "' must be an integer, found " + value.described() +
                                 (value.text == text_of(x) ? "" : " = " + text_of(x)));
  return static_cast<int>(x);
}

Vec3 read_vector3(const Value& value, const ValueContext& context) {
  if (!value.is_sequence() || value.items.size() != 3)
    throw Error(value.where, "expected a vector [x, y, z], found " + value.described());
  Vec3 v;
  for (int i = 0; i < 3; ++i) v(i) = context.number(value.items[static_cast<std::size_t>(i)]);
  return v;
}

Eigen::MatrixXd read_matrix(const Value& value, const ValueContext& context) {
  if (!value.is_sequence() || value.items.empty())
    throw Error(value.where, "expected a matrix as a list of rows, found " + value.described());
  const auto rows = value.items.size();
  Eigen::MatrixXd m;
  for (std::size_t i = 0; i < rows; ++i) {
    const Value& row = value.items[i];
    if (!row.is_sequence()) throw Error(row.where, "expected a row of numbers, found " + row.described());
    if (i == 0) m.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(row.items.size()));
    if (static_cast<Eigen::Index>(row.items.size()) != m.cols())
      throw Error(row.where, "row " + std::to_string(i + 1) + " has " + std::to_string(row.items.size()) +
                                 " numbers, the first one " + std::to_string(m.cols()));
    for (std::size_t j = 0; j < row.items.size(); ++j)
      m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = context.number(row.items[j]);
  }
  return m;
}

Mat3 read_rotation(const Value& value, const ValueContext& context) {
  if (value.is_map()) {
    static const std::vector<Parameter> known{
        Parameter::make(Parameter::Kind::vector3, "axis", "", "direction of the axis").must(),
        Parameter::make(Parameter::Kind::real, "angle", "rad", "angle about it").must()};
    const Parameters in(value, known, context);
    const Vec3 axis = in.vector3("axis");
    if (!(axis.norm() > 0)) throw Error(in.where("axis"), "the axis of a rotation has no direction");
    return Eigen::AngleAxisd(in.real("angle"), axis.normalized()).toRotationMatrix();
  }
  if (value.is_sequence() && value.items.size() == 4) {
    Eigen::Vector4d q;
    for (int i = 0; i < 4; ++i) q(i) = context.number(value.items[static_cast<std::size_t>(i)]);
    if (!(std::abs(q.norm() - 1) < 1e-6))
      throw Error(value.where, "a quaternion [w, x, y, z] must have the norm 1, found " + text_of(q.norm()));
    return Eigen::Quaterniond(q(0), q(1), q(2), q(3)).normalized().toRotationMatrix();
  }
  if (value.is_sequence() && value.items.size() == 3) {
    const Eigen::MatrixXd m = read_matrix(value, context);
    if (m.cols() != 3) throw Error(value.where, "a rotation matrix has three rows of three numbers");
    const Mat3 R = m;
    const double error = (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff();
    if (!(error < 1e-6))
      throw Error(value.where, "the rows of a rotation must be orthonormal; off by " + text_of(error));
    if (!(R.determinant() > 0)) throw Error(value.where, "the rows of a rotation must be right-handed");
    return Eigen::Quaterniond(R).normalized().toRotationMatrix();
  }
  throw Error(value.where,
              "expected a rotation: a quaternion [w, x, y, z], {axis, angle} or three rows; found " +
                  value.described());
}

void check_one(const Value& value, const Parameter& p, const ValueContext& context) {
  using Kind = Parameter::Kind;
  switch (p.kind) {
    case Kind::real:
      if (!value.is_scalar()) wrong(p, value, "a number");
      check_range(p, context.number(value), value.where);
      return;
    case Kind::integer:
      check_range(p, read_integer(p.name, value, context), value.where);
      return;
    case Kind::flag:
      read_flag(p.name, value);
      return;
    case Kind::text:
      if (!value.is_scalar()) wrong(p, value, "a text");
      return;
    case Kind::choice:
      if (value.is_scalar())
        for (const std::string& choice : p.choices)
          if (value.text == choice) return;
      throw Error(value.where, "'" + p.name + "' must be one of " +
                                   fmt::format("{}", fmt::join(p.choices, ", ")) + "; found " +
                                   value.described() +
                                   (value.is_scalar() ? did_you_mean(value.text, p.choices) : ""));
    case Kind::vector3:
      if (!value.is_sequence() || value.items.size() != 3) wrong(p, value, "a vector [x, y, z]");
      for (const Value& item : value.items) check_range(p, context.number(item), item.where);
      return;
    case Kind::reals:
      if (!value.is_sequence()) wrong(p, value, "a list of numbers");
      for (const Value& item : value.items) check_range(p, context.number(item), item.where);
      return;
    case Kind::matrix: {
      if (!value.is_sequence()) wrong(p, value, "a list of rows");
      if (!read_matrix(value, context).allFinite())
        throw Error(value.where, "'" + p.name + "' must be finite");
      return;
    }
    case Kind::rotation:
      read_rotation(value, context);
      return;
    case Kind::function:
      if (value.is_null()) wrong(p, value, "a number, an expression, or a map with a type");
      context.function(value);
      return;
    case Kind::functions:
      if (!value.is_sequence() || value.items.size() != 3) wrong(p, value, "a list of three functions");
      for (const Value& item : value.items) context.function(item);
      return;
    case Kind::marker:
      if (!value.is_scalar() && !value.is_map())
        wrong(p, value, "the name of a marker or {on, at, rotation}");
      return;
    case Kind::marker_pair:
      if (!value.is_sequence() || value.items.size() != 2) wrong(p, value, "a list of two markers");
      return;
    case Kind::map:
      if (!value.is_map()) wrong(p, value, "a map");
      if (!p.children.empty()) check(value, p.children, context, "");
      return;
    case Kind::list:
      if (!value.is_sequence()) wrong(p, value, "a list");
      if (p.children.empty()) return;
      for (const Value& item : value.items) {
        if (!item.is_map())
          throw Error(item.where, "'" + p.name + "' must list maps, found " + item.described());
        check(item, p.children, context, "");
      }
      return;
    case Kind::any:
      return;
  }
}

/// Defaults are read once for each text.
const Value& default_value(const std::string& text) {
  static std::mutex mutex;
  static std::unordered_map<std::string, Value> values;
  const std::scoped_lock lock(mutex);
  auto at = values.find(text);
  if (at == values.end()) at = values.emplace(text, parse_flow_text(text)).first;
  return at->second;
}

void check_map(const Value& map, const std::vector<Parameter>& known, const ValueContext& context,
               const std::vector<std::string>& extra) {
  if (!map.is_map() && !map.is_null()) throw Error(map.where, "expected a map, found " + map.described());
  for (const Value::Entry& entry : map.entries) {
    const Parameter* parameter = nullptr;
    for (const Parameter& p : known)
      if (p.name == entry.key) parameter = &p;
    if (parameter != nullptr) {
      check_one(entry.value, *parameter, context);
      continue;
    }
    std::vector<std::string> names;
    for (const Parameter& p : known) names.push_back(p.name);
    names.insert(names.end(), extra.begin(), extra.end());
    bool handled = false;
    for (const std::string& name : extra) handled = handled || name == entry.key;
    if (handled) continue;
    const std::string near = did_you_mean_key(entry.key, names);
    throw Error(entry.where, "unknown key " + in_quotes(entry.key) + (near.empty() ? "." : near) +
                                 (names.empty() ? " No keys are known here"
                                                : " Keys here: " + list_of_names(names, entry.key)));
  }
  for (const Parameter& p : known) {
    if (!p.required || map.find(p.name) != nullptr) continue;
    throw Error(map.where, "'" + p.name + "' is missing: " + kind_name(p.kind) +
                               (p.unit.empty() ? "" : " [" + p.unit + "]") +
                               (p.doc.empty() ? "" : ", " + p.doc));
  }
}

bool same_list(const std::vector<Parameter>& a, const std::vector<Parameter>& b);

bool same(const Parameter& a, const Parameter& b) {
  return a.name == b.name && a.kind == b.kind && a.unit == b.unit && a.doc == b.doc &&
         a.default_text == b.default_text && a.required == b.required && a.least == b.least &&
         a.most == b.most && a.least_excluded == b.least_excluded && a.most_excluded == b.most_excluded &&
         a.choices == b.choices && a.example == b.example && same_list(a.children, b.children);
}

bool same_list(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::ranges::equal(a, b, same);
}

/// One copy of a list serves all entities of a type: that made last of a list at this place, unless it has changed since.
std::shared_ptr<const std::vector<Parameter>> copy_of(const std::vector<Parameter>& known) {
  constexpr std::size_t most = 256;
  thread_local std::unordered_map<const void*, std::shared_ptr<const std::vector<Parameter>>> copies;
  if (copies.size() > most) copies.clear();
  auto& copy = copies[&known];
  if (!copy || !same_list(*copy, known)) copy = std::make_shared<const std::vector<Parameter>>(known);
  return copy;
}

}  // namespace

std::string kind_name(Parameter::Kind kind) {
  using Kind = Parameter::Kind;
  switch (kind) {
    case Kind::real:
      return "number";
    case Kind::integer:
      return "integer";
    case Kind::flag:
      return "yes or no";
    case Kind::text:
      return "text";
    case Kind::choice:
      return "choice";
    case Kind::vector3:
      return "vector [x, y, z]";
    case Kind::reals:
      return "list of numbers";
    case Kind::matrix:
      return "matrix";
    case Kind::rotation:
      return "rotation";
    case Kind::function:
      return "function";
    case Kind::functions:
      return "three functions";
    case Kind::marker:
      return "marker";
    case Kind::marker_pair:
      return "two markers";
    case Kind::map:
      return "map";
    case Kind::list:
      return "list";
    case Kind::any:
      return "value";
  }
  return "";
}

void check(const Value& map, const std::vector<Parameter>& known, const ValueContext& context,
           std::string_view of_what, const std::vector<std::string>& extra) {
  if (of_what.empty()) return check_map(map, known, context, extra);
  try {
    check_map(map, known, context, extra);
  } catch (const Error& error) {
    throw Error(error.where(), std::string(of_what) + ": " + error.what());
  }
}

Parameters::Parameters(const Value& map, const std::vector<Parameter>& known, const ValueContext& context)
    : map_(&map), known_(copy_of(known)), context_(&context) {
  check_map(map, known, context, {});
}

const Location& Parameters::where(std::string_view name) const {
  const Value* value = map_->find(name);
  return value == nullptr || value->where.file.empty() ? map_->where : value->where;
}

const Parameter* Parameters::known(std::string_view name) const {
  for (const Parameter& p : *known_)
    if (p.name == name) return &p;
  return nullptr;
}

bool Parameters::has(std::string_view name) const { return map_->find(name) != nullptr; }

const Value* Parameters::value(std::string_view name) const {
  if (const Value* value = map_->find(name)) return value;
  const Parameter* p = known(name);
  if (p == nullptr)
    throw Error(map_->where, "the type reads '" + std::string(name) + "', which it does not declare");
  return p->default_text.empty() ? nullptr : &default_value(p->default_text);
}

const Value& Parameters::need(std::string_view name) const {
  const Value* found = value(name);
  if (found == nullptr) throw Error(map_->where, "'" + std::string(name) + "' is missing");
  return *found;
}

double Parameters::real(std::string_view name) const { return context_->number(need(name)); }

int Parameters::integer(std::string_view name) const {
  return read_integer(std::string(name), need(name), *context_);
}

bool Parameters::flag(std::string_view name) const { return read_flag(std::string(name), need(name)); }

std::string Parameters::text(std::string_view name) const {
  const Value& value = need(name);
  if (!value.is_scalar())
    throw Error(value.where, "'" + std::string(name) + "' must be a text, found " + value.described());
  return value.text;
}

Vec3 Parameters::vector3(std::string_view name) const { return read_vector3(need(name), *context_); }

std::vector<double> Parameters::reals(std::string_view name) const { return reals(need(name)); }

Eigen::MatrixXd Parameters::matrix(std::string_view name, int rows, int columns) const {
  const Value& value = need(name);
  Eigen::MatrixXd m = read_matrix(value, *context_);
  if (m.rows() != rows || m.cols() != columns)
    throw Error(value.where, "'" + std::string(name) + "' must be a " + std::to_string(rows) + " x " +
                                 std::to_string(columns) + " matrix, found " + std::to_string(m.rows()) +
                                 " x " + std::to_string(m.cols()));
  return m;
}

Mat3 Parameters::rotation(std::string_view name) const { return read_rotation(need(name), *context_); }

std::shared_ptr<const Function> Parameters::function(std::string_view name) const {
  return context_->function(need(name));
}

std::vector<std::shared_ptr<const Function>> Parameters::functions(std::string_view name) const {
  const Value& value = need(name);
  if (!value.is_sequence())
    throw Error(value.where,
                "'" + std::string(name) + "' must be a list of functions, found " + value.described());
  std::vector<std::shared_ptr<const Function>> list;
  for (const Value& item : value.items) list.push_back(context_->function(item));
  return list;
}

Parameters Parameters::map(std::string_view name) const {
  const Parameter* p = known(name);
  const Value& value = need(name);
  return Parameters(value, p->children, *context_);
}

Parameters Parameters::map(const Value& value, const std::vector<Parameter>& known) const {
  return Parameters(value, known, *context_);
}

Vec3 Parameters::vector3(const Value& value) const { return read_vector3(value, *context_); }

std::vector<double> Parameters::reals(const Value& value) const {
  if (!value.is_sequence())
    throw Error(value.where, "expected a list of numbers, found " + value.described());
  std::vector<double> numbers;
  numbers.reserve(value.items.size());
  for (const Value& item : value.items) numbers.push_back(context_->number(item));
  return numbers;
}

Mat3 Parameters::rotation(const Value& value) const { return read_rotation(value, *context_); }

}  // namespace trammel
