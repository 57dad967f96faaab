#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/row_status.hpp"

namespace trammel {

/// Numbers for each rank, or from each rank, indexed by rank.
using ByRank = std::vector<std::vector<std::int64_t>>;

using BytesByRank = std::vector<std::vector<std::byte>>;

/// Sends entry k of `outgoing` to rank k, and returns what this rank received, by sender. Collective.
TRAMMEL_API ByRank exchange_by_rank(const ByRank& outgoing, MPI_Comm comm);
TRAMMEL_API BytesByRank exchange_by_rank(const BytesByRank& outgoing, MPI_Comm comm);

/// The numbers of all ranks one after the other, on every rank. Collective.
TRAMMEL_API std::vector<int> of_all_ranks(const std::vector<int>& mine, MPI_Comm comm);
TRAMMEL_API std::vector<std::int64_t> of_all_ranks(const std::vector<std::int64_t>& mine, MPI_Comm comm);
TRAMMEL_API std::vector<double> of_all_ranks(const std::vector<double>& mine, MPI_Comm comm);

/// The union of the requested switches of rows of all ranks, sorted, on every rank. Ranks that request the same row
/// must request the same status. Collective.
TRAMMEL_API std::vector<RowSwitch> switches_of_all_ranks(const std::map<ConstraintRow, RowStatus>& mine,
                                                         MPI_Comm comm);

/// The smallest of the blocks that the ranks name (`no_block`: none), and the rank that names it; -1 if no rank
/// names one. No two ranks may name the same block. Collective.
struct FirstBlock {
  BlockId block = no_block;
  int rank = -1;
};
TRAMMEL_API FirstBlock first_block(BlockId mine, MPI_Comm comm);

/// Gives all ranks the text of one. Collective.
TRAMMEL_API void broadcast_text(std::string& text, int from, MPI_Comm comm);

}  // namespace trammel
