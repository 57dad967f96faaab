#pragma once

#include <array>
#include <vector>

namespace trammel {

/// Ranks that eliminate unknowns together.
struct RankGroup {
  std::array<int, 2> parts{-1, -1};  ///< the groups that this one joins; none where it is one rank
  int whole = -1;                    ///< the group that joins this one with another, if any
  std::vector<int> eliminated,
      border;  ///< unknowns of the group, ascending: those that no other rank sees, and the others

  /// Of the elimination, as floating-point operations.
  double operations() const;
};

/// A tree of ranks for the elimination of unknowns that they share (the assembly tree of a multifrontal method): an unknown is eliminated by
/// the least group that has all ranks which see it. Of two trees that with fewer operations: groups that share most are joined first, where
/// each joins at most one other before all have had a chance; or halves of the ranks are joined by their numbers, as partitioners make them.
///
/// `seen`: by rank the unknowns, of `unknowns`, that it sees, ascending. The first groups are the ranks; parts precede wholes. Groups
/// without border have no whole.
std::vector<RankGroup> rank_tree(int unknowns, const std::vector<std::vector<int>>& seen);

}  // namespace trammel
