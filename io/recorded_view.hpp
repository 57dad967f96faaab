#pragma once

#include <string>
#include <vector>

#include "io/recorder_camera.hpp"
#include "io/vtk_series.hpp"

namespace trammel {

/// How a run is looked at. ParaView's state file and trammel-render both go by it.
struct RecordedView {
  RecorderCamera camera;
  double metres_per_newton = 0;        ///< length of arrows of forces; 0: there are none
  double metres_per_newton_metre = 0;  ///< and of moments
};

/// The view of what was drawn so far, turned by the direction of gravity and by displacements (see CameraSubject).
RecordedView view_of(const std::vector<SeriesLayer>& layers, const Vec3& gravity, const Mat3& motion);

/// The text of `<name>_vtk/view.xml`, from which trammel-render reads the view.
std::string view_file(const RecordedView& view);

}  // namespace trammel
