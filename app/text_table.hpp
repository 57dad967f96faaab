#pragma once

#include <string>
#include <vector>

namespace trammel {

using TableRow = std::vector<std::string>;

/// Columns as wide as they need; the last one runs on. The first row is the heading.
std::string aligned_table(const std::vector<TableRow>& rows, const std::string& indent = "");

/// The same as a table of Markdown.
std::string markdown_table(const std::vector<TableRow>& rows);

}  // namespace trammel
