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
  std::string text;  ///< what stands in the message, without line breaks
};

/// Joins the texts of what each rank found among the blocks that it owns, `most` of them: the larger weight first, then
/// the lower block, so that the text depends neither on the partition nor on the number of ranks. Collective; the same
/// on every rank.
std::string joined_names(const std::vector<NamedBlock>& owned, std::size_t most, MPI_Comm comm);

}  // namespace trammel
