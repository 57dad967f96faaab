#pragma once

#include <mpi.h>
#include <petscis.h>
#include <petscvec.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/identification.hpp"
#include "kernel/model.hpp"
#include "trammel/export.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// A block that carries unknowns, as one rank sees it.
struct UnknownBlock {
  BlockId block = no_block;
  BlockKind kind = BlockKind::position;
  int size = 0;
  BlockOffset offset;   ///< in State
  int local = 0;        ///< offset in a rank's local vector (its own unknowns first, then its ghosts)
  PetscInt global = 0;  ///< number of its first unknown
  /// Offset of the block's stabilizing unknowns, -1 where it has none. In the stabilized index-2 form a multiplier's
  /// stabilizing unknown is its velocity-level multiplier eta, and a kinematic block's that constraints touch is its position
  /// correction mu (see docs/time_integration.md).
  int stabilizing_local = -1;
  PetscInt stabilizing_global = -1;
  bool owned = false;
};

struct LayoutOptions {
  bool stabilized = false;  ///< number stabilizing unknowns
  /// Accept the identifications that joints offer; false: every joint keeps its multipliers.
  bool identify = true;
};

/// Counts of one rank.
struct RankPartition {
  PetscInt owned_unknowns = 0;
  PetscInt ghost_unknowns = 0;
  PetscInt instances = 0;
};

/// The identified blocks of a model, the numbers of its unknowns, its partition over the ranks, the instances that
/// each rank evaluates, and the ghosts. The layout tells joints what was identified; of several layouts of one
/// model the last one is valid.
///
/// The partition is made once, from the graph of couplings between root blocks. (A model that is built in parts has
/// a partition of its entities already.) A change of the pattern renews only the ghosts. Collective over the
/// communicator.
class TRAMMEL_API Layout {
 public:
  /// Throws Error if joints identify blocks with different initial velocities.
  Layout(MPI_Comm comm, const Model& model, const LayoutOptions& options);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  bool stabilized() const { return options_.stabilized; }
  /// Numbers the unknowns again, with or without stabilizing unknowns. Offsets of blocks do not change: states
  /// remain valid. Vectors and matrices become invalid (call Assembler::revise). Collective.
  void set_stabilized(bool stabilized);

  PetscInt owned_size() const { return owned_size_; }
  PetscInt local_size() const { return local_size_; }  ///< owned and ghost unknowns
  PetscInt global_size() const { return global_size_; }

  /// Root blocks with unknowns that this rank owns, then its ghosts; of each first frames (positions, each with its rotation behind it),
  /// then coordinates, states, algebraic unknowns, multipliers and velocity multipliers, in the order of the case.
  std::span<const UnknownBlock> unknowns() const { return unknowns_; }
  /// The unknown block of the root of `id`; nullptr if it is fixed or not known to this rank.
  const UnknownBlock* unknown_of(BlockId id) const;
  int owner(BlockId root) const;
  /// Which blocks are identified.
  const Identification& identification() const { return identification_; }
  const BlockRoot& root(BlockId id) const { return identification_.root(id); }
  bool carries_unknowns(BlockId id) const { return root(id).root == id && !root(id).fixed; }

  /// The instances of a range of the model that this rank evaluates, in order.
  std::span<const int> instances(std::size_t range) const { return instances_[range]; }
  /// False for a joint whose rows are all satisfied by identified blocks.
  bool has_equations(std::size_t range, int instance) const {
    return !std::ranges::binary_search(without_equations_[range], instance);
  }

  /// True if this rank knows the values of the block.
  bool knows(BlockId id) const { return offset_index_[id] >= 0; }
  const BlockOffset& offset(BlockId id) const;
  /// Blocks known here, in the order of their offsets.
  std::span<const BlockId> known_blocks() const { return known_; }

  /// A state with the model's initial values.
  State initial_state() const;
  /// Size of the arrays of a state that lie by dof (State::fields_by_dof).
  std::size_t dof_count() const { return dof_count_; }

  Vec create_vector() const;
  /// Values of this rank's unknowns and ghosts, `local_size()` numbers. Collective.
  void to_local(Vec x, std::vector<double>& local) const;
  /// Sets x to the sum of all ranks' local contributions (owned and ghost). Collective.
  void sum_local(const std::vector<double>& local, Vec x) const;

  /// Computes values, rates and accelerations of identified blocks from those of their roots.
  void update_shared(State& state) const;

  /// Renews the ghosts after stencils have changed. The arrays of `states` are rearranged, and the values of new
  /// ghosts are fetched from their owners; other states become invalid. If this rank knew all blocks of the new
  /// stencils already (see Builder::add, `reach`), nothing changes and nothing is fetched. `ghosts_are_current`:
  /// the ghosts in `states` have the values of their owners; if false, they are fetched in any case. Collective.
  void revise(std::span<State* const> states, bool ghosts_are_current = true);

  RankPartition own_partition() const;
  /// The largest partition over the ranks. Collective.
  RankPartition largest_partition() const;

 private:
  void tell_joints();
  int evaluator(const ElementRange& range, int instance) const;
  void find_corrected();
  void number_roots();
  void number_ghosts(const std::vector<BlockId>& wanted);
  std::vector<BlockId> wanted_blocks() const;
  void arrange();

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  const Model* model_;
  LayoutOptions options_;
  Identification identification_;
  std::vector<std::vector<int>> instances_;          ///< by range
  std::vector<std::vector<int>> without_equations_;  ///< by range
  /// Of roots; empty on one rank, or where cases are expanded in parts.
  BlockValues<int> owner_{model_->blocks, -1};
  std::vector<BlockId> corrected_;  ///< kinematic roots of this rank that constraints touch, in order
  BlockValues<PetscInt> global_{model_->blocks, -1};  ///< of roots with unknowns that are owned or known here
  BlockValues<PetscInt> stabilizing_{model_->blocks, -1};  ///< -1 where there is none
  PetscInt owned_size_ = 0, local_size_ = 0, global_size_ = 0;
  std::vector<UnknownBlock> unknowns_;
  BlockValues<std::int32_t> unknown_index_{model_->blocks, -1};  ///< of roots known here
  BlockValues<std::int32_t> offset_index_{model_->blocks, -1};
  std::vector<BlockOffset> offsets_;
  std::vector<BlockId> known_;
  std::size_t value_count_ = 0, dof_count_ = 0;
  VecScatter scatter_ = nullptr;
  Vec ghosts_ = nullptr;
};

}  // namespace trammel
