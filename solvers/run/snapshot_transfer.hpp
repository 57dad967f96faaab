#pragma once

#include <span>
#include <vector>

#include "kernel/layout.hpp"
#include "kernel/model.hpp"
#include "solvers/run/snapshot.hpp"

namespace trammel {

/// Entities of a model of which a snapshot of another model holds nothing that fits, by number, in order.
struct Untransferred {
  std::vector<int> states;     ///< blocks of states that begin at their initial values
  std::vector<int> histories;  ///< instances whose history begins anew
};

/// Gives what was saved the numbers that entities have in another model. `numbers`: by the number that an entity had, the one that
/// it has, -1 where there is none: then it is dropped, as are stencils and rows that name it. What belongs to the whole run
/// (SnapshotContents::run) is dropped too.
void renumber(SnapshotContents& contents, std::span<const int> numbers);

/// Drops what does not fit: states of entities with other blocks and of those whose coordinates follow from theirs, and histories
/// of instances that read such entities. The contents are the same on every rank. Collective.
Untransferred drop_what_does_not_fit(SnapshotContents& contents, const Model& model, const Layout& layout);

}  // namespace trammel
