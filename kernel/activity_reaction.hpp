#pragma once

#include "kernel/model.hpp"
#include "trammel/joint_reaction.hpp"

namespace trammel {

/// Whether a joint becomes inactive at a force or a moment.
TRAMMEL_API bool has_limit(const Activity& activity);

/// The reaction that such a joint is watched by. Throws Error where instance i gives none.
TRAMMEL_API JointReaction reaction_of(const Model& model, const ElementRange& range, int i,
                                      const Activity& activity);

/// Throws Error where a joint is to become inactive at a force or a moment, and gives no reaction to be read.
void require_reactions(const Model& model);

}  // namespace trammel
