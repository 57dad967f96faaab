#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "trammel/block_sets.hpp"
#include "trammel/export.hpp"
#include "trammel/model.hpp"
#include "trammel/parameters.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// Pose and twist of a marker at the start: twist = (velocity of the origin in world components; w_WM_M).
struct InitialMotion {
  Mat3 R_WM;
  Vec3 p_WM;
  Vec6 twist;
};

/// A box around points [m].
struct Box {
  Vec3 lowest = Vec3::Constant(HUGE_VAL), highest = Vec3::Constant(-HUGE_VAL);
  void enclose(const Vec3& p) {
    lowest = lowest.cwiseMin(p);
    highest = highest.cwiseMax(p);
  }
  double diagonal() const { return lowest.x() > highest.x() ? 0.0 : (highest - lowest).norm(); }
};

/// What all ranks know of a case before each of them expands its share of it.
struct SharePlan {
  ModelShares shares;
  std::vector<SharedBlocks> shared;  ///< of the whole case, in order
  BlockSets sets;                    ///< that they make
  Box box;                           ///< around all positions and markers
};

/// Blocks that joints offered to identify, but that are one already: entity and which of its offers.
using RefusedShares = std::set<std::pair<int, int>>;

/// What a type's `build` uses to add one entity to a model. Names that it is given are relative to the entity:
/// "start" of body "crank" becomes "crank.start".
class TRAMMEL_API Builder {
 public:
  explicit Builder(Model& model) : model_(&model), next_block_(static_cast<BlockId>(model.blocks.size())) {}
  /// Expands a share of a case whose entities the model lists already.
  Builder(Model& model, const SharePlan& plan);
  /// Finds out what a plan needs: blocks are numbered as they come, and `shared` of the model takes all that joints offer
  /// to identify, numbered by entity; they are told so but for those that are known to be refused.
  Builder(Model& model, const RefusedShares& refused);

  /// Begins an entity; the reader of the case calls this before `Type::build`.
  int begin(Entity entity, const Type& type);
  /// Begins an entity that the model lists already.
  void begin_listed(int entity, const Type& type);
  const Entity& entity() const { return model_->entities[static_cast<std::size_t>(entity_)]; }
  int entity_index() const { return entity_; }
  Model& model() { return *model_; }
  /// Diagonal of the box around all positions and markers at the start so far [m]: what a gap is small against.
  double length() const { return box_.diagonal(); }
  const Box& box() const { return box_; }

  // Blocks.
  BlockId add_position(std::string_view name, const Vec3& p_WB, const Vec3& v_WB = Vec3::Zero());
  BlockId add_rotation(std::string_view name, const Mat3& R_WB, const Vec3& w_WB_B = Vec3::Zero());
  Frame add_frame(std::string_view name, const Mat3& R_WB, const Vec3& p_WB, const Vec3& v_WB = Vec3::Zero(),
                  const Vec3& w_WB_B = Vec3::Zero());
  /// Coordinates of second order, one `measure` each; `unit` is for messages.
  BlockId add_coordinates(std::string_view name, std::span<const double> initial,
                          std::span<const double> rate, std::span<const Measure> measures, std::string unit);
  /// States of first order, each with the size that is typical of it.
  BlockId add_states(std::string_view name, std::span<const double> initial,
                     std::span<const Measure> measures, std::string unit);
  /// The multipliers of a constraint at position level, C = 0 or gap >= 0, a Row each. Throws Error where a row has no
  /// dimension, friction stands at position level, or a restitution is above zero.
  BlockId add_multiplier(std::string_view name, std::vector<Row> rows);
  /// The multipliers of a constraint at velocity level, A v + b = 0. Throws Error as above.
  BlockId add_velocity_multiplier(std::string_view name, std::vector<Row> rows,
                                  const VelocityRows& together = {});
  /// The multipliers of dry friction, A v + b the velocities of sliding along one to three axes. Throws Error where the
  /// law has no normal force, a coefficient is negative, or one of sliding is larger than at rest.
  BlockId add_friction(std::string_view name, std::span<const Dimension> axes, FrictionLaw law);
  /// Lets the present joint become inactive and active in the run. Call it before its multipliers are added.
  void set_activity(Activity activity);

  // Names that others may use.
  void offer_marker(std::string_view name, Marker marker);
  /// Markers that are made on demand: "crank.at(0.3)" calls the family "at" of "crank" with "0.3".
  void offer_marker_family(std::string_view name, std::function<Marker(double)> make);
  void offer_signal(std::string_view name, std::shared_ptr<const Signal> signal);
  void offer_coordinate(std::string_view name, std::string unit, BlockId block, int component = 0);
  void offer_mass(Marker centre, double mass);
  /// Adds a ModelNote of the entity, where notes are wanted.
  void note(std::string title, const std::function<std::string()>& text) {
    if (model_->keep_notes) model_->notes.push_back({entity_, std::move(title), text()});
  }
  /// Anything else that types of the same plugin share by name (a beam's chain for loads on it).
  void offer(std::string_view name, std::shared_ptr<const void> thing);
  std::shared_ptr<const void> find(std::string_view full_name) const;

  /// The marker that a value names ("ground", "crank.start", "crank.at(0.3)", {on, at, rotation}).
  /// Throws Error with the nearest name.
  Marker marker(const Value& value, const ValueContext& context) const;
  Marker marker(const Parameters& in, std::string_view parameter) const;
  std::pair<Marker, Marker> marker_pair(const Parameters& in, std::string_view parameter) const;
  std::shared_ptr<const Signal> signal(std::string_view name, const Location& where) const;
  /// The coordinate `name` of the entity that an attachment hangs on.
  JointCoordinate coordinate(int of_entity, std::string_view name, const Location& where) const;
  /// The coordinate of a joint by its full name, "hinge.angle". Throws Error that offers those that exist.
  JointCoordinate coordinate(std::string_view full_name, const Location& where) const;
  /// Remembers that this entity imposes a linear relation between coordinates. Gives the entities that impose the same
  /// already, together or alone (nothing is remembered then); none where the relation is new.
  [[nodiscard]] std::vector<int> add_relation(const std::vector<CoordinateRelation::Term>& terms);
  /// The entity that is the joint of that name; -1 where there is none (yet).
  int joint_named(std::string_view name) const;
  /// The joint that entity `of_entity` is, with the stencil of its instance; null where it has none.
  std::pair<std::shared_ptr<const JointView>, std::vector<BlockId>> joint(int of_entity) const;

  InitialMotion initial(const Marker& marker) const;
  /// False where the model is built without shared blocks.
  bool may_share() const;

  /// Identifies the position blocks of two markers where the design's conditions hold (origins of frames, no time,
  /// no loop among what shares the block); false, and nothing done, where they don't.
  bool share_position(const Marker& a, const Marker& b);
  /// Identifies the rotation blocks, which then differ by the constant rotation that they have now.
  bool share_rotation(const Marker& a, const Marker& b);

  /// Checks what only the whole model shows; call after the last entity. Throws Error where blocks that joints
  /// identified start with different velocities.
  void finish();

  /// Adds an instance. E is evaluated by RangeOf<E>. Ranges are found by the address of E's type_info: two sources of one
  /// plugin may each have a class of one name in an anonymous namespace, and not every compiler's type_info tells them
  /// apart by comparison.
  template <class E>
  void add(E element, std::vector<BlockId> stencil) {
    const int dofs = check_stencil(stencil);
    ElementRange* range = find_range(typeid(E));
    if (range == nullptr) range = adopt(typeid(E), std::make_unique<RangeOf<E>>());
    static_cast<RangeOf<E>*>(range)->add(std::move(element), std::move(stencil), dofs, entity_);
  }

 private:
  BlockId add_block(Block block, std::string_view name, std::span<const double> initial,
                    std::span<const double> rate);
  void require_dimensions(const Block& block) const;
  int check_stencil(const std::vector<BlockId>& stencil) const;
  ElementRange* find_range(const std::type_info& type) const;
  ElementRange* adopt(const std::type_info& type, std::unique_ptr<ElementRange> range);
  std::string full_name(std::string_view name) const;
  bool share(BlockId a, BlockId b, bool rotation);
  void take_shared();
  void set_roots(const BlockSets& sets, const std::vector<BlockId>& members, bool rotation);

  Model* model_;
  const SharePlan* plan_ = nullptr;
  const RefusedShares* refused_ = nullptr;
  int offers_ = 0;  ///< to identify blocks, by the present entity
  BlockId next_block_ = 0;
  Box box_;
  const Type* type_ = nullptr;
  int entity_ = -1;
  std::map<std::pair<std::string, const std::type_info*>, ElementRange*> ranges_;  ///< by plugin and type
  BlockSets sets_;                                                                 ///< of shared blocks
  std::map<std::string, std::function<Marker(double)>, std::less<>> families_;
  std::map<std::string, std::shared_ptr<const void>, std::less<>> things_;
  std::map<std::string, int, std::less<>> joints_;
  /// Relations between coordinates, each by the coordinate that it was solved for; that one has the factor 1 and
  /// stands in none of the later ones.
  struct ReducedRelation {
    std::map<std::pair<BlockId, int>, double> terms;
    std::vector<int> entities;  ///< that it was made from
  };
  std::map<std::pair<BlockId, int>, ReducedRelation> relations_;
};

}  // namespace trammel
