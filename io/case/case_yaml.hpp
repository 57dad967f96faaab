#pragma once

#include <string>
#include <string_view>

#include "trammel/value.hpp"

namespace trammel {

/// Reads YAML into a tree of values with their places. Anchors and aliases are followed. Throws Error, with its place,
/// for a file that cannot be read, text that does not parse, a key given twice, and more than one document.
Value read_yaml_file(const std::string& path);

/// As `read_yaml_file`, of a text; `file` is the name for messages.
Value read_yaml_text(std::string_view text, const std::string& file);

}  // namespace trammel
