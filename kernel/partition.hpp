#pragma once

#include <mpi.h>

#include <vector>

#include "kernel/identification.hpp"
#include "kernel/model.hpp"

namespace trammel {

/// The rank that owns each root block: a partition of the graph of couplings by PT-Scotch, weighted by the sizes of
/// blocks and by the evaluations that types declare to be dear (Type::evaluation_cost).
/// The same on every rank; -1 for blocks that are no roots. Collective.
BlockValues<int> partition(MPI_Comm comm, const Model& model, const Identification& identification);

}  // namespace trammel
