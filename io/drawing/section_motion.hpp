#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "io/drawing/drawn_lines.hpp"
#include "io/drawing/vtk_drawing.hpp"

namespace trammel {

/// The lines along which sections were swept, now and in the first drawing.
struct SectionAxes {
  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();

  const DrawnLines& now;
  const DrawnLines& start;
  std::span<const std::size_t> start_of;  ///< by line: its number at the start, or unknown
  std::span<const std::size_t>
      centres;  ///< by ring of the sections: the point of the lines in its middle, or unknown
};

/// Gives sections the fields "displacement" (where it has none) and "velocity" of their points: those of the axis, and where a ring is
/// wider than `detail` [m] what the turn of the section adds at each corner. `curves` has the fields "displacement", "velocity" and
/// "angular velocity" of the lines.
void move_sections(LayerDrawing& sections, const LayerDrawing& curves, const SectionAxes& axes,
                   double detail);

}  // namespace trammel
