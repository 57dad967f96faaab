#pragma once

#include <utility>
#include <vector>

#include "position_samples.hpp"
#include "run_log.hpp"
#include "run_record.hpp"
#include "session.hpp"
#include "solvers/newton/stages.hpp"
#include "time_limit.hpp"

namespace trammel {

/// Of all stages; 0 of those with steps of one size and without motion.
std::vector<double> accuracies_of(const std::vector<Stage>& stages);

/// Tells by how much positions err: in a second run each step is a fixed part or multiple of those that the first one took at that
/// time. Errors differ by a power of that, so that the difference of both runs gives the error of the first.
class AccuracyCheck {
 public:
  AccuracyCheck(Assembler& assembler, std::vector<Stage> stages)
      : stages_(std::move(stages)), samples_(assembler) {}

  /// Whether a stage asks for a second run.
  bool asked() const;
  /// To be added to the first run.
  PositionSamples& samples() { return samples_; }

  /// What the second run has found.
  struct Found {
    std::vector<PositionError>
        errors;  ///< of the stages that were checked; empty where the second run was given up
    std::vector<double> accuracies;  ///< with which the run should begin again; empty: it should not
  };
  /// Runs all stages up to the last one that is checked a second time, and logs the errors of the first run. `kept`: as in the
  /// first run, joints keep their multipliers. `steps`: of the first run. A second run that fails is reported in the log.
  /// `again`: the run may begin again where `reach` asks for a smaller error. Collective.
  Found run(Session& session, bool kept, long steps, bool again, TimeLimit& limit, RunLog& log) const;

 private:
  std::vector<Stage> stages_;
  PositionSamples samples_;
};

}  // namespace trammel
