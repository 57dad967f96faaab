#include "solvers/reactions/joint_reactions.hpp"

#include "solvers/reactions/instances_with.hpp"
#include "trammel/index.hpp"

namespace trammel {

void JointReactions::follow_pattern() {
  if (pattern_ == assembler_.pattern_changes()) return;
  pattern_ = assembler_.pattern_changes();
  if (!sides_) sides_.emplace(assembler_.layout());
  near_ = instances_with(assembler_.plans(), [&](const StencilBlock& b) { return sides_->holds(b.id); });
}

void JointReactions::update(const State& state) {
  if (assembler_.layout().identification().total() == 0) return;
  follow_pattern();
  if (!assembler_.contributions(state, near_, r_)) assembler_.throw_refused(state);
  sides_->update(state, r_);
}

ReactionContributions JointReactions::of(const RangePlan& plan, int i) const {
  ReactionContributions its;
  if (sides_)
    if (const ReactionContributions* const found = sides_->of(plan.range->entity(i))) its = *found;
  const InstanceTraits& traits = plan.traits[at(i)];
  if (!traits.may_rest) return its;
  its.may_rest = traits.first_of_entity;
  its.active = !assembler_.asleep(plan, i);
  return its;
}

bool JointReactions::any() const {
  return assembler_.layout().identification().total() > 0 || assembler_.may_rest();
}

}  // namespace trammel
