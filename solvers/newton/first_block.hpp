#pragma once

#include <mpi.h>

#include "trammel/block.hpp"

namespace trammel {

struct FirstBlock {
  BlockId block = no_block;
  int rank = -1;  ///< that names it; -1 if none does
};

/// The smallest of the blocks that the ranks name (`no_block`: none). No two ranks may name the same block. Collective.
FirstBlock first_block(BlockId mine, MPI_Comm comm);

}  // namespace trammel
