#pragma once

#include "trammel/export.hpp"
#include "trammel/plugin_record.hpp"
#include "trammel/registry.hpp"

/// Defines a plugin: its record in the ELF section ".trammel" and its entry point. Use once in a library:
///
///     TRAMMEL_PLUGIN("my_joints", "1.0") {
///       registry.add(...);
///     }
#define TRAMMEL_PLUGIN(plugin_name, plugin_version)                                                  \
  extern "C" {                                                                                       \
  __attribute__((visibility("default"))) extern const ::trammel::PluginRecord trammel_plugin_record; \
  __attribute__((section(".trammel"), used)) const ::trammel::PluginRecord trammel_plugin_record =   \
      ::trammel::make_plugin_record(plugin_name, plugin_version);                                    \
  __attribute__((visibility("default"))) void trammel_register(::trammel::Registry& registry);       \
  }                                                                                                  \
  void trammel_register([[maybe_unused]] ::trammel::Registry& registry)
