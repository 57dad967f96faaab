#include "io/case/case_context.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/expressions/expression_formula.hpp"
#include "io/expressions/functions.hpp"
#include "io/expressions/name_chain.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/parameters.hpp"

namespace trammel {

namespace {

using Kind = Parameter::Kind;

/// Counts the functions that are being read, each the argument of the one before.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

/// The number that the whole text is, if it is one: most texts are.
std::optional<double> plain_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double x = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

bool in_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/// The points of a table or spline: a list of [x, y].
std::pair<std::vector<double>, std::vector<double>> points(const Parameters& in) {
  std::vector<double> x, y;
  for (const Value& point : in.value("points")->items) {
    const std::vector<double> pair = in.reals(point);
    if (pair.size() != 2) throw Error(point.where, "a point is [x, y], found " + point.described());
    x.push_back(pair[0]);
    y.push_back(pair[1]);
  }
  return {std::move(x), std::move(y)};
}

std::array<double, 2> pair_of(const Parameters& in, std::string_view name) {
  const std::vector<double> pair = in.reals(name);
  if (pair.size() != 2)
    throw Error(in.where(name),
                "'" + std::string(name) + "' must be [x, y], found a list of " + std::to_string(pair.size()));
  return {pair[0], pair[1]};
}

const std::vector<std::string>& function_types() {
  static const std::vector<std::string> types{"table",    "spline",    "ramp",
                                              "harmonic", "cycloidal", "smoothstep"};
  return types;
}

/// Read once, in its own right: read as a function it would be read twice, and four times within another.
Parameter argument_parameter() {
  return Parameter::make(Kind::any, "of", "", "the argument, a function; time where absent");
}

/// Parameters of the maps that are allowed as functions, without `type`.
const std::vector<Parameter>& table_parameters() {
  static const std::vector<Parameter> known{
      Parameter::make(Kind::list, "points", "", "points [x, y], x increasing").must(),
      Parameter::make(Kind::choice, "outside", "", "what holds outside of the points")
          .one_of({"hold", "extend", "error"})
          .defaults("hold"),
      argument_parameter()};
  return known;
}

const std::vector<Parameter>& spline_parameters() {
  static const std::vector<Parameter> known = [] {
    std::vector<Parameter> list = table_parameters();
    list.push_back(
        Parameter::make(Kind::real, "first_slope", "", "slope at the first point; natural where absent"));
    list.push_back(
        Parameter::make(Kind::real, "last_slope", "", "slope at the last point; natural where absent"));
    return list;
  }();
  return known;
}

const std::vector<Parameter>& law_parameters() {
  static const std::vector<Parameter> known{
      Parameter::make(Kind::reals, "from", "", "[x, y] where the motion begins").must(),
      Parameter::make(Kind::reals, "to", "", "[x, y] where it ends").must(), argument_parameter()};
  return known;
}

}  // namespace

void CaseContext::set_parameters(const Value* map,
                                 const std::vector<std::pair<std::string, std::string>>& overrides) {
  std::vector<std::pair<std::string, std::string>> definitions;
  std::vector<std::string> names;
  if (map != nullptr) {
    if (!map->is_map() && !map->is_null())
      throw Error(map->where, "'parameters' must be a map of names and numbers, found " + map->described());
    for (const Value::Entry& entry : map->entries) {
      if (!entry.value.is_scalar())
        throw Error(entry.value.where, "parameter " + in_quotes(entry.key) +
                                           " must be a number or an expression, found " +
                                           entry.value.described());
      definitions.emplace_back(entry.key, entry.value.text);
      names.push_back(entry.key);
    }
  }
  for (const auto& [name, text] : overrides) {
    const auto at = std::find_if(definitions.begin(), definitions.end(),
                                 [&name = name](const auto& definition) { return definition.first == name; });
    if (at == definitions.end()) {
      const std::string near = did_you_mean(name, names);
      throw Error("--set: the case has no parameter " + in_quotes(name) + near + (near.empty() ? "." : "") +
                  (names.empty() ? "" : " Parameters here: " + list_of_names(names, name)));
    }
    at->second = text;
  }
  try {
    in_numbers_ = Names::constants(resolve_parameters(definitions));
  } catch (const ParameterError& error) {
    if (std::ranges::find(overrides, error.name(), &std::pair<std::string, std::string>::first) !=
        overrides.end())
      throw Error(std::string("--set: ") + error.what());
    for (const Value::Entry& entry : map->entries)
      if (entry.key == error.name()) throw Error(entry.value.where, error.what());
    throw;
  }
  in_functions_ = Names::of_time_and_signals(in_numbers_.parameters);
}

void CaseContext::set_functions(const Value* map) {
  functions_ = map;
  if (map == nullptr) return;
  if (!map->is_map() && !map->is_null())
    throw Error(map->where, "'functions' must be a map of names and functions, found " + map->described());
  for (const Value::Entry& entry : map->entries) {
    if (parameters().contains(entry.key))
      throw Error(entry.where, "function " + in_quotes(entry.key) + ": a parameter has that name");
    function_names_.push_back(entry.key);
  }
  in_numbers_.functions = in_functions_.functions = function_names_;
  for (const Value::Entry& entry : map->entries)
    if (!waits_for_types(entry.value)) named_function(entry.key, entry.where);
}

void CaseContext::use_types(const Registry& registry) {
  registry_ = &registry;
  if (functions_ == nullptr) return;
  for (const Value::Entry& entry : functions_->entries) named_function(entry.key, entry.where);
}

bool CaseContext::waits_for_types(const Value& function, int depth) const {
  if (registry_ != nullptr || depth > deepest_functions) return false;
  if (function.is_scalar()) {
    // The name of another function.
    const Value* other = functions_->find(function.text);
    return other != nullptr && waits_for_types(*other, depth + 1);
  }
  const Value* type = function.find("type");
  if (type != nullptr && type->is_scalar() &&
      std::ranges::find(function_types(), type->text) == function_types().end())
    return true;
  const Value* of = function.find("of");
  return of != nullptr && waits_for_types(*of, depth + 1);
}

std::vector<std::string> CaseContext::known_types() const {
  std::vector<std::string> known = function_types();
  if (registry_ != nullptr)
    for (std::string& name : registry_->names(Type::Category::function)) known.push_back(std::move(name));
  return known;
}

void CaseContext::set_indices(ParameterValues indices) {
  const auto name = &ParameterValues::value_type::first;
  const bool same = std::ranges::equal(indices, indices_, {}, name, name);
  indices_ = std::move(indices);
  if (same) return;
  index_names_.clear();
  for (const auto& [its_name, value] : indices_) index_names_ += its_name + '\n';
}

void CaseContext::change_indices(const double* values) {
  for (auto& [name, value] : indices_) value = *values++;
}

Names CaseContext::with_indices(Names names) const {
  for (const auto& [name, value] : indices_) names.parameters.insert_or_assign(name, value);
  return names;
}

bool CaseContext::mentions_index(std::string_view text) const {
  if (indices_.empty()) return false;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_name(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    if (indices_.contains(text.substr(i, end - i))) return true;
    i = end;
  }
  return false;
}

/// Indices are the variables of an expression that is parsed once for all instances.
CaseContext::Constant CaseContext::read_constant(const std::string& text) const {
  Constant constant;
  constant.of_indices = mentions_index(text);
  if (!constant.of_indices) {
    constant.value = Expression(text, in_numbers_).constant();
    return constant;
  }
  Names names = in_numbers_;
  for (const auto& [name, value] : indices_) names.signals.push_back(name);
  try {
    constant.expression.emplace(text, names);
  } catch (const ExpressionError&) {
    // One that must be constant, such as a limit of a law, may be so once the values of the indices are put in.
  }
  return constant;
}

double CaseContext::computed(const std::string& text, const Location& where) const {
  try {
    auto& known = numbers_[index_names_];
    auto at = known.find(text);
    if (at == known.end()) at = known.emplace(text, read_constant(text)).first;
    const Constant& constant = at->second;
    if (!constant.of_indices) return constant.value;
    if (constant.expression) {
      const std::vector<std::string>& names = constant.expression->signals();
      SignalNumbers values(names.size());
      for (std::size_t i = 0; i < names.size(); ++i) values[i] = indices_.find(names[i])->second;
      const double value = constant.expression->value_at(0, values);
      if (std::isfinite(value)) return value;
    }
    return Expression(text, with_indices(in_numbers_)).constant();
  } catch (const ExpressionError& error) {
    throw Error(where, error.what());
  }
}

double CaseContext::number(const Value& value) const {
  if (!value.is_scalar()) throw Error(value.where, "expected a number, found " + value.described());
  if (const auto x = plain_number(value.text)) return *x;
  return computed(value.text, value.where);
}

double CaseContext::evaluate(std::string_view text, const Location& where) const {
  if (const auto x = plain_number(text)) return *x;
  return computed(std::string(text), where);
}

long CaseContext::whole_number(std::string_view text, const Location& where) const {
  const double x = evaluate(text, where);
  const double whole = std::round(x);
  if (!(std::abs(x - whole) < 1e-9) || !(std::abs(x) < 1e15)) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.10g", x);
    throw Error(where, "an index must be a whole number, found " + in_quotes(text) + " = " + digits.data());
  }
  return static_cast<long>(whole);
}

FunctionPtr CaseContext::function(const Value& value) const {
  if (value.is_scalar()) {
    if (const auto x = plain_number(value.text)) return std::make_shared<ConstantFunction>(*x, value.where);
    if (functions_ != nullptr && functions_->find(value.text) != nullptr)
      return named_function(value.text, value.where);
    if (mentions_index(value.text)) return read_function(value);
    // The key includes the place, since messages name it and the same text may occur at many places.
    const std::string key = value.where.text() + "\n" + value.text;
    FunctionPtr& known = by_text_[key];
    if (!known) known = read_function(value);
    return known;
  }
  if (value.is_map()) return function_of_map(value);
  throw Error(value.where,
              "expected a function (a number, an expression of t, the name of a function, or a map with a "
              "type), found " +
                  value.described());
}

FormulaPtr CaseContext::formula(const Value& value, const FormulaNames& names) const {
  if (!value.is_scalar())
    throw Error(value.where, "expected a number or an expression, found " + value.described());
  try {
    return std::make_shared<ExpressionFormula>(
        value.text, names, indices_.empty() ? parameters() : with_indices(in_numbers_).parameters,
        function_names_, value.where);
  } catch (const ExpressionError& error) {
    throw Error(value.where, error.what());
  }
}

void CaseContext::check_name(std::string_view name, const Location& where) const {
  try {
    check_own_name(name);
  } catch (const Error& error) {
    throw Error(where, in_quotes(name) + ": " + error.what());
  }
}

FunctionPtr CaseContext::read_function(const Value& value) const {
  try {
    if (indices_.empty()) return expression_function(value.text, in_functions_, value.where);
    return expression_function(value.text, with_indices(in_functions_), value.where);
  } catch (const ExpressionError& error) {
    std::string text = error.what();
    const bool is_function = std::ranges::find(function_names_, value.text) != function_names_.end();
    if (!is_function && text.find("did you mean") == std::string::npos &&
        text.find("'functions'") == std::string::npos)
      text += did_you_mean(value.text, function_names_);
    throw Error(value.where, text);
  }
}

FunctionPtr CaseContext::named_function(const std::string& name, const Location& where) const {
  if (const auto at = named_.find(name); at != named_.end()) return at->second;
  if (std::find(resolving_.begin(), resolving_.end(), name) != resolving_.end()) {
    std::vector<std::string> cycle = resolving_;
    cycle.push_back(name);
    throw Error(where, "functions that need each other: " + name_chain(cycle));
  }
  resolving_.push_back(name);
  const Value& value = *functions_->find(name);
  FunctionPtr made;
  try {
    made = function(value);
  } catch (const Error& error) {
    resolving_.pop_back();
    if (!resolving_.empty()) throw;
    throw Error(error.where().file.empty() ? value.where : error.where(),
                "function " + in_quotes(name) + ": " + error.what());
  }
  resolving_.pop_back();
  return named_[name] = made;
}

FunctionPtr CaseContext::function_of_map(const Value& map) const {
  const Value* type = map.find("type");
  if (type == nullptr || !type->is_scalar()) {
    std::string known;
    for (const std::string& name : known_types()) known += (known.empty() ? "" : ", ") + name;
    throw Error(map.where, "a function given as a map needs a 'type': one of " + known);
  }
  const Nesting nesting(reading_);
  if (reading_ > deepest_functions)
    throw Error(map.where, "functions of functions, more than " + std::to_string(deepest_functions) +
                               " deep" + (resolving_.empty() ? "" : ": " + name_chain(resolving_)));
  Value rest = map;
  std::erase_if(rest.entries, [](const Value::Entry& entry) { return entry.key == "type"; });
  const auto argument = [](const Parameters& in) { return in.has("of") ? in.function("of") : nullptr; };
  if (type->text == "table" || type->text == "spline") {
    const bool spline = type->text == "spline";
    const Parameters in(rest, spline ? spline_parameters() : table_parameters(), *this);
    auto [x, y] = points(in);
    const Outside outside = *outside_rule(in.text("outside"));
    if (!spline) return table_function(std::move(x), std::move(y), outside, argument(in), map.where);
    SplineEnds ends;
    if (in.has("first_slope")) ends.first_slope = in.real("first_slope");
    if (in.has("last_slope")) ends.last_slope = in.real("last_slope");
    return spline_function(std::move(x), std::move(y), ends, outside, argument(in), map.where);
  }
  if (const auto law = motion_law(type->text)) {
    const Parameters in(rest, law_parameters(), *this);
    const auto [x0, y0] = pair_of(in, "from");
    const auto [x1, y1] = pair_of(in, "to");
    return motion_law_function(*law, x0, x1, y0, y1, argument(in), map.where);
  }
  if (registry_ != nullptr)
    if (const Type* offered = registry_->find(Type::Category::function, type->text)) {
      try {
        FunctionPtr made = offered->make_function(Parameters(rest, offered->parameters, *this));
        if (made == nullptr) throw Error("it makes no function");
        return made;
      } catch (const Error& error) {
        throw Error(error.where().file.empty() ? map.where : error.where(),
                    "function type " + in_quotes(type->text) + " of plugin '" + offered->plugin +
                        "': " + error.what());
      } catch (const std::exception& error) {
        throw Error(map.where, "function type " + in_quotes(type->text) + " of plugin '" + offered->plugin +
                                   "': " + error.what());
      }
    }
  std::string known;
  for (const std::string& name : known_types()) known += (known.empty() ? "" : ", ") + name;
  const std::string near = did_you_mean(type->text, known_types());
  throw Error(type->where, "unknown function type " + in_quotes(type->text) + (near.empty() ? "." : near) +
                               " Types here: " + known);
}

std::vector<FunctionType> described_functions() {
  static constexpr std::array<const char*, 6> summaries{
      "straight between points",
      "a cubic spline through points",
      "straight from one value to another; the rate jumps at both ends",
      "half a cosine; the second rate jumps at both ends",
      "from one value to another with continuous first and second rates",
      "a polynomial of degree 5 with continuous first and second rates"};
  std::vector<FunctionType> all;
  for (const std::string& name : function_types())
    all.push_back({name, summaries.at(all.size()),
                   name == "table"    ? table_parameters()
                   : name == "spline" ? spline_parameters()
                                      : law_parameters()});
  return all;
}

}  // namespace trammel
