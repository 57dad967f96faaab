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

/// A series that a run recorded for ParaView.
class SeriesReader {
 public:
  /// `where` is a .pvd file, or a folder that holds one (the shortest name of several). Throws Error.
  explicit SeriesReader(const std::filesystem::path& where);

  const std::filesystem::path& pvd() const { return pvd_; }
  const std::vector<double>& times() const { return times_; }
  /// Index of the instant that is next to `time`.
  std::size_t nearest(double time) const;
  /// Reads the layers of an instant, all pieces. Throws Error where a file cannot be read.
  Layers read(std::size_t instant) const;

 private:
  std::filesystem::path pvd_;
  std::vector<double> times_;
  std::vector<std::map<std::string, std::filesystem::path>> files_;  ///< by instant and layer
};

}  // namespace trammel::render
