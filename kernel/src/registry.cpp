#include "trammel/registry.hpp"

#include "trammel/nearest_name.hpp"

namespace trammel {

std::string_view category_name(Type::Category category) {
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
  }
  return "";
}

void Registry::add(Type type) {
  type.plugin = plugin_;
  type.library = library_;
  const auto [place, added] = types_.try_emplace({type.category, type.name}, type);
  if (added) return;
  const Type& other = place->second;
  const auto source = [](const Type& t) {
    return t.plugin.empty() ? std::string("the program") : "plugin '" + t.plugin + "' (" + t.library + ")";
  };
  throw Error(std::string(category_name(type.category)) + " type '" + type.name + "' of " + source(type) +
              " is already offered by " + source(other));
}

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
