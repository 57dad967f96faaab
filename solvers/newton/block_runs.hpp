#pragma once

#include <vector>

#include "kernel/layout.hpp"

namespace trammel {

/// Blocks of unknowns that follow each other and have the same norms.
struct BlockRun {
  enum class Of {
    frames,  ///< positions, each with the rotation behind it: bodies, nodes of beams
    multipliers,
    velocity_multipliers,
    others,  ///< likewise what has stabilizing unknowns
  };

  Of of = Of::others;
  int first = 0, last = 0;  ///< by index into Layout::unknowns(); `last` is not included
  bool owned = false;
  // Of all but `others` the numbers lie without gaps, from these offsets on:
  int local = 0;  ///< UnknownBlock::local
  int size = 0;
  int value = 0, dof = 0;  ///< in State
};

/// Numbers of a frame: increments or rates; in State::value.
constexpr int frame_size = 6, frame_values = 3 + value_size(BlockKind::rotation, 3);

/// All blocks of unknowns of a layout, in order. Valid until the layout changes.
std::vector<BlockRun> block_runs_of(const Layout& layout);

}  // namespace trammel
