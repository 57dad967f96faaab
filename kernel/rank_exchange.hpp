#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "trammel/index.hpp"

namespace trammel {

/// Numbers for each rank, or from each rank, indexed by rank.
using ByRank = std::vector<std::vector<std::int64_t>>;
using BytesByRank = std::vector<std::vector<std::byte>>;

template <class T>
MPI_Datatype mpi_type() {
  if constexpr (std::same_as<T, int>) return MPI_INT;
  if constexpr (std::same_as<T, std::int64_t>) return MPI_INT64_T;
  if constexpr (std::same_as<T, double>) return MPI_DOUBLE;
  static_assert(sizeof(T) == 1 || std::same_as<T, int> || std::same_as<T, std::int64_t> ||
                std::same_as<T, double>);
  return MPI_BYTE;
}

/// Sends entry k of `outgoing` to rank k, and returns what this rank received, by sender. Collective.
template <class T>
std::vector<std::vector<T>> exchange_by_rank(const std::vector<std::vector<T>>& outgoing, MPI_Comm comm) {
  const std::size_t ranks = outgoing.size();
  std::vector<int> send_count(ranks), send_begin(ranks), count(ranks), begin(ranks);
  std::vector<T> sent;
  for (std::size_t r = 0; r < ranks; ++r) {
    send_begin[r] = static_cast<int>(sent.size());
    send_count[r] = static_cast<int>(outgoing[r].size());
    sent.insert(sent.end(), outgoing[r].begin(), outgoing[r].end());
  }
  MPI_Alltoall(send_count.data(), 1, MPI_INT, count.data(), 1, MPI_INT, comm);
  std::exclusive_scan(count.begin(), count.end(), begin.begin(), 0);
  std::vector<T> all(at(begin.back() + count.back()));
  MPI_Alltoallv(sent.data(), send_count.data(), send_begin.data(), mpi_type<T>(), all.data(), count.data(),
                begin.data(), mpi_type<T>(), comm);
  std::vector<std::vector<T>> incoming(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    incoming[r].assign(all.begin() + begin[r], all.begin() + begin[r] + count[r]);
  return incoming;
}

/// Numbers (or letters) of all ranks, one rank after the other; those of rank r begin at `begin[r]` and end before `begin[r + 1]`.
template <class T>
struct Gathered {
  std::vector<T> all;
  std::vector<int> begin;

  std::span<const T> of(std::size_t rank) const {
    return std::span(all).subspan(at(begin[rank]), at(begin[rank + 1] - begin[rank]));
  }
};

/// The numbers of all ranks on rank `root`, on others only `begin`; without a root (-1) on every rank. Collective.
template <std::ranges::contiguous_range Numbers>
auto gather(const Numbers& mine, MPI_Comm comm, int root = -1) {
  using T = std::ranges::range_value_t<Numbers>;
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  std::vector<int> count(at(ranks));
  Gathered<T> g{{}, std::vector<int>(count.size() + 1, 0)};
  const auto n = static_cast<int>(mine.size());
  MPI_Allgather(&n, 1, MPI_INT, count.data(), 1, MPI_INT, comm);
  std::partial_sum(count.begin(), count.end(), g.begin.begin() + 1);
  if (root < 0 || root == rank) g.all.resize(at(g.begin.back()));
  const MPI_Datatype type = mpi_type<T>();
  if (root < 0)
    MPI_Allgatherv(mine.data(), n, type, g.all.data(), count.data(), g.begin.data(), type, comm);
  else
    MPI_Gatherv(mine.data(), n, type, g.all.data(), count.data(), g.begin.data(), type, root, comm);
  return g;
}

/// The numbers of all ranks one after the other, on every rank. Collective.
template <class T>
std::vector<T> of_all_ranks(const std::vector<T>& mine, MPI_Comm comm) {
  return gather(mine, comm).all;
}

/// Gives all ranks the text of one. Collective.
inline void broadcast_text(std::string& text, int from, MPI_Comm comm) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, comm);
  text.resize(at(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, comm);
}

}  // namespace trammel
