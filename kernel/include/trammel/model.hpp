#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trammel/activity.hpp"
#include "trammel/block.hpp"
#include "trammel/block_table.hpp"
#include "trammel/element.hpp"
#include "trammel/error.hpp"
#include "trammel/export.hpp"
#include "trammel/friction_law.hpp"
#include "trammel/marker.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// One named thing of a case: a body, a joint, a load, a sensor.
struct Entity {
  std::string name;
  std::string category;
  std::string type;
  std::string plugin;
  Location where;
};

/// Appends a block's initial values and rates to a state, at its end, with accelerations of zero.
TRAMMEL_API void append_initial(const Block& block, State& state);

/// How a block relates to the block that carries its unknowns.
struct BlockRoot {
  BlockId root = no_block;
  bool fixed = false;         ///< no unknowns: shared with the ground
  bool rotated = false;       ///< `Q` is not the identity
  Mat3 Q = Mat3::Identity();  ///< of a rotation: R_block = R_root Q
};

/// Two blocks (or a block and the ground) that a joint identified.
struct SharedBlocks {
  int entity = -1;
  BlockId a = no_block;  ///< no_block: the ground
  BlockId b = no_block;
  bool rotation = false;
  int number = -1;  ///< among those of the whole case
};

/// A body's mass concentrated for loads that act on mass (gravity).
struct MassPoint {
  Marker centre;
  double mass = 0;
  int entity = -1;
};

/// What a user may want to see of an entity before a run: the 6x6 that a section came to. `trammel check` prints it.
struct ModelNote {
  int entity = -1;
  std::string title;
  std::string text;  ///< may have several lines
};

/// A scalar coordinate of a joint that springs, motions and frictions hang on.
struct JointCoordinate {
  std::string name;  ///< "angle"
  std::string unit;
  BlockId block = no_block;
  int component = 0;
};

/// A linear relation between coordinates that a motion or a coupling imposes.
struct CoordinateRelation {
  /// factor times component of a coordinate block
  struct Term {
    BlockId block = no_block;
    int component = 0;
    double factor = 0;
  };
  int entity = -1;
  std::vector<Term> terms;
};

/// A sensor that reports what something else does. (A sensor with instances of its own reports their outputs.)
struct SensorReference {
  enum class What {
    outputs,  ///< the outputs of all instances of `of`
    energy,   ///< kinetic, strain, potential and total energy and lost power, of `of` or of the whole model
  };
  int sensor = -1;  ///< entity of the sensor
  int of = -1;      ///< entity that it reports; -1: the whole model
  What what = What::outputs;
  std::vector<std::string> channels;  ///< names of the outputs wanted; empty: all
};

/// Where each rank expands a part of the case: what all of them agreed on before.
struct TRAMMEL_API ModelShares {
  std::vector<std::int32_t>
      owner;  ///< by entity: the rank that evaluates it; `everyone` where all ranks build it
  std::vector<BlockId> first_block;  ///< by entity, and one past the last block
  int shared = 0;                    ///< pairs of blocks identified in the whole case

  static constexpr std::int32_t everyone = -1;
  bool whole() const { return owner.empty(); }
  /// The entity that made a block.
  int entity_of(BlockId id) const;
};

/// The description of a system: blocks, instances and names. It holds no state and no numbering.
///
/// A rank holds the whole of it, or, of a large case on several ranks, its share: what it evaluates and what that names.
/// BlockIds and the list of entities are the same on all ranks.
class TRAMMEL_API Model {
 public:
  BlockTable<Block> blocks;
  BlockTable<BlockRoot> roots;  ///< by block
  std::vector<SharedBlocks> shared;
  std::vector<Entity> entities;
  ModelShares shares;
  /// One range for each C++ type of instance, and the plugin it comes from.
  struct Range {
    std::string key;
    std::string type;
    std::unique_ptr<ElementRange> instances;
  };
  std::vector<Range> ranges;
  std::map<std::string, Marker, std::less<>> markers;
  std::map<std::string, std::shared_ptr<const Signal>, std::less<>> signals;
  std::map<int, std::vector<JointCoordinate>> coordinates;  ///< by entity
  std::vector<CoordinateRelation> relations;
  std::map<BlockId, FrictionLaw> frictions;  ///< by velocity multiplier
  std::map<int, Activity> activities;        ///< by entity: of joints that may become inactive
  std::vector<MassPoint> masses;
  std::vector<ModelNote> notes;
  bool keep_notes = false;   ///< `notes` are wanted
  bool share_blocks = true;  ///< joints may identify blocks; no: every joint keeps its multipliers
  std::vector<SensorReference> sensor_references;

  const Block& block(BlockId id) const { return blocks[id]; }
  const BlockRoot& root(BlockId id) const { return roots[id]; }
  /// How many pairs of blocks were identified in the whole case.
  int shared_total() const { return shares.whole() ? static_cast<int>(shared.size()) : shares.shared; }
  int dofs(std::span<const BlockId> stencil) const;
  /// The entity that made a block, known here or not.
  int entity_of(BlockId id) const { return shares.whole() ? block(id).entity : shares.entity_of(id); }
};

}  // namespace trammel
