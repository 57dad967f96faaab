#include "kernel/rank_exchange.hpp"

#include <limits>
#include <numeric>

namespace trammel {

namespace {

template <class T>
std::vector<std::vector<T>> exchange(const std::vector<std::vector<T>>& outgoing, MPI_Datatype type,
                                     MPI_Comm comm) {
  const std::size_t ranks = outgoing.size();
  std::vector<int> send_count(ranks), send_begin(ranks), count(ranks), begin(ranks);
  std::vector<T> sent;
  for (std::size_t r = 0; r < ranks; ++r) {
    send_begin[r] = static_cast<int>(sent.size());
    send_count[r] = static_cast<int>(outgoing[r].size());
    sent.insert(sent.end(), outgoing[r].begin(), outgoing[r].end());
  }
  MPI_Alltoall(send_count.data(), 1, MPI_INT, count.data(), 1, MPI_INT, comm);
  int total = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    begin[r] = total;
    total += count[r];
  }
  std::vector<T> all(static_cast<std::size_t>(total));
  MPI_Alltoallv(sent.data(), send_count.data(), send_begin.data(), type, all.data(), count.data(),
                begin.data(), type, comm);
  std::vector<std::vector<T>> incoming(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    incoming[r].assign(all.begin() + begin[r], all.begin() + begin[r] + count[r]);
  return incoming;
}

template <class T>
std::vector<T> one_after_the_other(const std::vector<T>& mine, MPI_Datatype type, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return mine;
  std::vector<int> count(static_cast<std::size_t>(ranks)), begin(count.size() + 1, 0);
  const int n = static_cast<int>(mine.size());
  MPI_Allgather(&n, 1, MPI_INT, count.data(), 1, MPI_INT, comm);
  std::partial_sum(count.begin(), count.end(), begin.begin() + 1);
  std::vector<T> all(static_cast<std::size_t>(begin.back()));
  MPI_Allgatherv(mine.data(), n, type, all.data(), count.data(), begin.data(), type, comm);
  return all;
}

}  // namespace

ByRank exchange_by_rank(const ByRank& outgoing, MPI_Comm comm) {
  return exchange(outgoing, MPI_INT64_T, comm);
}

BytesByRank exchange_by_rank(const BytesByRank& outgoing, MPI_Comm comm) {
  return exchange(outgoing, MPI_BYTE, comm);
}

std::vector<int> of_all_ranks(const std::vector<int>& mine, MPI_Comm comm) {
  return one_after_the_other(mine, MPI_INT, comm);
}

std::vector<std::int64_t> of_all_ranks(const std::vector<std::int64_t>& mine, MPI_Comm comm) {
  return one_after_the_other(mine, MPI_INT64_T, comm);
}

std::vector<double> of_all_ranks(const std::vector<double>& mine, MPI_Comm comm) {
  return one_after_the_other(mine, MPI_DOUBLE, comm);
}

std::vector<RowSwitch> switches_of_all_ranks(const std::map<ConstraintRow, RowStatus>& mine, MPI_Comm comm) {
  std::vector<std::int64_t> flat;  // block, component, status, ...
  for (const auto& [row, status] : mine)
    flat.insert(flat.end(), {row.block, row.component, static_cast<int>(status)});
  flat = of_all_ranks(flat, comm);
  std::map<ConstraintRow, RowStatus> all;
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3)
    all[{flat[i], static_cast<int>(flat[i + 1])}] = static_cast<RowStatus>(flat[i + 2]);
  std::vector<RowSwitch> rows;
  for (const auto& [row, status] : all) rows.push_back({row, status});
  return rows;
}

FirstBlock first_block(BlockId mine, MPI_Comm comm) {
  constexpr BlockId none = std::numeric_limits<BlockId>::max();
  BlockId first = mine == no_block ? none : mine;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, comm);
  if (first == none) return {};
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  if (mine != first) rank = -1;
  MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MAX, comm);
  return {first, rank};
}

void broadcast_text(std::string& text, int from, MPI_Comm comm) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, comm);
}

}  // namespace trammel
