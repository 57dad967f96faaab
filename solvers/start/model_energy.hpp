#pragma once

#include <array>

#include "solvers/ranks/rank_totals.hpp"

namespace trammel {

/// The energies of all instances but inactive ones, over all ranks.
struct ModelEnergy {
  Energy energy;
  double size = 0;  ///< sum of the absolute energies of all instances [J]

  double total() const { return energy.kinetic + energy.strain + energy.potential; }
};

/// Energies of this rank, until totals have made them those of all ranks.
class EnergyTotals {
 public:
  /// Adds those of this rank's instances at `state` to `totals`; an exception of an instance is a fault there.
  void take(Assembler& assembler, const State& state, RankTotals& totals);
  /// When the ranks have agreed on the totals.
  ModelEnergy of_all() const;

 private:
  std::array<double, 5> numbers_{};  ///< kinetic, strain, potential [J], dissipated power [W], size [J]
};

/// Collective. Throws Error where an instance refuses the state.
ModelEnergy model_energy(Assembler& assembler, const State& state);

}  // namespace trammel
