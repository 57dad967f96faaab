#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <vector>

#include "kernel/block_table.hpp"
#include "trammel/activity.hpp"
#include "trammel/block.hpp"
#include "trammel/element_range.hpp"
#include "trammel/entity.hpp"
#include "trammel/error.hpp"
#include "trammel/export.hpp"
#include "trammel/friction_law.hpp"
#include "trammel/marker.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// Two blocks (or a block and the ground) that a joint offers to identify.
struct IdentityOffer {
  BlockId a = no_block;  ///< no_block: the ground
  BlockId b = no_block;
  bool rotation = false;
  BlockId multiplier = no_block;  ///< whose rows are satisfied if the offer is accepted
  std::string conflict;           ///< why it cannot be accepted: the initial velocities differ; else empty
};

/// Information about an entity that `trammel check` prints before a run, such as the 6x6 matrix of a section.
struct ModelNote {
  int entity = -1;
  std::string title;
  std::string text;  ///< may have several lines
};

/// A linear relation between coordinates that a motion or a coupling imposes.
struct CoordinateRelation {
  int entity = -1;
  std::vector<CoordinateTerm> terms;
};

/// For cases that are built in parts: the partition on which all ranks have agreed.
struct TRAMMEL_API ModelPartition {
  std::vector<std::int32_t>
      owner;  ///< by entity: the rank that evaluates it; `everyone` where all ranks build it

  static constexpr std::int32_t everyone = -1;
  bool whole() const { return owner.empty(); }
  /// The one rank that sends data of an entity to the others.
  int speaker(int entity) const { return std::max(owner[static_cast<std::size_t>(entity)], 0); }
};

/// An instance, by its number in its range.
struct InstanceAt {
  const ElementRange* range = nullptr;
  int number = 0;
};

/// The description of a system: blocks, instances and names, without state and without equation numbers. Once it is
/// built, only the histories and the stencils of its instances change.
///
/// A rank has the whole model, or, for a large case on several ranks, its part: the entities that it evaluates and
/// those that they need. BlockIds and the list of entities are the same on all ranks.
class TRAMMEL_API Model {
 public:
  Model() = default;
  Model(Model&&) = default;
  Model& operator=(Model&&) = delete;  // markers stay with their room
  BlockTable<Block> blocks;
  std::map<int, std::vector<IdentityOffer>> offers;  ///< of joints, by entity
  /// Joints whose offers were withdrawn, because their reaction is read.
  std::set<int> withdrawn;
  std::vector<Entity> entities;
  ModelPartition partition;
  /// One range for each C++ type of instance, and the plugin it comes from.
  struct Range {
    std::string key;
    std::string type;
    std::unique_ptr<ElementRange> instances;
  };
  std::vector<Range> ranges;
  /// Blocks, in addition to those of its first stencil, that later stencils of an instance may contain.
  std::map<const ElementRange*, std::map<int, std::vector<BlockId>>> reaches;
  /// Many, small, and all given back at once: they do not lie between what remains.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> marker_room =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  /// By name, which these markers do not hold themselves.
  std::pmr::map<std::string, Marker, std::less<>> markers{marker_room.get()};
  std::map<std::string, std::shared_ptr<const Signal>, std::less<>> signals;
  std::map<int, std::vector<JointCoordinate>> coordinates;  ///< by entity
  std::vector<CoordinateRelation> relations;
  std::map<BlockId, FrictionLaw> frictions;  ///< by velocity multiplier
  std::map<int, Activity> activities;        ///< by entity, for joints that may become inactive
  std::vector<MassPoint> masses;
  std::vector<ModelNote> notes;
  bool keep_notes = false;  ///< whether `notes` are collected
  std::vector<SensorReference> sensor_references;
  /// By entity that reads outputs of instances: the first of these instances. Its rank knows its history, and
  /// therefore evaluates the reader too.
  std::map<int, InstanceAt> read_instances;

  const Block& block(BlockId id) const { return blocks[id]; }
  /// "crank.start position"
  std::string block_name(BlockId id) const {
    return entities[static_cast<std::size_t>(block(id).entity)].full_name(block(id).name);
  }
  Block block_with_full_name(BlockId id) const {
    Block named = block(id);
    named.name = block_name(id);
    return named;
  }
  /// Whether this rank has the block.
  bool knows(BlockId id) const { return blocks[id].entity >= 0; }
  int dofs(std::span<const BlockId> stencil) const {
    int n = 0;
    for (const BlockId id : stencil) n += block(id).size;
    return n;
  }
};

}  // namespace trammel
