#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/vtk/vtk_piece.hpp"
#include "kernel/assembler.hpp"
#include "trammel/archive.hpp"

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
/// Paths inside the files are relative, so a folder may be moved.
///
/// Threads draw the frames and write the files while the computation continues; at most two frames are begun and not written. The
/// `.pvd` names a frame after all ranks have written it, of which they inform each other with the next frame. At
/// any time the `.pvd` and all files that it names are complete, and at most two frames are missing.
class VtkSeries {
 public:
  /// Removes the frames of an earlier series of that name. Throws Error with the path and the reason. Collective.
  VtkSeries(Assembler& assembler, std::filesystem::path folder, std::string name);
  /// Continues a series from its state at `write_place`: removes later frames. Throws Error with the path and the
  /// reason. Collective.
  VtkSeries(Assembler& assembler, std::filesystem::path folder, std::string name, Archive& place);
  ~VtkSeries();
  VtkSeries(const VtkSeries&) = delete;
  VtkSeries& operator=(const VtkSeries&) = delete;

  /// Adds a frame, unless the last frame has the same time. If the time is before that of the last frame, the
  /// frames so far become the series `<name>_1` (`_2`, ...), and `<name>` begins with this frame. The first frame
  /// of a series is written when this function returns. Throws Error, on all ranks, with the path and the reason,
  /// also for an earlier frame.
  ///
  /// A thread of each rank draws the frame from a copy of the state. Call `finish_drawing` before instances change their histories
  /// and before the layout is revised. Collective.
  void record(const State& state);
  /// Waits for the drawing of the last frame. False if it was drawn already. Throws Error, on all ranks, if an instance cannot be
  /// drawn. Collective.
  bool finish_drawing();
  /// Returns when all frames are written and named. Throws Error as `record` does. Collective.
  void drain();
  /// Does what can be done without waiting: hands a frame that is drawn to the thread that writes, and names those that are written. True
  /// in the first case. On several ranks only `record`, `finish_drawing` and `drain` do this.
  bool pass_on();

  /// Writes the data that a run needs to continue this series, complete on rank 0. Writes all frames first.
  /// Collective.
  void write_place(Archive& archive);

  int frames() const;                 ///< recorded
  std::vector<double> times() const;  ///< of the frames of the present series
  std::int64_t bytes() const;         ///< in the files of all ranks so far, but the .pvd. Collective.
  const std::filesystem::path& pvd() const;
  std::filesystem::path frames_folder() const;  ///< `<name>_vtk`
  /// The layers that something was drawn on in the frames whose drawing is finished, in the order of the blocks of the .pvd.
  std::vector<SeriesLayer> layers() const;
  double glyph_size() const;  ///< of joints [m]; fixed at the first frame

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
