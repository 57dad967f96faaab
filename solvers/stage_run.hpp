#pragma once

#include <map>
#include <memory>
#include <vector>

#include "solvers/consistent_start.hpp"
#include "solvers/loop_watch.hpp"
#include "solvers/simulation.hpp"
#include "solvers/step_method.hpp"

namespace trammel {

class GeneralizedAlpha;

/// Runs one stage of a simulation from its present state.
class StageRun {
 public:
  StageRun(Simulation& simulation, const Stage& stage, int index);

  void run();
  /// The step under way, for messages.
  const StepReport& report() const { return report_; }

 private:
  /// A time to be reached, by one step of size h from the time before.
  struct Target {
    double time;
    double h;
    bool event = false;  ///< a review asked for it
  };

  void run(const AssembleStage& stage);
  void run(const StaticStage& stage);
  void run(const DynamicStage& stage);
  void start(const DynamicStage& stage, const ModelScales& scales);
  void number_unknowns(bool stabilized);
  bool moves() const { return std::holds_alternative<DynamicStage>(stage_.what); }
  /// Gives coordinates their initial values, where the bodies have not begun to move.
  void place(const ModelScales& scales, const AssembleStage& options);
  /// Finds the constraints that repeat others at the start of a stage.
  void find_loops(const ModelScales& scales, Redundancy redundancy);
  /// Where equations that were left out are open at the trial: leaves out others. True where there are others.
  bool loops_changed(StepMethod& method);

  /// Stops where the ranks were asked to: before a stage begins, and after an accepted step.
  void stop_before_stage() const;
  void march(StepMethod& method, int steps, double h, int max_cuts);
  void reach(StepMethod& method, Target nominal, int max_cuts);
  /// One step that is accepted, or cut: true where the top target was reached.
  bool step(StepMethod& method, std::vector<Target>& targets, double smallest);
  /// Where the first step failed: shorter steps do not help a body that has neither mass nor a hold.
  void refuse_massless(StepMethod& method);
  /// `refused`: by a review, after Newton's method converged.
  void cut(StepMethod& method, std::vector<Target>& targets, double smallest, int iterations, bool refused);
  /// Notes a cut and its reason; of more that follow for the same reason their number only, in `end_cuts`.
  void note_cut(const Target& target, double half, int iterations, const std::string& why);
  void end_cuts();
  void revise(StepMethod& method);
  /// Follows joints that let go or begin to hold. `again`: because of the last review; the step begins with it.
  void follow_status(StepMethod& method, bool again);
  /// Goes on from the present state with accelerations and multipliers, and velocities, that fit the forces and joints that
  /// there are now.
  void restart(StepMethod& method);
  /// Takes back what the reviews of the step under way changed, a restart that they led to included.
  void reject(StepMethod& method);
  void accept(StepMethod& method, const Target& target, bool renew);
  void note(const std::string& text);
  template <class Call>
  void tell(Call&& call);

  Simulation& simulation_;
  Assembler& assembler_;
  const Stage& stage_;
  StepReport report_;
  int iterations_ = 0, factorizations_ = 0;  ///< of the step under way, failed attempts included
  int review_cuts_ = 0;                      ///< that reviews asked for in this nominal step
  int review_cuts_in_a_row_ = 0;             ///< and since the last accepted one
  std::string why_cut_;                      ///< last noted, since the last accepted step
  int more_cuts_ = 0;                        ///< not noted, for that reason
  double last_cut_ = 0;                      ///< the step then [s]
  int level_ = 0;                            ///< halvings that the next nominal step starts with
  bool balance_ = false;                     ///< keep the energy balance
  Energy energy_;
  double reference_ = 0;  ///< energy and losses at the start of the stage
  std::optional<ModelScales> scales_;
  bool jumped_ = false;  ///< forces or constraints jump where the next step begins
  std::map<int, std::vector<BlockId>>
      activated_;  ///< joints that begin to hold there, with their multipliers
  /// What there was before a restart that the review of the step under way led to.
  struct BeforeRestart {
    State state;
    StepHistory history;
    double added = 0;  ///< kinetic energy by the restart's impulse [J]
  };
  std::optional<BeforeRestart> before_restart_;
  bool taken_back_ = false;  ///< the last rejected step took a restart back
  std::optional<LoopWatch> loops_;
  bool status_followed_ = false;  ///< at the last accepted state
};

}  // namespace trammel
