#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "trammel/row_status.hpp"

namespace trammel {

/// The union of the requested switches of rows of all ranks, sorted, on every rank. Ranks that request the same row
/// must request the same status. Collective.
std::vector<RowSwitch> switches_of_all_ranks(const std::map<ConstraintRow, RowStatus>& mine, MPI_Comm comm);

}  // namespace trammel
