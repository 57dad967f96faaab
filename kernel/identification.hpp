#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include "kernel/block_sets.hpp"
#include "kernel/block_table.hpp"
#include "kernel/model.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// How a block depends on its root: the block that carries its unknowns.
struct BlockRoot {
  BlockId root = no_block;
  /// Has no unknowns: identified with the ground, or a multiplier whose rows are satisfied by identification.
  bool fixed = false;
  const Mat3* Q = nullptr;  ///< of a rotation: R_block = R_root Q; null: the identity
};

/// Two blocks (or a block and the ground) that a joint identified.
struct IdentifiedBlocks {
  int entity = -1;
  BlockId a = no_block;  ///< no_block: the ground
  BlockId b = no_block;
  bool rotation = false;
  BlockId multiplier = no_block;  ///< whose rows the identification satisfies
  int number = -1;                ///< number of this pair in the whole case
};

/// The accepted offers, in the order of the case, and the sets of blocks that result from them.
struct TakenOffers {
  std::vector<IdentifiedBlocks> taken;
  BlockSets sets;
};

/// Accepts, in the order of the case, every offer that closes no loop with those accepted before. Collective.
TRAMMEL_API TakenOffers take_offers(const Model& model, MPI_Comm comm);
/// For models that are built in parts: adds to `model` the roots of its blocks that other ranks made. Collective.
TRAMMEL_API void fetch_roots(Model& model, MPI_Comm comm);

/// Which blocks of a model are identified, from the offers of its joints.
class TRAMMEL_API Identification {
 public:
  /// `wanted`: false: no blocks are identified, and every joint keeps its multipliers. Throws Error, on every rank,
  /// if blocks with different initial velocities would be identified. Collective.
  Identification(const Model& model, bool wanted, MPI_Comm comm);
  Identification(const Identification&) = delete;

  const BlockRoot& root(BlockId id) const { return roots_[id]; }
  /// The identifications of blocks that this rank knows.
  const std::vector<IdentifiedBlocks>& blocks() const { return blocks_; }
  /// How many pairs were identified in the whole case.
  int total() const { return total_; }

 private:
  void set_roots(const Model& model, const BlockSets& sets, const std::vector<BlockId>& members,
                 bool rotation);

  BlockValues<BlockRoot> roots_;
  std::deque<Mat3> turns_;  ///< BlockRoot::Q
  std::vector<IdentifiedBlocks> blocks_;
  int total_ = 0;
};

}  // namespace trammel
