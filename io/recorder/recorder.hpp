#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/run/monitor.hpp"

namespace trammel {

/// When to record. In a stage with an accuracy, records have times of their own, `interval` apart, unless `every`
/// is given. In other stages `every` counts nominal steps; parts of a divided step do not count separately. The
/// first and the last state of a stage are always recorded.
struct RecorderSchedule {
  bool on = true;
  int every = 0;        ///< nominal steps between records; 0: every step, or the interval of an accuracy
  double interval = 0;  ///< time between records [s]; above 0 it takes the place of `every`
};

struct RecorderOptions {
  std::filesystem::path folder;  ///< made where it is missing
  std::string name = "case";     ///< of the series for ParaView
  RecorderSchedule vtk;
  RecorderSchedule csv;
  /// Recorder::place of a run that is continued in the same folder, the same on every rank; empty: new files.
  std::vector<std::byte> place = {};
};

/// What was recorded so far.
struct RecorderCounts {
  int frames = 0;              ///< drawings for ParaView
  std::int64_t vtk_bytes = 0;  ///< in their files
  int histories = 0;           ///< CSV files
  std::int64_t csv_bytes = 0;
  double bytes_per_frame() const { return frames > 0 ? static_cast<double>(vtk_bytes) / frames : 0; }
};

/// Records a run into a folder: frames for ParaView with a state file, and histories of sensors. Stages of type
/// assemble are not recorded. If the run fails or is stopped, the last accepted state is recorded.
///
/// Threads draw frames and write the files while the computation continues: at most two frames and the lines of a second are not
/// yet written. All is written when a stage ends and when the run fails or is stopped.
class Recorder final : public Monitor {
 public:
  /// Creates the folder, and removes the frames of an earlier run with the same name. Throws Error with the path
  /// and the reason, on all ranks. Collective.
  Recorder(Assembler& assembler, RecorderOptions options);
  ~Recorder() override;

  // These throw Error, on all ranks, where a file cannot be written.
  void stage_begins(const Stage& stage, const StepReport& report, const State& state) override;
  void goes_on(const Stage& stage, const StepReport& report, const State& state) override;
  void passes(const StepReport& report, const DenseStep& step) override;
  void accepted(const StepReport& report, const State& state) override;
  void event_comes(const StepReport& report, const State& state) override;
  void event_restarts(const StepReport& report, const State& state) override;
  void histories_change() override;
  void stage_ends(const Stage& stage, const StepReport& report, const State& state) override;
  void stopped(const StepReport& report, const State& state) override;
  void failed(const StepReport& report, const State& state, std::string_view message) override;

  /// Returns when all records are in the files. Throws Error, on all ranks, if a file cannot be written.
  /// Collective.
  void flush();
  /// The data that a run needs to continue these files: clocks, sizes, frames. Complete on rank 0. Collective.
  std::vector<std::byte> place() const;
  /// Counts of what is in the files. The same on every rank. Collective.
  RecorderCounts counts() const;
  /// The file to open in ParaView.
  std::filesystem::path view() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
