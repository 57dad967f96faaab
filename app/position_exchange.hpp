#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "kernel/layout.hpp"

namespace trammel {

/// Takes the positions of a model from the ranks that own them in one layout to those that own them in another: two partitions of one
/// case may differ.
///
/// Positions are those of all blocks with rates that a rank owns, in its layout's order; of a rotation a quaternion.
class PositionExchange {
 public:
  /// Collective.
  PositionExchange(const Layout& from, const Layout& to);

  /// Collective.
  std::vector<double> operator()(const std::vector<double>& positions) const;

 private:
  MPI_Comm comm_;
  std::size_t size_ = 0;  ///< of the positions in `to`
  // Of each rank: how many numbers go there or come from there, and where they begin among those that are sent or received.
  std::vector<int> sends_, receives_, send_at_, receive_at_;
  // The place in `from` of each number that is sent, and in `to` of each that is received.
  std::vector<std::size_t> sent_, received_;
};

/// Calls use(block, how many numbers its position has) for the blocks with rates that this rank owns, in order.
template <class Use>
void each_position(const Layout& layout, Use&& use) {
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned && has_rate(u.kind)) use(u, u.kind == BlockKind::rotation ? 4 : u.size);
}

}  // namespace trammel
