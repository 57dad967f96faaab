#include "kernel/algebraic_rules.hpp"

#include <random>

#include "trammel/algebraic_rules.hpp"
#include "trammel/lie.hpp"

namespace trammel {

void AlgebraicRulesSink::add(int i, LocalSystem& contribution) {
  evaluated = i;
  blocks_.clear();
  for (const StencilBlock& b : plan_->stencil(i)) blocks_.push_back(&model_.block(b.id));
  const std::string fault = algebraic_fault(blocks_, contribution);
  if (!fault.empty()) throw Error(fault);
  evaluated = i + 1;
}

State disturbed(const Model& model, const Layout& layout, State state, double model_length, unsigned seed) {
  constexpr double part = 0.1;  // of what is typical of a number
  std::mt19937 random(seed);
  const auto number = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  for (const BlockId id : layout.known_blocks()) {
    const Block& block = model.block(id);
    const BlockOffset offset = layout.offset(id);
    double* value = state.value.data() + offset.value;
    for (int k = 0; k < block.size; ++k) {
      const double typical = model_length / block.measure(k).metres(model_length);
      const auto at = static_cast<std::size_t>(offset.dof + k);
      if (has_rate(block.kind)) state.rate[at] += part * typical * number();
      if (is_kinematic(block.kind)) state.acceleration[at] += number();
      if (block.kind != BlockKind::rotation)
        value[k] += is_multiplier(block.kind) ? number() : part * typical * number();
    }
    if (block.kind == BlockKind::rotation)
      set_rotation(value,
                   quaternion_of(value) * Quaternion(so3::exp(part * Vec3(number(), number(), number()))));
  }
  return state;
}

}  // namespace trammel
