#include "kernel/model.hpp"

#include <algorithm>

namespace trammel {

int ModelShares::entity_of(BlockId id) const {
  return static_cast<int>(std::ranges::upper_bound(first_block, id) - first_block.begin()) - 1;
}

int Model::dofs(std::span<const BlockId> stencil) const {
  int n = 0;
  for (const BlockId id : stencil) n += block(id).size;
  return n;
}

}  // namespace trammel
