#include "solvers/start/model_energy.hpp"

#include <cmath>

#include "kernel/instance_plan.hpp"

namespace trammel {

ModelEnergy model_energy(Assembler& assembler, const State& state) {
  ModelEnergy all;
  const bool accepted = assembler.each_instance(
      state,
      [&](const RangePlan& plan, int i, const LocalState& x) {
        if (assembler.asleep(plan, i)) return;
        const Energy e = plan.range->energy(i, x);
        all.energy += e;
        all.size += e.kinetic + std::abs(e.strain) + std::abs(e.potential);
      },
      &ElementCalls::energy);
  if (!accepted) assembler.throw_refused(state);
  if (assembler.layout().ranks() > 1) {
    Energy& e = all.energy;
    double numbers[5] = {e.kinetic, e.strain, e.potential, e.dissipated_power, all.size};
    MPI_Allreduce(MPI_IN_PLACE, numbers, 5, MPI_DOUBLE, MPI_SUM, assembler.layout().comm());
    e.kinetic = numbers[0], e.strain = numbers[1], e.potential = numbers[2], e.dissipated_power = numbers[3];
    all.size = numbers[4];
  }
  return all;
}

}  // namespace trammel
