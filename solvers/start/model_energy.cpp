#include "solvers/start/model_energy.hpp"

#include <cmath>

#include "kernel/instance_plan.hpp"

namespace trammel {

namespace {

class SumOfEnergies final : public EnergySink {
 public:
  void add(int i, const Energy& e) override {
    sum += e;
    size += e.kinetic + std::abs(e.strain) + std::abs(e.potential);
    *instance = i + 1;
  }

  Energy sum;
  double size = 0;
  int* instance = nullptr;  ///< set to the number of the one whose energy comes next
};

}  // namespace

void EnergyTotals::take(Assembler& assembler, const State& state, RankTotals& totals) {
  SumOfEnergies all;
  const auto add = [&](const RangePlan& plan, int& instance) {
    all.instance = &instance;
    const std::span<const int> own = plan.instances;
    for (std::size_t k = 0; k < own.size();) {
      int last = instance = own[k];
      for (; k < own.size() && own[k] == last && !assembler.asleep(plan, last); ++k) ++last;
      if (instance == last)
        ++k;
      else
        plan.range->energies(instance, last, state, plan.offset_of, all);
    }
  };
  assembler.each_range(state, add, totals.fault, &ElementCalls::energy);
  const Energy& sum = all.sum;
  numbers_ = {sum.kinetic, sum.strain, sum.potential, sum.dissipated_power, all.size};
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
