#include "refused_plugin.hpp"

namespace {

/// As of a plugin that was built with other public headers.
constexpr trammel::PluginRecord stale_record() {
  trammel::PluginRecord r = trammel::make_plugin_record("other_headers", "1.0");
  r.headers[0] = r.headers[0] == '0' ? '1' : '0';
  return r;
}

}  // namespace

REFUSED_PLUGIN(stale_record)
