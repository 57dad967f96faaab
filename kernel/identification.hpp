#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "kernel/block_sets.hpp"
#include "kernel/block_table.hpp"
#include "kernel/model.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// How a block relates to the block that carries its unknowns.
struct BlockRoot {
  BlockId root = no_block;
  bool fixed = false;    ///< no unknowns: one with the ground, or a multiplier whose rows hold by themselves
  bool rotated = false;  ///< `Q` is not the identity
  Mat3 Q = Mat3::Identity();  ///< of a rotation: R_block = R_root Q
};

/// Two blocks (or a block and the ground) that a joint identified.
struct IdentifiedBlocks {
  int entity = -1;
  BlockId a = no_block;  ///< no_block: the ground
  BlockId b = no_block;
  bool rotation = false;
  BlockId multiplier = no_block;  ///< whose rows hold so
  int number = -1;                ///< among those of the whole case
};

/// Offers that are taken, in the order of the case, and the sets of blocks that they make.
struct TakenOffers {
  std::vector<IdentifiedBlocks> taken;
  BlockSets sets;
};

/// Takes of all offers of a case those that close no loop, in its order. Collective.
TRAMMEL_API TakenOffers take_offers(const Model& model, MPI_Comm comm);
/// Adds, where each rank has built its part of a model, the blocks that carry the unknowns of blocks known here and were made
/// elsewhere. Collective.
TRAMMEL_API void fetch_roots(Model& model, MPI_Comm comm);

/// Which blocks of a model are one, by the offers of its joints.
class TRAMMEL_API Identification {
 public:
  /// `wanted`: no: none are, and every joint keeps its multipliers. Throws Error on every rank where blocks would be one
  /// that start with different velocities. Collective.
  Identification(const Model& model, bool wanted, MPI_Comm comm);

  const BlockRoot& root(BlockId id) const { return roots_[id]; }
  /// What was identified with blocks known here, by whatever joints.
  const std::vector<IdentifiedBlocks>& blocks() const { return blocks_; }
  /// How many pairs were identified in the whole case.
  int total() const { return total_; }

 private:
  void set_roots(const Model& model, const BlockSets& sets, const std::vector<BlockId>& members,
                 bool rotation);

  BlockMap<BlockRoot> roots_;
  std::vector<IdentifiedBlocks> blocks_;
  int total_ = 0;
};

}  // namespace trammel
