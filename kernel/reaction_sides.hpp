#pragma once

#include <map>
#include <span>

#include "kernel/layout.hpp"
#include "kernel/model.hpp"
#include "trammel/element.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Reactions, by entity, of the joints that identified blocks: the sum of the contributions to the residual on one
/// side of the joint, in the tree of identified blocks. `r` contains the contributions of this rank, by dof offset
/// (State). Collective.
std::map<int, ReactionContributions> reaction_contributions(const Layout& layout, const State& state,
                                                            std::span<const double> r);

}  // namespace trammel
