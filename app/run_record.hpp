#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "io/files/checkpoint_file.hpp"
#include "solvers/run/simulation.hpp"

namespace trammel {

/// By how much positions err in a stage, as a second run tells it.
struct PositionError {
  int stage = 0;         ///< its index
  double error = 0;      ///< part of the range of the position that errs most
  double time = 0;       ///< when it does [s]
  std::string position;  ///< "bob position"
};

/// `run.json` in the folder of results: the case, its settings and the outcome of the run, for other programs.
class RunRecord {
 public:
  /// Writes the file: the run is under way. `about` as for checkpoints. On rank 0 alone; others write nothing. Throws Error.
  RunRecord(bool writes, const std::filesystem::path& folder, const CommandLine& command,
            const std::string& case_file, const Checkpoint& about);
  /// Without `finish`, an exception ends the run: "error", which leaves nothing else to say.
  ~RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Writes it again. `end`: "done", "signal", "time limit", "no convergence", "energy", "error"; `status`: the exit status;
  /// `checkpoint`: the last one, may be empty.
  void finish(const std::string& end, int status, const RunSummary& summary, double time,
              const std::string& checkpoint);

  /// Writes it again, with what the check has found. After `finish`.
  void add(const std::vector<PositionError>& errors);

 private:
  bool writes_;
  std::filesystem::path path_;
  std::string head_;  ///< lines that stay
  std::string end_;   ///< lines of `finish`
  bool finished_ = false;
};

}  // namespace trammel
