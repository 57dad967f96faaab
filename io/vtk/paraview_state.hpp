#pragma once

#include <string>
#include <vector>

#include "io/vtk/recorded_view.hpp"
#include "io/vtk/vtk_series.hpp"

namespace trammel {

/// What a state file of ParaView shows.
struct ParaviewView {
  std::string pvd;                  ///< name of the series, in the folder of the state file
  std::vector<SeriesLayer> layers;  ///< its blocks
  RecordedView seen;                ///< camera and scales of arrows
};

/// The text of a state file for ParaView 5.10 or later, in Python: ParaView knows the place of such a file, and so it
/// finds the series beside it wherever both are moved (in a state file of XML a relative path is one from the folder
/// that ParaView was started in).
///
///     paraview crank_paraview.py                      or --state=, --script=, File > Load State
///     pvbatch crank_paraview.py picture.png           one picture of the last instant, or of the time that follows
std::string paraview_state(const ParaviewView& view);

}  // namespace trammel
