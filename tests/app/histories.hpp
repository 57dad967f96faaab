#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace trammel::testing {

/// A history as it is read back.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

/// As std::stod, but also for numbers below the smallest normal one, to which motions decay.
inline double number_in(const std::string& cell) {
  char* end = nullptr;
  const double number = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str()) throw std::invalid_argument("no number: '" + cell + "'");
  return number;
}

inline Table table_of(const std::string& csv) {
  Table t;
  std::istringstream lines(csv);
  std::string line, cell;
  std::getline(lines, line);
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) t.names.push_back(cell);
  while (std::getline(lines, line)) {
    t.rows.emplace_back();
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      t.rows.back().push_back(number_in(cell));
  }
  return t;
}

/// The number of the column whose name begins with `channel` at an instant, the last one where several rows have it; nan
/// where there is none.
inline double at(const Table& t, double time, const std::string& channel) {
  for (std::size_t i = 0; i < t.names.size(); ++i)
    if (t.names[i].rfind(channel, 0) == 0)
      for (std::size_t k = t.rows.size(); k-- > 0;)
        if (std::abs(t.rows[k][0] - time) < 1e-9) return t.rows[k][i];
  return std::numeric_limits<double>::quiet_NaN();
}

/// Largest difference of two histories in the columns whose names begin with a word.
struct Difference {
  double largest = 0;
  double range = 0;  ///< largest value of the first
};

/// nan where one lacks rows or columns of the other.
inline Difference difference(const Table& a, const Table& b, const std::string& what) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Difference d;
  if (a.rows.size() != b.rows.size()) return {none, none};
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    if (a.names[i].rfind(what, 0) != 0) continue;
    const auto j = static_cast<std::size_t>(std::ranges::find(b.names, a.names[i]) - b.names.begin());
    if (j == b.names.size()) return {none, none};
    for (std::size_t k = 0; k < a.rows.size(); ++k) {
      d.range = std::max(d.range, std::abs(a.rows[k][i]));
      d.largest = std::max(d.largest, std::abs(a.rows[k][i] - b.rows[k][j]));
    }
  }
  return d;
}

}  // namespace trammel::testing
