#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/layout.hpp"
#include "kernel/matrix_pattern.hpp"
#include "kernel/model.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// A block of an instance's stencil, as the assembler needs it.
struct StencilBlock {
  BlockId id = no_block;
  std::int32_t unknown = -1;  ///< index into Layout::unknowns(), -1 where fixed
  BlockKind kind = BlockKind::position;
  bool stabilizing : 1 = false;
  /// Made by the entity of the instance, which therefore writes its rows: a multiplier, a coordinate or algebraic unknowns.
  bool own : 1 = false;
  bool may_rest : 1 = false;      ///< for an own multiplier: some row may become inactive or slip
  bool begins_frame : 1 = false;  ///< a position; the next block is its rotation, behind it in arrays by dof
  std::int16_t size = 0;
  std::int16_t offset = 0;  ///< in the local system
  /// What some kinds have. Together, since stencils are most of a plan's memory.
  union {
    const Row* rows = nullptr;  ///< own multiplier with compliant rows; coordinates with nominal sizes
    const Mat3* turn;           ///< rotation that is identified with its root and differs by Q: R = R_root Q
    std::ptrdiff_t local;       ///< algebraic unknowns: UnknownBlock::local
  };

  const Mat3* Q() const { return kind == BlockKind::rotation ? turn : nullptr; }
  const Row* nominal() const { return kind == BlockKind::coordinate ? rows : nullptr; }
  bool is_compliant() const { return is_multiplier(kind) && rows != nullptr; }
  bool is_compliant(int row) const { return is_compliant() && rows[row].compliant; }
};

/// One pair of stencil blocks whose part of the tangent may be non-zero.
struct BlockPair {
  std::int16_t row = 0, column = 0;
  friend bool operator==(const BlockPair&, const BlockPair&) = default;
};

/// Properties of an instance that its evaluation must observe.
struct InstanceTraits {
  bool may_rest = false;  ///< some row of its own may become inactive or slip
  bool compliant = false;
  bool first_of_entity = false;  ///< of the instances that may rest: reports whether the joint is active
};

/// Instances of a range that are evaluated one after the other.
struct InstanceRun {
  int first = 0, last = 0;  ///< `last` is not included
  bool special = false;     ///< one with a trait
};

/// Appends instance i, in a run with those before it where neither is special.
inline void append(std::vector<InstanceRun>& runs, int i, bool special) {
  if (special || runs.empty() || runs.back().special || runs.back().last != i)
    runs.push_back({i, i + 1, special});
  else
    ++runs.back().last;
}

/// Where the contributions of the instances of one range go; computed once for each pattern. Arrays by instance are
/// empty for instances that other ranks evaluate.
struct RangePlan {
  ElementRange* range = nullptr;
  std::span<const int> instances;  ///< of this rank, in order
  std::vector<InstanceRun> runs;   ///< of those that have equations
  std::vector<BlockOffset> offsets;
  std::vector<const BlockOffset*> offset_of;  ///< by instance, into `offsets`
  std::vector<StencilBlock> blocks;
  std::vector<std::uint32_t> block_begin;  ///< by instance, and one past the last
  /// Stencils without `id`, `unknown` and `turn`: where they are the same, instances share them, and they stay in the cache.
  std::vector<StencilBlock> shapes;
  std::vector<BlockPair> pairs;                                    ///< shared likewise
  std::vector<std::uint32_t> shape_begin, pair_begin, pair_count;  ///< by instance
  std::vector<std::uint32_t> slot_begin;  ///< by instance: its first slot in the matrix's pattern
  std::vector<std::uint32_t> kept_begin;  ///< by instance: its first number among the kept gradients
  bool has_constraints = false;           ///< some stencil holds a multiplier
  bool has_algebraic = false;             ///< some stencil holds algebraic unknowns
  ElementCalls calls;                     ///< what the instances of this rank have besides `evaluate`
  std::vector<InstanceTraits> traits;     ///< by instance
  std::vector<int> special;               ///< instances with a trait, in order

  std::span<const StencilBlock> stencil(int i) const {
    return {blocks.data() + block_begin[at(i)], blocks.data() + block_begin[at(i) + 1]};
  }
  std::span<const StencilBlock> shape(int i) const {
    return {shapes.data() + shape_begin[at(i)], block_begin[at(i) + 1] - block_begin[at(i)]};
  }
  std::span<const BlockPair> coupled(int i) const {
    return {pairs.data() + pair_begin[at(i)], pair_count[at(i)]};
  }
};

/// The sub-blocks of a stabilized matrix that one pair of stencil blocks writes, besides its own, in this order.
struct StabilizingParts {
  bool correction_column = false;    ///< (row, mu of column)
  bool velocity_row = false;         ///< (velocity row of the multiplier `row`, column)
  bool velocity_correction = false;  ///< (velocity row of the multiplier `row`, mu of column)
  bool correction_row = false;       ///< (row of mu, eta of the multiplier `column`)
  bool velocity_own = false;         ///< (velocity row of the multiplier `row`, eta of `column`)

  TRAMMEL_API StabilizingParts(const StencilBlock& row, const StencilBlock& column);
};

/// Adds `gradient` (K, of a velocity constraint D) times v' to rows that hold the bias. `blocks` and `offsets` are the instance's.
template <class Matrix>
void add_accelerations(std::span<const StencilBlock> blocks, const BlockOffset* offsets, const State& state,
                       const StencilBlock& row, const Matrix& gradient, double* rows) {
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (!is_kinematic(blocks[k].kind)) continue;
    const double* const a = state.acceleration.data() + offsets[k].dof;
    for (int i = 0; i < row.size; ++i) {
      double sum = 0;
      for (int j = 0; j < blocks[k].size; ++j) sum += gradient(row.offset + i, blocks[k].offset + j) * a[j];
      rows[i] += sum;
    }
  }
}

/// Plans of all ranges; the blocks of the matrix that their instances write are appended to `pattern`, in the order in which they
/// write them. `kept`: how many numbers the kept gradients have.
std::vector<RangePlan> plan_ranges(const Model& model, const Layout& layout, MatrixPattern& pattern,
                                   std::size_t& kept);

}  // namespace trammel
