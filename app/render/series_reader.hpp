#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trammel::render {

/// The layers of one instant, by name.
using Layers = std::map<std::string, vtkSmartPointer<vtkPolyData>>;

/// How the run says that it is looked at: the same as in ParaView.
struct SeriesView {
  std::array<double, 3> towards{0, -1, 0};     ///< direction from the scene to the camera
  std::array<double, 3> up{0, 0, 1};           ///< points up in the picture
  std::map<std::string, double> arrow_scales;  ///< metres by unit of a field that is drawn as arrows
};

/// A series that a run recorded for ParaView.
class SeriesReader {
 public:
  /// `where` is a .pvd file, or a folder that holds one (the shortest name of several). Throws Error.
  explicit SeriesReader(const std::filesystem::path& where);

  const std::filesystem::path& pvd() const { return pvd_; }
  const std::vector<double>& times() const { return times_; }
  /// Index of the instant that is next to `time`. Throws Error where that lies before the first instant or after the last.
  std::size_t nearest(double time) const;
  /// Reads the layers of an instant, all pieces. Throws Error where a file is missing or cannot be read.
  Layers read(std::size_t instant) const;
  /// Throws Error where the file of the view is missing or says something else.
  SeriesView view() const;
  /// The names of all entities, by their number. Throws Error where the table of them is missing.
  std::vector<std::string> names() const;

 private:
  std::filesystem::path pvd_;
  std::vector<double> times_;
  std::vector<std::map<std::string, std::filesystem::path>> files_;  ///< by instant and layer
};

}  // namespace trammel::render
