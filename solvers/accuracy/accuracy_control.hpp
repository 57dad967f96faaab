#pragma once

#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/accuracy/accuracy_report.hpp"
#include "solvers/accuracy/error_budget.hpp"
#include "solvers/accuracy/error_response.hpp"
#include "solvers/accuracy/event_crowding.hpp"
#include "solvers/accuracy/step_pace.hpp"
#include "solvers/accuracy/step_sizes.hpp"
#include "solvers/accuracy/undelayed_rate.hpp"
#include "solvers/errors/last_errors.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/errors/lost_phase.hpp"
#include "solvers/errors/motion_range.hpp"
#include "solvers/errors/reaction_error.hpp"
#include "solvers/errors/vibration_amplitude.hpp"
#include "solvers/methods/step_method.hpp"
#include "solvers/newton/stages.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// Chooses the steps of a stage from an accuracy. Each step may add an error to the positions which, per unit of
/// time, is at most the requested fraction of the ranges of the motion over the duration of the stage
/// (docs/steps_by_accuracy.md).
class AccuracyControl {
 public:
  /// `begin`, `until`: of the stage [s]. `length`: of the model [m]. `reaction_error`: ConstraintForm::reaction_error.
  AccuracyControl(Assembler& assembler, const DynamicStage& stage, double begin, double until, double length,
                  double reaction_error);

  /// At the start of the stage. Collective.
  void begin(const State& state);
  /// The size of the next step [s]. Throws Error if it is below the rounding error of the time.
  double next(const State& now) const;
  /// Whether the converged trial of a step of size h [s] is accurate enough; if not, the next step is shorter.
  /// `unique`: the multipliers of the trial are those that will be reported; redundant ones change when it is accepted.
  /// `event`: it ends at one. Throws Error if rounding errors exceed the accuracy. Collective.
  bool accepts(StepMethod& method, double h, bool unique, bool event);
  /// A step of size h is rejected for another reason than its error: the next one has half its size. Returns false
  /// if h is so small a fraction of the longest step so far that halving it again does not help.
  bool halve(double h);
  /// A step of size h was accepted, in place of one of size `planned`. `event`: it ends at an event.
  void accepted(const State& now, double h, double planned, bool event);
  /// The motion restarted: discards the data of the steps before. Collective.
  void restarted(const State& now);

  /// At the end of the stage: completes the report. Collective.
  void end();
  const AccuracyReport& report() const { return report_; }
  /// After `accepted`: once in a stage, where steps have become so short that its end is far away, what holds them; else nothing.
  /// Collective.
  std::string creeping(const State& now);
  const EventCrowding& events() const { return crowding_; }
  /// "240 steps of 0.001 to 0.02 s, 2 rejected; estimated error ..."
  std::string in_words() const;

  /// Writes (collective) or reads.
  void serialize(Archive& archive) {
    archive(sizes_, budget_, range_, reactions_, response_, crowding_, pace_, report_, mean_step_, rate_,
            unseen_, of_positions_, added_, smooth_, averaged_, part_of_time_, vibration_, undelayed_);
    last_.serialize(archive, assembler_.layout());
    vibrations_.serialize(archive, assembler_.layout());
    lost_phase_.serialize(archive, assembler_.layout());
    for (std::vector<double>* errors : {&mean_.displacement, &mean_.velocity, &mean_magnitude_,
                                        &made_.displacement, &made_.velocity, &made_magnitude_, &recent_})
      serialize_by_block(archive, assembler_.layout(), *errors);
  }

 private:
  /// Computes `error_` of the trial. Returns the rate of error that stands for the vibrations that are taken out of it; it does not add up
  /// over the steps. Collective.
  double find_error(StepMethod& method, bool event, double ahead);
  /// The time of vibrations that are taken out of errors [s].
  double time_of_vibrations(double ahead) const;
  /// A step of size h was accepted: adapts this time.
  void follow_vibrations(double now, double h);
  /// Computes the averages of errors over the last steps and the trial of size h.
  void average(const State& trial, double h);
  /// Computes of `mean_` what it says of a trial of size h.
  void bring_averages(double h);
  /// Computes the errors made in the time of the averages, where these tell nothing of them: steps or the motion have changed by much
  /// since. Zero elsewhere, and in negligible numbers.
  void count_made();
  /// Leaves out of averages what vibrations may add to them in negligible numbers, in a trial of size h that has these shares of them.
  void leave_vibrations(double h, double of_displacements, double of_velocities, LocalError& mean) const;
  void find_negligible(double ahead);
  /// Whether errors of velocities are seen to cancel in this number.
  bool cancel(std::size_t i) const;
  /// Finds what the trial of size h does to the phase of vibrations that matter, and makes it count where that was asked for.
  void follow_phase(double h, double ahead);
  /// At an event: counts at once what the averages would still have added to the error, and makes them zero. Later steps are not
  /// limited by errors of forces that no longer act.
  void settle();
  /// Makes `rate_` that of multipliers with this error, if it is larger and shorter steps reduce it.
  void count_reactions(double error, double time, double h);
  /// Size of the first step, from velocities and accelerations [s]. Collective.
  double first_step(const State& state) const;

  Assembler& assembler_;
  double accuracy_, begin_, until_, length_;
  double longest_;  ///< of the steps [s]
  bool of_massless_, of_vibrations_;
  StepSizes sizes_;
  ErrorBudget budget_;
  MotionRange range_, trial_range_;  ///< of the motion so far; of it and the last trial
  ReactionError reactions_;
  ErrorResponse response_;  ///< of reactions
  EventCrowding crowding_;
  StepPace pace_;
  AccuracyReport report_;
  LocalError error_;  ///< of the last trial
  /// Averages of errors per unit of time, and of the magnitudes of those of velocities, for steps of the size `mean_step_`; also with
  /// the last trial.
  LocalError mean_, trial_mean_;
  std::vector<double> mean_magnitude_, trial_mean_magnitude_;
  LocalError brought_;  ///< `mean_` for steps of the trial's size
  std::vector<double> brought_magnitude_;
  /// Averages of errors per unit of time as they were made, each by a step of its own size; also with the last trial.
  LocalError made_, trial_made_, made_counted_;
  std::vector<double> made_magnitude_, trial_made_magnitude_;
  /// The largest magnitudes of the last errors of velocities per unit of time, for steps as of the averages; they fade.
  std::vector<double> recent_, trial_recent_;
  double unseen_ = 0;  ///< part of the error that the last trial makes besides `added_`
  VibrationAmplitude vibrations_, trial_vibrations_;
  std::vector<double> amplitudes_;   ///< of the trial's vibrations
  std::vector<char> negligible_;     ///< numbers whose errors are those of vibrations of no importance
  std::vector<char> vibrate_;        ///< numbers whose phase is followed
  std::vector<std::size_t> states_;  ///< numbers of first-order states
  LostPhase lost_phase_;
  double part_of_time_ = 1;  ///< of the longest time of vibrations that are taken out, the part that is
  /// The largest displacement of these vibrations over what is allowed, which fades; of the trial.
  double vibration_ = 0, trial_vibration_ = 0;
  double averaged_ = 0;                             ///< time since the averages began [s]
  LocalError counted_;                              ///< of the trial's averages the part that does not cancel
  double share_ = 0;                                ///< weight of the last trial in them
  double mean_step_ = 0;                            ///< [s]
  double rate_ = 0, of_positions_ = 0, added_ = 0;  ///< of the last trial
  LastErrors last_;
  LocalError last_counted_;  ///< of them, too, the part that does not cancel
  UndelayedRate undelayed_;
  bool limits_ = false;  ///< steps cannot become short enough for the last error of multipliers
  double smooth_ = 0;    ///< size of the last step that no event shortened [s]
};

/// Degrees of freedom without inertia, by BlockOffset::dof. Collective.
std::vector<char> massless(Assembler& assembler, const State& state);

}  // namespace trammel
