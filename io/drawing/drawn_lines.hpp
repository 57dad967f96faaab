#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace trammel {

/// A line that was drawn: its points, how far along it each lies, and the axes of what it carries there. Views.
struct DrawnLine {
  std::span<const double> points;    ///< x, y, z of each [m]
  std::span<const double> stations;  ///< [m]; all zero where nobody gave them
  std::span<const double> axes;      ///< t1, t2, t3 at each point; empty where nobody gave them

  std::size_t size() const { return stations.size(); }
};

/// All lines of a drawing, by instance.
struct DrawnLines {
  std::vector<double> points, stations, axes;  ///< as in DrawnLine, of all
  std::vector<std::size_t> instances;          ///< first line of each
  std::vector<std::size_t> lines;              ///< first point of each

  /// Numbers of the lines of an instance: from the first one, up to the second one.
  std::pair<std::size_t, std::size_t> of_instance(std::size_t i) const {
    return {instances[i], i + 1 < instances.size() ? instances[i + 1] : lines.size()};
  }
  DrawnLine line(std::size_t i) const;
};

/// How far the points of a line have moved since it was `start`: x, y, z of each [m], in `to`. A point is found again by its station,
/// between the points of the start by a cubic; where there are no stations, by its number. Zeros where that is not possible.
void displacements(const DrawnLine& now, const DrawnLine& start, std::span<double> to);

/// The axes at the same place of the line when it was `start`, found again as by `displacements`. False where that is not possible.
bool axes_at_start(const DrawnLine& now, const DrawnLine& start, std::size_t point,
                   std::array<double, 9>& to);

}  // namespace trammel
