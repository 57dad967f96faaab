#include "refused_plugin.hpp"

namespace {

constexpr trammel::PluginRecord other_record() {
  trammel::PluginRecord r = trammel::make_plugin_record("other_abi", "1.0");
  r.eigen_align = 32;
  return r;
}

}  // namespace

REFUSED_PLUGIN(other_record)
