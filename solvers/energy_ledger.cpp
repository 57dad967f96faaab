#include "solvers/energy_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel {

namespace {
double total(const Energy& e) { return e.kinetic + e.strain + e.potential; }
}  // namespace

void EnergyLedger::begin(const State& state, bool first) {
  energy_ = assembler_.energy(state);
  if (first) summary_.energy_at_start = energy_;
  reference_ = total(energy_) + summary_.lost;
}

void EnergyLedger::book(const State& state, double h) {
  const Energy before = std::exchange(energy_, assembler_.energy(state));
  summary_.lost += 0.5 * (before.lost_power + energy_.lost_power) * h;
  const double gain = total(energy_) + summary_.lost - reference_;
  summary_.largest_gain = std::max(summary_.largest_gain, std::abs(gain));
  if (gain > summary_.gained) {
    summary_.gained = gain;
    summary_.gained_at = state.time;
  }
  summary_.largest_energy =
      std::max(summary_.largest_energy, energy_.kinetic + std::abs(energy_.strain) +
                                            std::abs(energy_.potential - summary_.energy_at_start.potential));
}

void EnergyLedger::jump(const State& state, double added) {
  energy_ = assembler_.energy(state);
  reference_ += added;
}

}  // namespace trammel
