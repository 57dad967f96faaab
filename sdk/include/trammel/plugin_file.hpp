#pragma once

#include <string>

#include "trammel/export.hpp"
#include "trammel/plugin_record.hpp"

namespace trammel {

/// Reads the record in the ELF section ".trammel" of a shared library. The library is not opened, so that none of
/// its code runs. Throws Error if the file is missing, is no shared library, or is no plugin.
TRAMMEL_API PluginRecord read_plugin_record(const std::string& path);

}  // namespace trammel
