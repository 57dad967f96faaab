#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/vtk_piece.hpp"
#include "kernel/assembler.hpp"

namespace trammel {

/// A layer of a series, as all ranks know it.
struct SeriesLayer {
  std::string name;
  std::vector<LayerField> fields;
  DrawingExtent extent;  ///< over all frames
};

/// A series of drawings of a model over time, for ParaView:
///
///     <name>.pvd                       the times, and for each the layers that are drawn
///     <name>_vtk/000012_curves.pvtp    one layer at one time: names its pieces
///     <name>_vtk/000012_curves_1.vtp   the piece of rank 1; ranks with nothing to draw have none
///     <name>_entities.csv              names of the numbers in the field `entity`
///
/// Coordinates and fields are in double precision. Paths inside the files are relative, so a folder may be moved. The
/// `.pvd` is complete after every frame.
class VtkSeries {
 public:
  /// Removes the frames of an earlier series of that name. Throws Error with the path and the reason. Collective.
  VtkSeries(Assembler& assembler, std::filesystem::path folder, std::string name);
  ~VtkSeries();
  VtkSeries(const VtkSeries&) = delete;
  VtkSeries& operator=(const VtkSeries&) = delete;

  /// Adds a frame; one at the time of the last frame is left out. Where time went back since the last frame, the
  /// frames so far become the series `<name>_1` (`_2`, ...), and `<name>` goes on with this one. Throws Error (on all
  /// ranks) with the path and the reason. Collective.
  void record(const State& state);

  int frames() const;                 ///< written
  std::vector<double> times() const;  ///< of the frames of the present series
  std::int64_t bytes() const;         ///< in the files of all ranks, but the .pvd. Collective.
  const std::filesystem::path& pvd() const;
  /// The layers that something was drawn on, in the order of the blocks of the .pvd.
  std::vector<SeriesLayer> layers() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
