#include "solvers/reactions/joint_reactions.hpp"

#include <algorithm>

#include "trammel/index.hpp"

namespace trammel {

void JointReactions::follow_pattern() {
  if (pattern_ == assembler_.pattern_changes()) return;
  pattern_ = assembler_.pattern_changes();
  if (!sides_) sides_.emplace(assembler_.layout());
  near_.clear();
  for (const RangePlan& plan : assembler_.plans()) {
    std::vector<InstanceRun>& runs = near_.emplace_back();
    for (const InstanceRun& run : plan.runs)
      for (int i = run.first; i < run.last; ++i) {
        const auto shares = [&](const StencilBlock& b) { return sides_->holds(b.id); };
        if (std::ranges::any_of(plan.stencil(i), shares)) append(runs, i, run.special);
      }
  }
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
