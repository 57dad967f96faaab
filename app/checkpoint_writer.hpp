#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "io/files/checkpoint_file.hpp"
#include "io/recorder/recorder.hpp"
#include "position_samples.hpp"
#include "run_log.hpp"
#include "solvers/newton/stop_request.hpp"
#include "solvers/run/monitor.hpp"

namespace trammel {

/// Writes checkpoints of a run into its folder: at given intervals in nominal steps and in minutes, on SIGUSR1,
/// when the run stops on request, and at the end of a run that writes checkpoints. The last two are kept. If a
/// checkpoint cannot be written, the log has a warning, the run continues, and the previous checkpoint stays.
class CheckpointWriter final : public Monitor {
 public:
  struct Options {
    std::filesystem::path folder;
    int every = 0;       ///< nominal steps; 0: not by steps
    double minutes = 0;  ///< 0: not by the clock
    int stages = 0;      ///< of the case
  };
  /// `about`: about_run, on rank 0. `samples`: of a run whose errors are to be told, else null. All must outlive the writer.
  CheckpointWriter(MPI_Comm comm, Options options, const Checkpoint& about, const Model& model,
                   const Recorder& recorder, PositionSamples* samples, const StopRequest& stop, RunLog& log);

  void add_requests(RankTotals& totals) override;
  bool wants_snapshot(const StepReport& report) override;
  bool wants_snapshot_at_stop(const StepReport& report) override;
  void take(const Snapshot& snapshot) override;

  /// The last one that was written, in this run; empty: none. The same on every rank.
  const std::string& last() const { return last_; }
  /// The state that the run stopped at is in it.
  bool has_stop() const { return taken_at_stop_; }
  /// A line for the summary; empty where none was written.
  std::string in_words() const;
  /// Seconds that the last one took.
  double cost() const { return cost_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Why { none, steps, end, minutes, signal, stop };

  Why why(const StepReport& report) const;
  void remove_old() const;

  MPI_Comm comm_;
  int rank_ = 0;
  Options options_;
  const Checkpoint& about_;
  const Model& model_;
  const Recorder& recorder_;
  PositionSamples* samples_;
  const StopRequest& stop_;
  RunLog& log_;
  Why why_ = Why::none;
  double request_ = 0;            ///< a Why of the clock or of a signal
  StepReport step_;               ///< of the snapshot that is to come
  int taken_stage_ = -1;          ///< of the last one that was written
  std::int64_t taken_step_ = -1;  ///< and its step
  bool taken_at_stop_ = false;
  int number_ = 0;                  ///< of the last file
  int written_ = 0, asked_ = 0;     ///< files; signals that were answered
  std::int64_t bytes_ = 0;          ///< of the last one
  double cost_ = 0, all_cost_ = 0;  ///< [s]
  Clock::time_point last_time_ = Clock::now();
  std::string last_;
};

}  // namespace trammel
