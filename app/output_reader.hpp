#pragma once

#include <vector>

#include "io/case/case_file.hpp"
#include "io/recorder/recorder.hpp"

namespace trammel {

/// Kinds of output of a run, and how often each is written.
struct OutputOptions {
  RecorderSchedule vtk;
  RecorderSchedule csv;
  bool log = true;
  int checkpoint_every = 0;       ///< nominal steps; 0: not by steps
  double checkpoint_minutes = 0;  ///< 0: not by the clock
};

/// The parameters under `output`.
const std::vector<Parameter>& output_parameters();

/// Reads `output` of a case. Throws Error with its place.
OutputOptions read_output(const CaseFile& file);

}  // namespace trammel
