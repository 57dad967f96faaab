#pragma once

#include "solvers/simulation.hpp"

namespace trammel {

/// The energy balance of a dynamic stage: what the state has, what was lost, what came from nowhere.
class EnergyLedger {
 public:
  /// `summary`, where the balance is kept, must outlive it.
  EnergyLedger(Assembler& assembler, RunSummary& summary) : assembler_(assembler), summary_(summary) {}

  /// Opens the ledger at the start of a stage; `first`: nothing moved before.
  void begin(const State& state, bool first);
  /// Books an accepted step of size h.
  void book(const State& state, double h);
  /// The state jumped, at one time; `added`: kinetic energy that an impulse brought, which counts from now on.
  void jump(const State& state, double added);
  double kinetic() const { return energy_.kinetic; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(energy_.kinetic, energy_.strain, energy_.potential, energy_.lost_power, reference_);
  }

 private:
  Assembler& assembler_;
  RunSummary& summary_;
  Energy energy_;
  double reference_ = 0;  ///< energy and losses that the present ones are compared with [J]
};

}  // namespace trammel
