#include "trammel/plugin.hpp"

TRAMMEL_PLUGIN("plain", "2.5") {
  trammel::Type type;
  type.name = "plain_spring";
  type.category = trammel::Type::Category::element;
  type.summary = "a type for the loader's tests";
  registry.add(std::move(type));
}
