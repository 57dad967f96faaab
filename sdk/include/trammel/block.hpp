#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "trammel/inline_vector.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/row.hpp"
#include "trammel/shared_text.hpp"

namespace trammel {

/// Meaning of the numbers of a block, and how they are integrated in time (see docs/notation.md).
enum class BlockKind : std::uint8_t {
  position,    ///< p in R^3, inertial components
  rotation,    ///< R in SO(3), stored as a unit quaternion; increments and velocity in the body frame
  coordinate,  ///< R^n, second order: joint angle, slide, modal amplitude
  state,       ///< R^n, first order, y' = f
  algebraic,   ///< R^n, without rate and mass: determined by an equation g(q, v, x, t) = 0
  multiplier,  ///< R^n, of a constraint at position level
  velocity_multiplier,  ///< R^n, of a constraint at velocity level
};

inline constexpr std::size_t block_kinds = 7;

/// True for the blocks with second-order equations of motion.
constexpr bool is_kinematic(BlockKind kind) {
  return kind == BlockKind::position || kind == BlockKind::rotation || kind == BlockKind::coordinate;
}

constexpr bool is_multiplier(BlockKind kind) {
  return kind == BlockKind::multiplier || kind == BlockKind::velocity_multiplier;
}

/// True for the blocks with rates: those of second and of first order.
constexpr bool has_rate(BlockKind kind) { return is_kinematic(kind) || kind == BlockKind::state; }

/// Identifies a block: the number of its entity in the upper 32 bits, and its number among the entity's blocks in the lower. It is
/// the same on every rank, whichever entities the rank builds.
using BlockId = std::int64_t;
inline constexpr BlockId no_block = -1;

/// Largest size of a block whose numbers are stored without allocation.
inline constexpr int inline_block_size = 4;
/// Initial values of a block; zero unless given.
using BlockNumbers = InlineVector<double, inline_block_size>;

struct Block {
  BlockKind kind = BlockKind::position;
  int size = 3;     ///< number of increments, and of velocities
  SharedText name;  ///< within its entity, for messages: "start position" of the beam "crank"
  /// Initial values: the position, the quaternion (w, x, y, z), or the coordinates.
  BlockNumbers initial = BlockNumbers(inline_block_size);
  /// Initial velocities: inertial for a position, body-frame for a rotation.
  BlockNumbers initial_rate = BlockNumbers(inline_block_size);
  SharedText unit;  ///< "m", "rad", ..., for messages
  /// For each number of the block: what it measures, and for a multiplier the properties of its row. Empty for positions and
  /// rotations.
  RowList rows;
  VelocityRows velocity;  ///< of a velocity multiplier
  int entity = -1;        ///< index of the entity that added it

  /// Dimension and unit of number i.
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

/// A frame: a position block and a rotation block. Either may belong to several frames.
struct Frame {
  BlockId position = no_block;
  BlockId rotation = no_block;
};

}  // namespace trammel
