#include "kernel/rank_exchange.hpp"

#include <petscsys.h>

#include <numeric>

namespace trammel {

ByRank exchange_by_rank(const ByRank& outgoing, MPI_Comm comm) {
  const std::size_t ranks = outgoing.size();
  std::vector<int> send_count(ranks), send_begin(ranks), count(ranks), begin(ranks);
  std::vector<PetscInt> sent;
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
  std::vector<PetscInt> all(static_cast<std::size_t>(total));
  MPI_Alltoallv(sent.data(), send_count.data(), send_begin.data(), MPIU_INT, all.data(), count.data(),
                begin.data(), MPIU_INT, comm);
  ByRank incoming(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    incoming[r].assign(all.begin() + begin[r], all.begin() + begin[r] + count[r]);
  return incoming;
}

namespace {

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

std::vector<int> of_all_ranks(const std::vector<int>& mine, MPI_Comm comm) {
  return one_after_the_other(mine, MPI_INT, comm);
}

std::vector<double> of_all_ranks(const std::vector<double>& mine, MPI_Comm comm) {
  return one_after_the_other(mine, MPI_DOUBLE, comm);
}

std::vector<RowSwitch> switches_of_all_ranks(const std::map<ConstraintRow, RowStatus>& mine, MPI_Comm comm) {
  std::vector<int> flat;  // block, component, status, ...
  for (const auto& [row, status] : mine)
    flat.insert(flat.end(), {row.block, row.component, static_cast<int>(status)});
  flat = of_all_ranks(flat, comm);
  std::map<ConstraintRow, RowStatus> all;
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3)
    all[{flat[i], flat[i + 1]}] = static_cast<RowStatus>(flat[i + 2]);
  std::vector<RowSwitch> rows;
  for (const auto& [row, status] : all) rows.push_back({row, status});
  return rows;
}

void share_text(std::string& text, int from, MPI_Comm comm) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, comm);
}

}  // namespace trammel
