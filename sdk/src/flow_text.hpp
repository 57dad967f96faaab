#pragma once

#include <string_view>

#include "trammel/value.hpp"

namespace trammel {

/// Reads a default as a plugin's author wrote it: a scalar, "[a, b]" or "{key: value}". Throws Error.
TRAMMEL_API Value parse_flow_text(std::string_view text);

}  // namespace trammel
