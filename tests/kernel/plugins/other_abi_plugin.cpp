#include <cstdlib>

#include "trammel/plugin.hpp"

namespace {

constexpr trammel::PluginRecord other_record() {
  trammel::PluginRecord r = trammel::make_plugin_record("other_abi", "1.0");
  r.eigen_align = 32;
  return r;
}

/// Ends the process if the library is opened at all: nothing of a rejected plugin may run.
struct Trap {
  Trap() { std::abort(); }
} const trap;

}  // namespace

extern "C" {
__attribute__((visibility("default"))) extern const trammel::PluginRecord trammel_plugin_record;
__attribute__((section(".trammel"), used)) const trammel::PluginRecord trammel_plugin_record = other_record();
__attribute__((visibility("default"))) void trammel_register(trammel::Registry& registry);
}

void trammel_register(trammel::Registry& registry) { registry.names(trammel::Type::Category::body); }
