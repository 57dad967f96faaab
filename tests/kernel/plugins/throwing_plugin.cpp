#include <stdexcept>

#include "trammel/plugin.hpp"

TRAMMEL_PLUGIN("throwing", "1.0") {
  if (registry.all().size() < 1000) throw std::runtime_error("no licence found");
}
