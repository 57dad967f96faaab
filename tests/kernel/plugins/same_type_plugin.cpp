#include "trammel/plugin.hpp"

// A second plugin that brings a type of the same name as plain_plugin.
TRAMMEL_PLUGIN("same_type", "1.0") {
  trammel::Type type;
  type.name = "plain_spring";
  type.summary = "a type of the same name";
  type.category = trammel::Type::Category::element;
  registry.add(std::move(type));
}
