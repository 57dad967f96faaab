#include "rank_exchange.hpp"

#include <petscsys.h>

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

}  // namespace trammel
