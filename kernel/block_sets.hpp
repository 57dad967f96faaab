#pragma once

#include <map>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// Sets of blocks that joints identified with each other, or with the ground.
class TRAMMEL_API BlockSets {
 public:
  /// Identifies two blocks (no_block: the ground). Does nothing and returns false if they are identified already,
  /// so that the pair would close a loop.
  bool join(BlockId a, BlockId b);
  /// The block that carries the unknowns of the set that `id` is in.
  BlockId root(BlockId id) const;
  /// Whether the set contains the ground.
  bool fixed(BlockId id) const;
  /// The blocks of the set of a root; empty if nothing was identified with it.
  const std::vector<BlockId>& members(BlockId root) const;
  const std::map<BlockId, BlockId>& roots() const { return root_; }

 private:
  struct Set {
    std::vector<BlockId> members;
    bool fixed = false;
  };
  Set& set_of(BlockId root);

  std::map<BlockId, BlockId> root_;
  std::map<BlockId, Set> sets_;  ///< by root
};

}  // namespace trammel
