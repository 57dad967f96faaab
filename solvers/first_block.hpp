#pragma once

#include <mpi.h>

#include "trammel/block.hpp"

namespace trammel {

/// The smallest of the blocks that the ranks name (`no_block`: none), and the rank that names it; -1 if no rank
/// names one. No two ranks may name the same block. Collective.
struct FirstBlock {
  BlockId block = no_block;
  int rank = -1;
};
FirstBlock first_block(BlockId mine, MPI_Comm comm);

}  // namespace trammel
