#pragma once

#include <vector>

#include "kernel/assembler.hpp"

namespace trammel {

/// Replaces the algorithmic accelerations, and rates of states, at the start of a step from `base` by `better` ones, by
/// BlockOffset::dof. Returns whether they changed so much that the step must be solved again: by more than a thousandth of their
/// difference from v' (y' of states), and more than rounding. Collective.
bool replace_algorithmic(Assembler& assembler, const State& base, const std::vector<double>& better,
                         std::vector<double>& algorithmic);

}  // namespace trammel
