#pragma once

#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/accuracy_report.hpp"
#include "solvers/event_crowding.hpp"
#include "solvers/local_error.hpp"
#include "solvers/motion_range.hpp"
#include "solvers/rank_bytes.hpp"
#include "solvers/step_method.hpp"
#include "solvers/step_sizes.hpp"

namespace trammel {

/// Chooses the steps of a stage so that what each adds to the error of positions stays, per unit of time, below the part of
/// the ranges of the motion that the stage may err by.
class AccuracyControl {
 public:
  /// `accuracy`: part of the ranges; from `begin` to `until` [s]; `length`: of the model [m].
  AccuracyControl(Assembler& assembler, double accuracy, double begin, double until, double length);

  /// At the start of the stage. Collective.
  void begin(const State& state);
  /// The size of the next step [s]. Throws Error where the clock cannot tell such a step.
  double next(const State& now) const;
  /// Whether the converged trial of a step of size h is accurate enough; the next one is shorter where it is not. Throws Error where
  /// rounding forbids the accuracy. Collective.
  bool accepts(const StepMethod& method, double h);
  /// A step of size h is not to be accepted for another reason than its error: the next one has half its size. False where it is
  /// a small part of the longest so far, so that halving it again is of no avail.
  bool halve(double h);
  /// A step of size h was accepted, in place of one of size `planned`; `event`: it ends there.
  void accepted(const State& now, double h, double planned, bool event);
  /// The motion restarted: nothing of the steps before goes on. Collective.
  void restarted(const State& now);

  const AccuracyReport& report() const { return report_; }
  const EventCrowding& events() const { return crowding_; }
  /// "240 steps of 0.001 to 0.02 s, 2 rejected; estimated error ..."
  std::string in_words() const;

  /// Writes (collective) or reads.
  void serialize(Archive& archive) {
    archive(sizes_, range_, crowding_, report_, mean_step_, rate_, added_, smooth_);
    for (std::vector<double>* errors : {&mean_.displacement, &mean_.velocity, &mean_once_})
      serialize_by_block(archive, assembler_.layout(), *errors);
  }

 private:
  /// Averages over the last steps and the trial of size h.
  void average(double h);
  /// A step to begin with, from velocities and accelerations [s]. Collective.
  double first_step(const State& state) const;

  Assembler& assembler_;
  double accuracy_, begin_, until_, length_;
  StepSizes sizes_;
  MotionRange range_;
  EventCrowding crowding_;
  AccuracyReport report_;
  LocalError error_, trial_mean_;  ///< of the last trial; with the averages over the steps before
  /// Averages of errors per unit of time, velocities averaged twice, as of steps of `mean_step_`; and velocities averaged once.
  LocalError mean_;
  std::vector<double> mean_once_, trial_once_;
  double mean_step_ = 0;         ///< [s]
  double rate_ = 0, added_ = 0;  ///< of the last trial
  double smooth_ = 0;            ///< size of the last step that no event cut [s]
};

/// Degrees of freedom without inertia, by BlockOffset::dof. Collective.
std::vector<char> massless(Assembler& assembler, const State& state);

}  // namespace trammel
