#pragma once

#include "kernel/model.hpp"
#include "trammel/joint_reaction.hpp"

namespace trammel {

/// Whether a joint becomes inactive at a limit of its force or moment.
TRAMMEL_API bool has_limit(const Activity& activity);

/// The reaction that is compared with the limit. Throws Error if instance i of `range` reports none.
TRAMMEL_API JointReaction reaction_of(const Model& model, const ElementRange& range, int i,
                                      const Activity& activity);

/// Throws Error if a joint has a limit of force or moment, but no reaction that can be read.
void require_reactions(const Model& model);

}  // namespace trammel
