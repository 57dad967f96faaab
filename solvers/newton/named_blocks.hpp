#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "trammel/block.hpp"

namespace trammel {

/// A block that a message names.
struct NamedBlock {
  BlockId block = no_block;
  int weight = 0;    ///< those of larger weight are named first
  std::string text;  ///< text for the message, without line breaks
};

/// Joins the texts of the blocks that the ranks found among those they own, `most` of them. Larger weights come
/// first, then lower block numbers, so that the text depends neither on the partition nor on the number of ranks.
/// Collective; the same on every rank.
std::string joined_names(const std::vector<NamedBlock>& owned, std::size_t most, MPI_Comm comm);

}  // namespace trammel
