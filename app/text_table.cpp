#include "text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trammel {

std::string aligned_table(const std::vector<TableRow>& rows, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const TableRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string markdown_table(const std::vector<TableRow>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "|";
    for (std::string cell : rows[i]) {
      for (std::size_t bar = cell.find('|'); bar != std::string::npos; bar = cell.find('|', bar + 2))
        cell.insert(bar, "\\");
      text += " " + cell + " |";
    }
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t k = 0; k < rows[i].size(); ++k) text += "---|";
    text += "\n";
  }
  return text;
}

}  // namespace trammel
