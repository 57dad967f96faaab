#include "io/drawn_lines.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace trammel {

namespace {

bool has_stations(const DrawnLine& line) {
  return line.size() >= 2 &&
         std::ranges::adjacent_find(line.stations, std::greater_equal<>()) == line.stations.end();
}

/// Where the line was at a station: on the polynomial through the points around it, four where there are as many.
std::array<double, 3> place_at(const DrawnLine& line, double station) {
  const std::span<const double> s = line.stations;
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(s, station) - s.begin());
  const std::size_t count = std::min<std::size_t>(4, s.size());
  const std::size_t first = std::min(next < 2 ? 0 : next - 2, s.size() - count);
  std::array<double, 3> place{};
  for (std::size_t i = first; i < first + count; ++i) {
    double weight = 1;
    for (std::size_t k = first; k < first + count; ++k)
      if (k != i) weight *= (station - s[k]) / (s[i] - s[k]);
    for (std::size_t k = 0; k < 3; ++k) place[k] += weight * line.points[3 * i + k];
  }
  return place;
}

}  // namespace

DrawnLine DrawnLines::line(std::size_t i) const {
  const std::size_t end = i + 1 < lines.size() ? lines[i + 1] : stations.size();
  return {std::span(points).subspan(3 * lines[i], 3 * (end - lines[i])),
          std::span(stations).subspan(lines[i], end - lines[i])};
}

void displacements(const DrawnLine& now, const DrawnLine& start, std::span<double> to) {
  if (std::ranges::equal(now.stations, start.stations)) {
    std::ranges::transform(now.points, start.points, to.begin(), std::minus<>());
    return;
  }
  if (!has_stations(now) || !has_stations(start)) {
    std::ranges::fill(to, 0.0);
    return;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::array<double, 3> before = place_at(start, now.stations[i]);
    for (std::size_t k = 0; k < 3; ++k) to[3 * i + k] = now.points[3 * i + k] - before[k];
  }
}

}  // namespace trammel
