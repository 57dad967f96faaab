#include <gtest/gtest.h>

#include <vector>

#include "io/drawing/drawn_lines.hpp"

namespace trammel {
namespace {

/// A line along x that is bent to y = x^3, at these stations.
DrawnLines bent(const std::vector<double>& stations, double shift) {
  DrawnLines lines;
  lines.instances = lines.lines = {0};
  for (const double s : stations) {
    lines.points.insert(lines.points.end(), {s, s * s * s + shift, 0});
    lines.stations.push_back(s);
  }
  return lines;
}

std::vector<double> moved(const DrawnLines& now, const DrawnLines& start) {
  std::vector<double> by(now.points.size(), -1);
  displacements(now.line(0), start.line(0), by);
  return by;
}

TEST(DrawnLines, finds_their_points_again_by_their_stations) {
  const DrawnLines start = bent({0, 0.25, 0.5, 0.75, 1}, 0);
  for (const std::vector<double>& stations :
       {std::vector<double>{0, 1}, {0, 0.1, 0.4, 0.9, 1}, {0, 0.25, 0.5, 0.75, 1}, {0, 0.25, 0.3, 0.31, 1}}) {
    const std::vector<double> by = moved(bent(stations, 0.1), start);
    for (std::size_t i = 0; i < by.size(); i += 3) {
      EXPECT_NEAR(by[i], 0, 1e-15);
      EXPECT_NEAR(by[i + 1], 0.1, 1e-15);
    }
  }
  // Two points at the start: the line between them.
  const std::vector<double> by = moved(bent({0, 0.5, 1}, 0), bent({0, 1}, 0));
  EXPECT_NEAR(by[4], 0.125 - 0.5, 1e-15);
}

TEST(DrawnLines, without_stations_need_the_same_points) {
  DrawnLines start = bent({0, 0.5, 1}, 0), now = bent({0, 0.5, 1}, 0.2), other = bent({0, 1}, 0.2);
  for (DrawnLines* lines : {&start, &now, &other}) lines->stations.assign(lines->stations.size(), 0);
  EXPECT_NEAR(moved(now, start)[4], 0.2, 1e-15);
  for (const double by : moved(other, start)) EXPECT_EQ(by, 0);
}

TEST(DrawnLines, belong_to_instances) {
  DrawnLines lines;
  lines.points.assign(18, 0);
  lines.stations.assign(6, 0);
  lines.instances = {0, 2, 2};
  lines.lines = {0, 2, 5};
  EXPECT_EQ(lines.of_instance(0), std::pair(std::size_t(0), std::size_t(2)));
  EXPECT_EQ(lines.of_instance(1), std::pair(std::size_t(2), std::size_t(2)));
  EXPECT_EQ(lines.of_instance(2), std::pair(std::size_t(2), std::size_t(3)));
  EXPECT_EQ(lines.line(1).size(), 3U);
  EXPECT_EQ(lines.line(2).points.size(), 3U);
}

}  // namespace
}  // namespace trammel
