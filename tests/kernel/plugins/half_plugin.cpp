#include "trammel/plugin.hpp"

// Adds a type and then throws what is no exception.
TRAMMEL_PLUGIN("half", "1.0") {
  trammel::Type type;
  type.name = "half";
  type.category = trammel::Type::Category::element;
  type.summary = "a type for the loader's tests";
  registry.add(std::move(type));
  if (registry.all().size() < 1000) throw 42;
}
