#include "trammel/state.hpp"

namespace trammel {

void append_initial(const Block& block, State& state) {
  const double* initial = block.initial.data();
  if (block.kind == BlockKind::rotation) {
    const Quaternion q = Quaternion(initial[0], initial[1], initial[2], initial[3]).normalized();
    const std::size_t first = state.value.size();
    state.value.resize(first + static_cast<std::size_t>(value_size(block.kind, block.size)));
    set_rotation(&state.value[first], q);
  } else {
    state.value.insert(state.value.end(), initial, initial + block.size);
  }
  state.rate.insert(state.rate.end(), block.initial_rate.begin(), block.initial_rate.begin() + block.size);
  for (const auto field : State::fields_by_dof()) (state.*field).resize(state.rate.size(), 0.0);
}

}  // namespace trammel
