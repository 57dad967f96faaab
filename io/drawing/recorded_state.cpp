#include "io/drawing/recorded_state.hpp"

namespace trammel {

void RecordedState::take(Assembler& assembler, const State& state) {
  state_.time = state.time;
  for (std::vector<double> State::*field :
       {&State::value, &State::rate, &State::acceleration, &State::compensation})
    state_.*field = state.*field;

  special_.clear();
  std::size_t number = 0;
  const auto keep = [&](const ReactionContributions& its) {
    if (its.has_force || its.has_moment || its.may_rest || !its.active) special_.emplace_back(number, its);
    ++number;
  };
  if (assembler.layout().identification().total() > 0) {
    assembler.visit(state, [&](const ElementRange&, int, const LocalState&,
                               const ReactionContributions& its) { keep(its); });
  } else if (assembler.may_rest()) {
    for (const RangePlan& plan : assembler.plans())
      for (const int i : plan.instances) keep(activity_of(assembler, plan, i));
  }
}

}  // namespace trammel
