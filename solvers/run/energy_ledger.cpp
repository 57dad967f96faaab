#include "solvers/run/energy_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel {

double EnergyLedger::rounding_of(const ModelEnergy& b) const {
  // Fractions of the energies, and of the work of the forces over the model's length, below which an error is
  // ignored.
  constexpr double of_energy = 1e-9, of_work = 1e-6;
  const double force = assembler_.scales().contribution[static_cast<std::size_t>(BlockKind::position)];
  return of_energy * b.size + of_work * force * length_;
}

double EnergyLedger::moved_by(const ModelEnergy& b) const {
  return b.energy.kinetic + std::abs(b.energy.strain - begin_.energy.strain) +
         std::abs(b.energy.potential - begin_.energy.potential);
}

double EnergyLedger::part_of(double gain, double largest, double rounding) const {
  const double beyond = gain - rounding;
  if (!(beyond > 0)) return 0;
  constexpr double sets_in = 0.1;  // of the energy that is explained
  if (earlier_.front() < std::max(rounding, sets_in * (largest - gain))) return 0;
  return beyond / std::max(largest, rounding);
}

double EnergyLedger::gain_of_step(const ModelEnergy& after, double h) const {
  const double change = after.total() - now_.total();
  const double lost = 0.5 * (now_.energy.dissipated_power + after.energy.dissipated_power) * h;
  return change + std::min(lost, std::max(0.0, -change));
}

double EnergyLedger::part_after(const State& trial, double h) const {
  const ModelEnergy after = model_energy(assembler_, trial);
  return part_of(gain_ + gain_of_step(after, h), std::max(largest_, moved_by(after)),
                 std::max(rounding_, rounding_of(after)));
}

void EnergyLedger::begin(const State& state, bool first) {
  begin_ = now_ = model_energy(assembler_, state);
  if (first) summary_.energy_at_start = begin_.energy;
  reference_ = begin_.total();
  lost_ = gain_ = 0;
  largest_ = moved_by(begin_);
  rounding_ = rounding_of(begin_);
  earlier_.fill(largest_);
}

void EnergyLedger::book(double time, double h) {
  const ModelEnergy after = taken_.of_all();
  gain_ += gain_of_step(after, h);
  const ModelEnergy before = std::exchange(now_, after);
  const double lost = 0.5 * (before.energy.dissipated_power + now_.energy.dissipated_power) * h;
  std::rotate(earlier_.begin(), earlier_.begin() + 1, earlier_.end());
  earlier_.back() = largest_;
  lost_ += lost;
  summary_.lost += lost;
  largest_ = std::max(largest_, moved_by(now_));
  rounding_ = std::max(rounding_, rounding_of(now_));
  summary_.largest_gain = std::max(summary_.largest_gain, std::abs(now_.total() + lost_ - reference_));
  summary_.largest_energy = std::max(summary_.largest_energy, largest_);
  if (gain_ > summary_.gained) {
    summary_.gained = gain_;
    summary_.gained_at = time;
  }
  if (const double now = part(); tells_ && now > summary_.nowhere.part)
    summary_.nowhere = {now, gain_, largest_, time};
}

void EnergyLedger::jump(const State& state, double added) {
  const ModelEnergy before = std::exchange(now_, model_energy(assembler_, state));
  gain_ += now_.total() - before.total() - added;
  reference_ += added;
}

}  // namespace trammel
