#pragma once

#include <map>
#include <span>

#include "kernel/layout.hpp"
#include "kernel/model.hpp"
#include "trammel/element.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Reactions of the joints that identified blocks, by entity: the sum of the residual contributions on one side of the joint
/// in the tree of what shares its block. `r` holds this rank's contributions by State dof offset. Collective.
std::map<int, ReactionContributions> reaction_contributions(const Layout& layout, const State& state,
                                                            std::span<const double> r);

}  // namespace trammel
