#pragma once

#include <string>
#include <vector>

#include "io/drawing/recorder_camera.hpp"
#include "io/vtk/vtk_series.hpp"

namespace trammel {

/// The view of a run, used by ParaView's state file and by trammel-render.
struct RecordedView {
  RecorderCamera camera;
  double metres_per_newton = 0;        ///< length of arrows of forces; 0: there are none
  double metres_per_newton_metre = 0;  ///< and of moments
};

/// The view for everything drawn so far; its direction depends on gravity and on displacements (see CameraSubject), and the length of
/// arrows on the size of glyphs [m].
RecordedView view_of(const std::vector<SeriesLayer>& layers, const Vec3& gravity, const Mat3& motion,
                     double glyph_size);

/// The text of `<name>_vtk/view.xml`, from which trammel-render reads the view.
std::string view_file(const RecordedView& view);

}  // namespace trammel
