#include "trammel/registry.hpp"

#include <set>

#include "trammel/nearest_name.hpp"
#include "trammel/surface.hpp"

namespace trammel {

std::string_view category_name(Type::Category category) {
  if (category == surface_category) return "surface";
  switch (category) {
    case Type::Category::body:
      return "body";
    case Type::Category::joint:
      return "joint";
    case Type::Category::load:
      return "load";
    case Type::Category::element:
      return "element";
    case Type::Category::coordinate:
      return "coordinate";
    case Type::Category::sensor:
      return "sensor";
    case Type::Category::curve:
      return "curve";
    case Type::Category::function:
      return "function";
    case Type::Category::stage:
      return "stage";
  }
  return "";
}

namespace {

std::string source_of(const Type& type) {
  return type.plugin.empty() ? std::string("the program")
                             : "plugin '" + type.plugin + "' (" + type.library + ")";
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\n") == std::string::npos; }

/// The first error in the descriptions of parameters; empty if there is none. `in` names the map that contains
/// them.
std::string fault_of(const std::vector<Parameter>& parameters, const std::string& in) {
  std::set<std::string> names;
  for (const Parameter& p : parameters) {
    if (is_blank(p.name)) return "has a parameter without a name" + in;
    if (is_blank(p.doc)) return "has no documentation of its parameter '" + p.name + "'" + in;
    if (!names.insert(p.name).second) return "describes its parameter '" + p.name + "' twice" + in;
    if (std::string inner = fault_of(p.children, " in '" + p.name + "'" + in); !inner.empty()) return inner;
  }
  return {};
}

}  // namespace

void Registry::add(Type type) {
  if (type.degrees_of_freedom < 0) type.degrees_of_freedom = type.freedoms;
  type.plugin = plugin_;
  type.library = library_;
  const std::string which =
      std::string(category_name(type.category)) + " type '" + type.name + "' of " + source_of(type);
  if (is_blank(type.name))
    throw Error("a " + std::string(category_name(type.category)) + " type of " + source_of(type) +
                " has no name");
  if (is_blank(type.summary)) throw Error(which + " has no summary: one line that says what it does");
  if (const std::string fault = fault_of(type.parameters, ""); !fault.empty())
    throw Error(which + " " + fault);
  if (type.category == Type::Category::function && !type.make_function)
    throw Error(which + " has nothing that makes it");
  if (type.category == Type::Category::stage && !type.make_stages)
    throw Error(which + " has nothing that makes its stages");
  if (reserved_.contains({type.category, type.name}))
    throw Error(which + " is already offered by the program");
  const auto [place, added] = types_.try_emplace({type.category, type.name}, type);
  if (!added) throw Error(which + " is already offered by " + source_of(place->second));
}

void Registry::reserve(Type::Category category, std::string_view name) { reserved_.emplace(category, name); }

const Type* Registry::find(Type::Category category, std::string_view name) const {
  const auto found = types_.find({category, std::string(name)});
  return found == types_.end() ? nullptr : &found->second;
}

const Type& Registry::get(Type::Category category, std::string_view name, const Location& where) const {
  if (const Type* type = find(category, name)) return *type;
  const std::vector<std::string> known = names(category);
  std::string text = "unknown " + std::string(category_name(category)) + " type " + in_quotes(name) +
                     did_you_mean(name, known);
  if (text.back() != '?') {
    for (const auto& [key, type] : types_) {
      if (key.second != name) continue;
      const std::string found(category_name(key.first));
      text += "; " + in_quotes(name) + (found == "element" ? " is an " : " is a ") + found + " type";
      break;
    }
    text += ".";
  }
  text += known.empty()
              ? " No " + std::string(category_name(category)) + " types are loaded"
              : " Loaded " + std::string(category_name(category)) + " types: " + list_of_names(known, name);
  throw Error(where, text);
}

std::vector<const Type*> Registry::all() const {
  std::vector<const Type*> types;
  types.reserve(types_.size());
  for (const auto& [key, type] : types_) types.push_back(&type);
  return types;
}

std::vector<std::string> Registry::names(Type::Category category) const {
  std::vector<std::string> names;
  for (const auto& [key, type] : types_)
    if (key.first == category) names.push_back(key.second);
  return names;
}

void Registry::set_source(std::string plugin, std::string library) {
  plugin_ = std::move(plugin);
  library_ = std::move(library);
}

}  // namespace trammel
