#pragma once

#include <array>

#include "solvers/simulation.hpp"

namespace trammel {

/// The energy balance of a dynamic stage: what the state has, what was lost, what came from nowhere.
class EnergyLedger {
 public:
  /// `summary`, where the balance is kept, must outlive it; `length`: of the model [m]; `tells`: what comes from nowhere stands
  /// in the summary.
  EnergyLedger(Assembler& assembler, RunSummary& summary, double length, bool tells)
      : assembler_(assembler), summary_(summary), length_(length), tells_(tells) {}

  /// Opens the ledger at the start of a stage; `first`: nothing moved before.
  void begin(const State& state, bool first);
  /// Books an accepted step of size h.
  void book(const State& state, double h);
  /// The state jumped, at one time; `added`: kinetic energy that an impulse brought, which counts from now on.
  void jump(const State& state, double added);

  double kinetic() const { return now_.energy.kinetic; }
  /// Energy that came from nowhere in the stage so far [J], as the present state has it.
  double gain() const { return gain_; }
  /// Largest sum of kinetic energy and changes of strain and potential energy in the stage so far [J].
  double largest() const { return largest_; }
  /// The gain beyond what rounding explains, as a part of that sum. Zero while a motion sets in: the first steps from rest have
  /// errors that are large beside the little energy that there is, however short they are.
  double part() const { return part_of(gain_, largest_, rounding_); }
  /// `part`, if a step of size h from the booked state ended at `trial`. Collective.
  double part_after(const State& trial, double h) const;

  template <class Archive>
  void serialize(Archive& archive) {
    for (Balance* b : {&begin_, &now_})
      archive(b->energy.kinetic, b->energy.strain, b->energy.potential, b->energy.dissipated_power, b->size);
    archive(lost_, reference_, gain_, largest_, rounding_, earlier_);
  }

 private:
  /// The energies of a state.
  struct Balance {
    Energy energy;
    double size = 0;  ///< sum of the absolute energies of all instances [J]

    double total() const { return energy.kinetic + energy.strain + energy.potential; }
  };
  Balance balance(const State& state) const;
  /// Energy [J] that rounding may make of `balance`.
  double rounding_of(const Balance& balance) const;
  double moved_by(const Balance& balance) const;
  double part_of(double gain, double largest, double rounding) const;
  /// What a step of size h to `after` gains [J]. Dissipation counts as far as the energy fell: dampers that the step does not
  /// resolve report more than they take.
  double gain_of_step(const Balance& after, double h) const;

  Assembler& assembler_;
  RunSummary& summary_;
  double length_;
  bool tells_;
  Balance begin_, now_;
  double lost_ = 0;       ///< in the stage, since it began [J]
  double reference_ = 0;  ///< energy that the present one and what was lost are compared with [J]
  double gain_ = 0, largest_ = 0, rounding_ = 0;
  std::array<double, 5> earlier_{};  ///< `largest` before each of the last steps, the oldest first [J]
};

}  // namespace trammel
