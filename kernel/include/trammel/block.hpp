#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "trammel/linear_algebra.hpp"
#include "trammel/row.hpp"

namespace trammel {

/// What the unknowns of a block mean, and so how they move in time (see docs/unknowns.md).
enum class BlockKind : std::uint8_t {
  position,    ///< p in R^3, inertial components
  rotation,    ///< R in SO(3), stored as a unit quaternion; increments and velocity in the body frame
  coordinate,  ///< R^n, second order: joint angle, slide, modal amplitude
  state,       ///< R^n, first order, y' = f
  multiplier,  ///< R^n, of a position-level constraint
  velocity_multiplier,  ///< R^n, of a velocity-level constraint
};

/// True for the blocks that carry second-order equations of motion.
constexpr bool is_kinematic(BlockKind kind) {
  return kind == BlockKind::position || kind == BlockKind::rotation || kind == BlockKind::coordinate;
}

constexpr bool is_multiplier(BlockKind kind) {
  return kind == BlockKind::multiplier || kind == BlockKind::velocity_multiplier;
}

/// A block as its owner declared it; the index in the model is its name inside the program.
using BlockId = std::int32_t;
inline constexpr BlockId no_block = -1;

/// Largest dimension of one block.
inline constexpr int max_block_size = 8;

struct Block {
  BlockKind kind = BlockKind::position;
  int size = 3;      ///< dimension of increments and velocities
  std::string name;  ///< "crank.start position": used in messages and checkpoints
  /// Initial values: the position, the quaternion (w, x, y, z), or the coordinates.
  std::array<double, max_block_size> initial{};
  /// Initial velocities: inertial for a position, body-frame for a rotation.
  std::array<double, max_block_size> initial_rate{};
  std::string unit;  ///< "m", "rad", ..., for messages
  /// By number of the block: what it measures, and of a multiplier its row. Empty for positions and rotations.
  std::vector<Row> rows;
  VelocityRows velocity;  ///< of a velocity multiplier
  int entity = -1;        ///< that made it

  /// What number i measures.
  Measure measure(int i) const {
    if (kind == BlockKind::position) return Measure::length();
    if (kind == BlockKind::rotation) return Measure::angle();
    return static_cast<std::size_t>(i) < rows.size() ? rows[static_cast<std::size_t>(i)].measure : Measure{};
  }
};

/// One row of a constraint.
struct ConstraintRow {
  BlockId block = no_block;  ///< its multiplier
  int component = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(block, component);
  }
  friend auto operator<=>(const ConstraintRow&, const ConstraintRow&) = default;
};

/// A frame is a position block and a rotation block; either may be shared with other frames.
struct Frame {
  BlockId position = no_block;
  BlockId rotation = no_block;
};

}  // namespace trammel
