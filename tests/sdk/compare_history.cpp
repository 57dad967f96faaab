// compare_history REFERENCE RESULTS: holds histories of a run against a table. Its first line is `within,X`, the largest error
// as a fraction of a column's range; its second names time and the columns, SENSOR:CHANNEL; the rest are their values.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) {
    field.erase(std::remove_if(field.begin(), field.end(), [](char c) { return c == '"' || c == '\r'; }),
                field.end());
    all.push_back(field);
  }
  return all;
}

struct Table {
  std::vector<std::string> titles;
  std::vector<std::vector<double>> rows;

  void read(std::istream& in) {
    std::string line;
    std::getline(in, line);
    titles = fields(line);
    while (std::getline(in, line)) {
      rows.emplace_back();
      for (const std::string& field : fields(line)) rows.back().push_back(std::stod(field));
    }
  }
};

/// The history of a sensor: "position.x [m]" is the channel position.x.
Table history(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  Table table;
  table.read(in);
  for (std::string& title : table.titles) title = title.substr(0, title.find(" ["));
  return table;
}

double at(const Table& table, const std::string& channel, double time) {
  const auto title = std::find(table.titles.begin(), table.titles.end(), channel);
  if (title == table.titles.end()) throw std::runtime_error("no channel " + channel);
  const auto column = static_cast<std::size_t>(title - table.titles.begin());
  for (std::size_t i = table.rows.size(); i-- > 0;)
    if (std::abs(table.rows[i].front() - time) < 1e-9) return table.rows[i].at(column);
  throw std::runtime_error("no row at time " + std::to_string(time));
}

int compare(const std::string& reference, const std::string& results) {
  std::ifstream in(reference);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("cannot read " + reference);
  const double within = std::stod(fields(line).at(1));
  Table expected;
  expected.read(in);
  int faults = expected.rows.empty() ? 1 : 0;
  for (std::size_t k = 1; k < expected.titles.size(); ++k) {
    const std::string& title = expected.titles[k];
    const std::size_t colon = title.find(':');
    const Table found = history(results + "/" + title.substr(0, colon) + ".csv");
    double low = HUGE_VAL, high = -HUGE_VAL, error = 0;
    for (const std::vector<double>& row : expected.rows) {
      low = std::min(low, row.at(k)), high = std::max(high, row.at(k));
      error = std::max(error, std::abs(at(found, title.substr(colon + 1), row.front()) - row.at(k)));
    }
    const double relative = error / (high - low);
    const bool passes = relative <= within;
    std::printf("%-32s %.2e of its range, bound %.0e%s\n", title.c_str(), relative, within,
                passes ? "" : "  FAILS");
    if (!passes) ++faults;
  }
  return faults == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: compare_history REFERENCE RESULTS");
    return compare(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compare_history: %s\n", error.what());
    return 1;
  }
}
