#pragma once

#include <mpi.h>
#include <petscsystypes.h>

#include <vector>

namespace trammel {

/// Numbers for each rank, or from each rank.
using ByRank = std::vector<std::vector<PetscInt>>;

/// Sends to every rank what stands for it, and gives what came from each. Collective.
ByRank exchange_by_rank(const ByRank& outgoing, MPI_Comm comm);

}  // namespace trammel
