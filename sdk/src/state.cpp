#include "trammel/state.hpp"

#include <algorithm>

namespace trammel {

void append_initial(const Block& block, State& state) {
  // What is not given is zero.
  const auto append = [&block](const BlockNumbers& given, std::vector<double>& to) {
    const std::size_t end = to.size() + static_cast<std::size_t>(block.size);
    to.insert(to.end(), given.begin(), given.begin() + std::min(end - to.size(), given.size()));
    to.resize(end, 0.0);
  };
  if (block.kind == BlockKind::rotation) {
    const BlockNumbers& initial = block.initial;
    const Quaternion q = Quaternion(initial[0], initial[1], initial[2], initial[3]).normalized();
    const std::size_t first = state.value.size();
    state.value.resize(first + static_cast<std::size_t>(value_size(block.kind, block.size)));
    set_rotation(&state.value[first], q);
  } else {
    append(block.initial, state.value);
  }
  append(block.initial_rate, state.rate);
  for (const auto field : State::fields_by_dof()) (state.*field).resize(state.rate.size(), 0.0);
}

}  // namespace trammel
