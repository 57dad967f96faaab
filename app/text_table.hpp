#pragma once

#include <string>
#include <vector>

namespace trammel {

using TableRow = std::vector<std::string>;

/// A table with aligned columns; the last column is not padded. The first row is the heading.
std::string aligned_table(const std::vector<TableRow>& rows, const std::string& indent = "");

/// The same as a table of Markdown.
std::string markdown_table(const std::vector<TableRow>& rows);

}  // namespace trammel
