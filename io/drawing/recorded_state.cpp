#include "io/drawing/recorded_state.hpp"

namespace trammel {

void RecordedState::take(const State& state) {
  state_.time = state.time;
  for (std::vector<double> State::*field :
       {&State::value, &State::rate, &State::acceleration, &State::compensation})
    state_.*field = state.*field;

  special_.clear();
  if (!reactions_.any()) return;
  reactions_.update(state);
  std::size_t number = 0;
  for (const RangePlan& plan : assembler_.plans())
    for (const int i : plan.instances) {
      const ReactionContributions its = reactions_.of(plan, i);
      if (its.has_force || its.has_moment || its.may_rest || !its.active) special_.emplace_back(number, its);
      ++number;
    }
}

}  // namespace trammel
