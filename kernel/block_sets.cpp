#include "kernel/block_sets.hpp"

#include <utility>

namespace trammel {

BlockId BlockSets::root(BlockId id) const {
  const auto found = root_.find(id);
  return found == root_.end() ? id : found->second;
}

bool BlockSets::fixed(BlockId id) const {
  const auto found = sets_.find(root(id));
  return found != sets_.end() && found->second.fixed;
}

const std::vector<BlockId>& BlockSets::members(BlockId root) const {
  static const std::vector<BlockId> none;
  const auto found = sets_.find(root);
  return found == sets_.end() ? none : found->second.members;
}

BlockSets::Set& BlockSets::set_of(BlockId root) {
  Set& set = sets_[root];
  if (set.members.empty()) {
    set.members.push_back(root);
    root_[root] = root;
  }
  return set;
}

bool BlockSets::join(BlockId a, BlockId b) {
  const auto is_fixed = [this](BlockId id) { return id == no_block || fixed(id); };
  const BlockId ra = a == no_block ? no_block : root(a), rb = b == no_block ? no_block : root(b);
  if (ra == rb || (is_fixed(a) && is_fixed(b))) return false;
  if (ra == no_block || rb == no_block) {
    set_of(ra == no_block ? rb : ra).fixed = true;
    return true;
  }
  BlockId keep = ra, absorb = rb;
  if (set_of(keep).members.size() < set_of(absorb).members.size()) std::swap(keep, absorb);
  Set& kept = set_of(keep);
  const Set gone = std::move(set_of(absorb));
  sets_.erase(absorb);
  kept.fixed = kept.fixed || gone.fixed;
  kept.members.insert(kept.members.end(), gone.members.begin(), gone.members.end());
  for (const BlockId id : gone.members) root_[id] = keep;
  return true;
}

}  // namespace trammel
