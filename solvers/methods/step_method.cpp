#include "solvers/methods/step_method.hpp"

namespace trammel {

void StepMethod::take_predictor(const Layout& layout, const State& state, std::vector<double>& predictor) {
  predictor.resize(layout.dof_count());
  for (const UnknownBlock& u : layout.unknowns())
    for (int k = 0; k < u.size; ++k) {
      const auto i = static_cast<std::size_t>(u.offset.dof + k);
      predictor[i] = !has_rate(u.kind)            ? state.value[static_cast<std::size_t>(u.offset.value + k)]
                     : u.kind == BlockKind::state ? state.rate[i]
                                                  : state.acceleration[i];
    }
}

}  // namespace trammel
