#include "io/drawing/drawn_lines.hpp"

#include <algorithm>
#include <functional>

namespace trammel {

namespace {

bool has_stations(const DrawnLine& line) {
  return line.size() >= 2 &&
         std::ranges::adjacent_find(line.stations, std::greater_equal<>()) == line.stations.end();
}

/// Numbers at a station: on the polynomials through those at the points around it, four where there are as many.
template <std::size_t width>
std::array<double, width> at_station(std::span<const double> s, std::span<const double> numbers,
                                     double station) {
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(s, station) - s.begin());
  const std::size_t count = std::min<std::size_t>(4, s.size());
  const std::size_t first = std::min(next < 2 ? 0 : next - 2, s.size() - count);
  std::array<double, width> found{};
  for (std::size_t i = first; i < first + count; ++i) {
    double weight = 1;
    for (std::size_t k = first; k < first + count; ++k)
      if (k != i) weight *= (station - s[k]) / (s[i] - s[k]);
    for (std::size_t k = 0; k < width; ++k) found[k] += weight * numbers[width * i + k];
  }
  return found;
}

}  // namespace

DrawnLine DrawnLines::line(std::size_t i) const {
  const std::size_t end = i + 1 < lines.size() ? lines[i + 1] : stations.size(), count = end - lines[i];
  return {std::span(points).subspan(3 * lines[i], 3 * count), std::span(stations).subspan(lines[i], count),
          axes.empty() ? std::span<const double>() : std::span(axes).subspan(9 * lines[i], 9 * count)};
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
    const std::array<double, 3> before = at_station<3>(start.stations, start.points, now.stations[i]);
    for (std::size_t k = 0; k < 3; ++k) to[3 * i + k] = now.points[3 * i + k] - before[k];
  }
}

bool axes_at_start(const DrawnLine& now, const DrawnLine& start, std::size_t point,
                   std::array<double, 9>& to) {
  if (start.axes.empty()) return false;
  if (std::ranges::equal(now.stations, start.stations)) {
    std::ranges::copy(start.axes.subspan(9 * point, 9), to.begin());
    return true;
  }
  if (!has_stations(now) || !has_stations(start)) return false;
  to = at_station<9>(start.stations, start.axes, now.stations[point]);
  return true;
}

}  // namespace trammel
