#pragma once

#include <mpi.h>

#include "io/case/case_expansion.hpp"
#include "kernel/model.hpp"

namespace trammel {

/// Builds a case in parts on several ranks: each rank builds the entities that it evaluates and all that these
/// need. The entities are distributed by the graph of the names in their parameters and by the numbers of unknowns
/// that their types declare. Every rank lists all entities.
///
/// Builds nothing and returns false if this does not pay, because a single entity is a large part of the whole,
/// such as a beam with many elements. Throws the same Error on every rank. Collective.
bool expand_partition(CaseExpansion& expansion, MPI_Comm comm, Model& model);

}  // namespace trammel
