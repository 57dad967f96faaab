#include "kernel/activity_reaction.hpp"

namespace trammel {

namespace {

/// Whether some instance of the entity gives its reaction.
bool has_reaction(const Model& model, int entity) {
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      if (range.instances->entity(i) == entity && range.instances->joint(i) != nullptr) return true;
  return false;
}

}  // namespace

JointReaction reaction_of(const Model& model, const ElementRange& range, int i, const Activity& activity) {
  std::shared_ptr<const JointView> view = range.joint(i);
  if (view == nullptr)
    throw Error(
        activity.where,
        has_reaction(model, range.entity(i))
            ? "this joint is made of several parts, as it is given here, and its reaction alone does not "
              "tell what they transmit together; it can become inactive at a time, by "
              "`active: {until: ...}`"
            : "a joint of this type gives no reaction that could break it; it can become inactive at a "
              "time, by `active: {until: ...}`");
  const std::span<const BlockId> stencil = range.stencil(i);
  std::vector<int> sizes;
  for (const BlockId id : stencil) sizes.push_back(model.block(id).size);
  return {std::move(view), {stencil.begin(), stencil.end()}, std::move(sizes), activity.where};
}

bool has_limit(const Activity& activity) { return activity.force || activity.moment; }

void require_reactions(const Model& model) {
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      if (const auto found = model.activities.find(range.instances->entity(i));
          found != model.activities.end() && has_limit(found->second))
        (void)reaction_of(model, *range.instances, i, found->second);
}

}  // namespace trammel
