#pragma once

#include <array>

#include "solvers/run/simulation.hpp"
#include "solvers/start/model_energy.hpp"

namespace trammel {

/// The energy balance of a dynamic stage: energy of the state, energy that left the system, energy without a
/// source.
class EnergyLedger {
 public:
  /// `summary` receives the balance and must outlive the ledger. `length`: of the model [m]. `tells`: whether
  /// energy without a source is written to the summary.
  EnergyLedger(Assembler& assembler, RunSummary& summary, double length, bool tells)
      : assembler_(assembler), summary_(summary), length_(length), tells_(tells) {}

  /// Begins the balance at the start of a stage. `first`: it is the first dynamic stage.
  void begin(const State& state, bool first);
  /// Takes the energies at the end of an accepted step, which `totals` must make those of all ranks before it is booked.
  void take(const State& state, RankTotals& totals) { taken_.take(assembler_, state, totals); }
  /// Includes an accepted step of size h to `time` [s], whose energies were taken.
  void book(double time, double h);
  /// The state jumped at an event. `added`: the kinetic energy that an impulse added [J]; the balance continues
  /// from there.
  void jump(const State& state, double added);

  const ModelEnergy& now() const { return now_; }  ///< at the state that was booked last
  /// Energy without a source in the stage so far, at the present state [J].
  double gain() const { return gain_; }
  /// Largest sum of kinetic energy and changes of strain and potential energy in the stage so far [J].
  double largest() const { return largest_; }
  /// The gain minus its rounding error, as a fraction of `largest()`. Zero during the first steps from rest, whose
  /// errors are large compared with the small energy present, however short the steps are.
  double part() const { return part_of(gain_, largest_, rounding_); }
  /// `part`, if a step of size h from the booked state ended at `trial`. Collective.
  double part_after(const State& trial, double h) const;

  template <class Archive>
  void serialize(Archive& archive) {
    for (ModelEnergy* b : {&begin_, &now_})
      archive(b->energy.kinetic, b->energy.strain, b->energy.potential, b->energy.dissipated_power, b->size);
    archive(lost_, reference_, gain_, largest_, rounding_, earlier_);
  }

 private:
  /// Energy [J] that rounding may make of `all`.
  double rounding_of(const ModelEnergy& all) const;
  double moved_by(const ModelEnergy& balance) const;
  double part_of(double gain, double largest, double rounding) const;
  /// The gain of a step of size h to `after` [J]. Dissipation counts only as far as the energy fell, because
  /// dampers that the step does not resolve report more than they dissipate.
  double gain_of_step(const ModelEnergy& after, double h) const;

  Assembler& assembler_;
  RunSummary& summary_;
  double length_;
  bool tells_;
  ModelEnergy begin_, now_;
  EnergyTotals taken_;
  double lost_ = 0;       ///< in the stage, since it began [J]
  double reference_ = 0;  ///< energy that the present one and what was lost are compared with [J]
  double gain_ = 0, largest_ = 0, rounding_ = 0;
  std::array<double, 5> earlier_{};  ///< `largest` before each of the last steps, the oldest first [J]
};

}  // namespace trammel
