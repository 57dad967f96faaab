#include "solvers/ranks/largest_of_ranks.hpp"

#include "kernel/rank_exchange.hpp"

namespace trammel {

NamedNumber largest_of_ranks(NamedNumber mine, MPI_Comm comm) {
  struct {
    double number;
    int rank;
  } all{mine.number, 0};
  MPI_Comm_rank(comm, &all.rank);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  mine.number = all.number;
  broadcast_text(mine.where, all.rank, comm);
  return mine;
}

}  // namespace trammel
