#include "solvers/start/model_energy.hpp"

#include <cmath>

#include "kernel/instance_plan.hpp"

namespace trammel {

void EnergyTotals::take(Assembler& assembler, const State& state, RankTotals& totals) {
  Energy sum;
  double size = 0;
  const auto add = [&](const RangePlan& plan, int i, const LocalState& x) {
    if (assembler.asleep(plan, i)) return;
    const Energy e = plan.range->energy(i, x);
    sum += e;
    size += e.kinetic + std::abs(e.strain) + std::abs(e.potential);
  };
  assembler.each_instance(state, add, totals.fault, &ElementCalls::energy);
  numbers_ = {sum.kinetic, sum.strain, sum.potential, sum.dissipated_power, size};
  totals.add_sums(numbers_);
}

ModelEnergy EnergyTotals::of_all() const {
  ModelEnergy all;
  Energy& e = all.energy;
  e.kinetic = numbers_[0], e.strain = numbers_[1], e.potential = numbers_[2],
  e.dissipated_power = numbers_[3];
  all.size = numbers_[4];
  return all;
}

ModelEnergy model_energy(Assembler& assembler, const State& state) {
  RankTotals totals;
  EnergyTotals energies;
  energies.take(assembler, state, totals);
  if (!totals.agree(assembler)) assembler.throw_refused(state);
  return energies.of_all();
}

}  // namespace trammel
