#include "solvers/newton/first_block.hpp"

#include <cstdint>
#include <limits>

namespace trammel {

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

}  // namespace trammel
