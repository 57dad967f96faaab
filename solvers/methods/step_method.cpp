#include "solvers/methods/step_method.hpp"

#include <algorithm>

namespace trammel {

void StepMethod::take_predictor(std::span<const UnknownRun> runs, const State& state,
                                std::vector<double>& predictor) {
  predictor.resize(state.rate.size());
  for (const UnknownRun& run : runs) {
    const double* const from = run.of == UnknownRun::Of::motion   ? state.acceleration.data() + run.dof
                               : run.of == UnknownRun::Of::states ? state.rate.data() + run.dof
                                                                  : state.value.data() + run.value;
    std::copy_n(from, run.size, predictor.data() + run.dof);
  }
}

}  // namespace trammel
