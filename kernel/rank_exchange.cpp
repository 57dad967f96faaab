#include "kernel/rank_exchange.hpp"
#include "trammel/index.hpp"

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
  std::exclusive_scan(count.begin(), count.end(), begin.begin(), 0);
  std::vector<T> all(at(begin.back() + count.back()));
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
  std::vector<int> count(at(ranks)), begin(count.size() + 1, 0);
  const int n = static_cast<int>(mine.size());
  MPI_Allgather(&n, 1, MPI_INT, count.data(), 1, MPI_INT, comm);
  std::partial_sum(count.begin(), count.end(), begin.begin() + 1);
  std::vector<T> all(at(begin.back()));
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

void broadcast_text(std::string& text, int from, MPI_Comm comm) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, comm);
  text.resize(at(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, comm);
}

}  // namespace trammel
