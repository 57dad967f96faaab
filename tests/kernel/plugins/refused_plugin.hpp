#pragma once

#include <cstdlib>

#include "trammel/plugin.hpp"

/// Ends the process if the library is opened at all: nothing of a rejected plugin may run.
struct Trap {
  Trap() { std::abort(); }
};

/// Defines a plugin with a record other than this build's, given by a constexpr function.
#define REFUSED_PLUGIN(record)                                                                             \
  namespace {                                                                                              \
  const Trap trap;                                                                                         \
  }                                                                                                        \
  extern "C" {                                                                                             \
  __attribute__((visibility("default"))) extern const trammel::PluginRecord trammel_plugin_record;         \
  __attribute__((section(".trammel"), used)) const trammel::PluginRecord trammel_plugin_record = record(); \
  __attribute__((visibility("default"))) void trammel_register(trammel::Registry& registry);               \
  }                                                                                                        \
  void trammel_register(trammel::Registry& registry) { registry.names(trammel::Type::Category::body); }
