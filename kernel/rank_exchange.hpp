#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trammel/export.hpp"

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

/// Gives all ranks the text of one. Collective.
TRAMMEL_API void broadcast_text(std::string& text, int from, MPI_Comm comm);

}  // namespace trammel
