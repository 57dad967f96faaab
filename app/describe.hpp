#pragma once

#include <string>

#include "session.hpp"

namespace trammel {

/// The table of `trammel list`.
std::string listed_types(const Plugins& plugins);

/// The page of `trammel describe TYPE`, with a table of Markdown where asked for. Throws Error, with the nearest name, where there is no such type.
std::string described_type(const std::string& name, const Plugins& plugins, bool markdown = false);

}  // namespace trammel
