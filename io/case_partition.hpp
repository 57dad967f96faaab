#pragma once

#include <mpi.h>

#include "io/case_expansion.hpp"
#include "kernel/model.hpp"

namespace trammel {

/// Expands a case on several ranks, each its part: the entities that it evaluates and all that these need. Entities are
/// distributed by the graph of the names in their parameters and by the unknowns that their types declare; every rank lists
/// all of them, and builds its part once.
///
/// False, and nothing built, where this does not pay: where one entity is a large part of the whole, such as a beam of many
/// elements. Throws the same Error on every rank. Collective.
bool expand_partition(CaseExpansion& expansion, MPI_Comm comm, Model& model);

}  // namespace trammel
