#include "io/drawing/section_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "trammel/glyph.hpp"

namespace trammel {

namespace {

using Vectors = const std::vector<double>*;

/// A field of vectors at all points of curves; null where there is none.
Vectors vectors(const LayerDrawing& curves, std::string_view name) {
  const auto at = curves.fields.find(name);
  if (at == curves.fields.end() || at->second.by_ring || at->second.components != 3) return nullptr;
  return at->second.values.size() == curves.points.size() ? &at->second.values : nullptr;
}

Vec3 vector_at(const std::vector<double>& values, std::size_t i) {
  return Eigen::Map<const Vec3>(values.data() + 3 * i);
}

void set(LayerDrawing::Field& field, std::size_t i, const Vec3& value) {
  std::copy_n(value.data(), 3, field.values.data() + 3 * i);
}

/// How a section stands and moves: its place, its axes now and at the start, and the vectors at its axis.
struct Pose {
  Vec3 place;
  Mat3 axes, axes_at_start;
};

/// How the section at a point of the curves stands, and stood. False where that is not known.
bool pose_at(const SectionAxes& axes, const LayerDrawing& curves, const std::array<Vectors, 3>& t,
             std::size_t point, Pose& pose) {
  const auto after = std::ranges::upper_bound(axes.now.lines, point);
  const auto line = static_cast<std::size_t>(after - axes.now.lines.begin()) - 1;
  if (std::ranges::find(t, nullptr) != t.end() || axes.start_of[line] == SectionAxes::unknown) return false;
  std::array<double, 9> before{};
  if (!axes_at_start(axes.now.line(line), axes.start.line(axes.start_of[line]), point - axes.now.lines[line],
                     before))
    return false;
  pose.place = vector_at(curves.points, point);
  for (std::size_t k = 0; k < 3; ++k) pose.axes.col(static_cast<Eigen::Index>(k)) = vector_at(*t[k], point);
  pose.axes_at_start = Eigen::Map<const Mat3>(before.data());
  return true;
}

/// Twice the largest distance of a ring's corner from a place.
double width(const LayerDrawing& drawing, const LayerDrawing::Ring& ring, const Vec3& place) {
  double squared = 0;
  for (std::size_t i = ring.first; i < ring.first + ring.corners; ++i)
    squared = std::max(squared, (vector_at(drawing.points, i) - place).squaredNorm());
  return 2 * std::sqrt(squared);
}

}  // namespace

void move_sections(LayerDrawing& sections, const LayerDrawing& curves, const SectionAxes& axes,
                   double detail) {
  const Vectors displacement = vectors(curves, "displacement"), spin = vectors(curves, "angular velocity");
  const std::array<Vectors, 3> t{vectors(curves, "t1"), vectors(curves, "t2"), vectors(curves, "t3")};
  const auto velocity = sections.fields.find("velocity");
  const bool turns = spin != nullptr && velocity != sections.fields.end() && velocity->second.by_ring &&
                     velocity->second.components == 3;
  if (displacement == nullptr || sections.fields.contains("displacement") ||  // drawn by an element
      std::ranges::all_of(axes.centres, [](std::size_t centre) { return centre == SectionAxes::unknown; }))
    return;
  LayerDrawing::Field& moved = sections.field("displacement").second;
  moved.components = 3;
  moved.unit = "m";
  moved.names.assign(world_axes.begin(), world_axes.end());
  moved.by_ring = true;
  moved.values.resize(sections.size_of(moved), 0.0);
  std::vector<std::size_t> wide;
  for (std::size_t i = 0; i < axes.centres.size(); ++i) {
    if (axes.centres[i] == SectionAxes::unknown) continue;
    set(moved, i, vector_at(*displacement, axes.centres[i]));
    if (width(sections, sections.rings[i], vector_at(curves.points, axes.centres[i])) >= detail)
      wide.push_back(i);
  }
  if (wide.empty()) return;
  spread(sections, moved);
  if (turns) spread(sections, velocity->second);
  for (const std::size_t i : wide) {
    const LayerDrawing::Ring& ring = sections.rings[i];
    Pose pose;
    if (!pose_at(axes, curves, t, axes.centres[i], pose)) continue;
    const Mat3 turn = Mat3::Identity() - pose.axes_at_start * pose.axes.transpose();
    for (std::size_t k = ring.first; k < ring.first + ring.corners; ++k) {
      const Vec3 arm = vector_at(sections.points, k) - pose.place;
      set(moved, k, vector_at(moved.values, k) + turn * arm);
      if (turns)
        set(velocity->second, k,
            vector_at(velocity->second.values, k) + vector_at(*spin, axes.centres[i]).cross(arm));
    }
  }
}

}  // namespace trammel
