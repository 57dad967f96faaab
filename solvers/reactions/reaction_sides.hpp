#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernel/layout.hpp"
#include "kernel/model.hpp"
#include "trammel/element_range.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Reactions of the joints that identified blocks: the sum of the residual contributions on one side of the joint in the tree of
/// what shares its block. The trees are found once.
class ReactionSides {
 public:
  explicit ReactionSides(const Layout& layout);

  /// Finds all reactions. `r` holds this rank's contributions by State dof offset. Collective.
  void update(const State& state, std::span<const double> r);
  /// Whether a block is in a tree: of its residual contributions the reactions are made.
  bool holds(BlockId block) const { return blocks_.contains(block); }
  /// The reaction of an entity's joint at the last update; null if it identified nothing.
  const ReactionContributions* of(int entity) const {
    const auto found = number_of_.find(entity);
    return found == number_of_.end() ? nullptr : &reactions_[found->second];
  }

 private:
  /// A block in a tree, behind its parent. The tree hangs from the ground where that is one of its blocks.
  struct Node {
    BlockId block = no_block;
    int parent = -1;  ///< no parent: the root
    int root = 0;
    int record = -1;         ///< that joins it to its parent or to the ground
    bool is_side_A = false;  ///< of that record
    bool at_ground = false;  ///< the root hangs from the ground
    bool is_in_rotation = false;
  };
  void add_tree(const Node& root, const std::unordered_map<BlockId, std::vector<int>>& records_of);

  const Layout& layout_;
  std::vector<Node> nodes_;
  std::unordered_set<BlockId> blocks_;              ///< of the nodes
  std::unordered_map<int, std::size_t> number_of_;  ///< by entity, in `reactions_`
  std::vector<ReactionContributions> reactions_;
  std::vector<Vec3> sums_;  ///< by node: of it and of what hangs from it
};

}  // namespace trammel
