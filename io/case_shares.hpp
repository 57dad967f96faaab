#pragma once

#include <mpi.h>

#include "io/case_expansion.hpp"
#include "kernel/model.hpp"

namespace trammel {

/// Expands a case on several ranks, each its share: the entities that it evaluates and all that these need. Entities are
/// distributed by the graph of the names in their texts; every rank lists all of them, and builds no others.
///
/// False, and nothing built, where this does not pay: for fewer than `least` entities (bodies, joints, loads), or where one
/// of them is a large part of the whole, such as a beam of many elements. Throws the same Error on every rank. Collective.
bool expand_share(CaseExpansion& expansion, int least, MPI_Comm comm, Model& model);

}  // namespace trammel
