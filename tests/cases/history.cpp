#include "history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trammel/error.hpp"

namespace trammel::cases {

namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

/// "position.x [m]" -> "position.x"
std::string without_unit(const std::string& title) { return title.substr(0, title.find(" [")); }

}  // namespace

History::History(const std::string& path) : name_(path) {
  std::ifstream in(path);
  if (!in) throw Error("there is no history '" + path + "'");
  read(in);
}

History::History(const std::string& text, const std::string& name) : name_(name) {
  std::istringstream in(text);
  read(in);
}

void History::read(std::istream& in) {
  std::string line;
  std::getline(in, line);
  for (const std::string& title : fields_of(line)) titles_.push_back(without_unit(title));
  columns_.resize(titles_.size());
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != titles_.size())
      throw Error(
          fmt::format("'{}': a row has {} fields, the header {}", name_, fields.size(), titles_.size()));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      char* end = nullptr;
      const double number = std::strtod(fields[i].c_str(), &end);  // std::stod refuses subnormal numbers
      if (fields[i].empty() || *end != '\0')
        throw Error(fmt::format("'{}': '{}' is no number", name_, fields[i]));
      columns_[i].push_back(number);
    }
  }
  if (columns_.empty() || times().empty()) throw Error("'" + name_ + "' holds no row");
}

bool History::has(std::string_view channel) const {
  return std::find(titles_.begin(), titles_.end(), channel) != titles_.end();
}

const std::vector<double>& History::column(std::string_view channel, std::string_view component) const {
  const std::string title = std::string(channel) + (component.empty() ? "" : "." + std::string(component));
  const auto found = std::find(titles_.begin(), titles_.end(), title);
  if (found == titles_.end())
    throw Error(fmt::format("'{}' has no column '{}'; columns: {}", name_, title, fmt::join(titles_, ", ")));
  return columns_[static_cast<std::size_t>(found - titles_.begin())];
}

std::size_t History::find_row(double time) const {
  const double close = 1e-9 * std::max(1.0, std::abs(time));
  for (std::size_t i = times().size(); i-- > 0;)
    if (std::abs(times()[i] - time) <= close) return i;
  return no_row;
}

std::size_t History::row(double time) const {
  const std::size_t found = find_row(time);
  if (found == no_row) throw Error(fmt::format("'{}' has no row at t = {}", name_, time));
  return found;
}

}  // namespace trammel::cases
