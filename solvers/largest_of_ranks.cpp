#include "solvers/largest_of_ranks.hpp"

#include "trammel/index.hpp"

namespace trammel {

NamedNumber largest_of_ranks(NamedNumber mine, MPI_Comm comm) {
  struct {
    double number;
    int rank;
  } all{mine.number, 0};
  MPI_Comm_rank(comm, &all.rank);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  mine.number = all.number;
  int letters = static_cast<int>(mine.where.size());
  MPI_Bcast(&letters, 1, MPI_INT, all.rank, comm);
  mine.where.resize(at(letters));
  MPI_Bcast(mine.where.data(), letters, MPI_CHAR, all.rank, comm);
  return mine;
}

}  // namespace trammel
