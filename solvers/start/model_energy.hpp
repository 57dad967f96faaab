#pragma once

#include "kernel/assembler.hpp"

namespace trammel {

/// The energies of all instances but inactive ones, over all ranks.
struct ModelEnergy {
  Energy energy;
  double size = 0;  ///< sum of the absolute energies of all instances [J]

  double total() const { return energy.kinetic + energy.strain + energy.potential; }
};

/// Collective. Throws Error where an instance refuses the state.
ModelEnergy model_energy(Assembler& assembler, const State& state);

}  // namespace trammel
