#pragma once

#include <cmath>
#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "trammel/activity.hpp"
#include "trammel/block.hpp"
#include "trammel/element.hpp"
#include "trammel/entity.hpp"
#include "trammel/export.hpp"
#include "trammel/friction_law.hpp"
#include "trammel/marker.hpp"
#include "trammel/parameters.hpp"
#include "trammel/registry.hpp"
#include "trammel/reserved.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// Pose and twist of a marker at the start: twist = (velocity of the origin in world components; w_WM_M).
struct InitialMotion {
  Mat3 R_WM;
  Vec3 p_WM;
  Vec6 twist;
  Reserved<2> reserved{};
};

/// The part of two frames that a joint may identify.
enum class FramePart { position, rotation };

/// A box around points [m].
struct Box {
  Vec3 lowest = Vec3::Constant(HUGE_VAL), highest = Vec3::Constant(-HUGE_VAL);
  void enclose(const Vec3& p) {
    lowest = lowest.cwiseMin(p);
    highest = highest.cwiseMax(p);
  }
  double diagonal() const { return lowest.x() > highest.x() ? 0.0 : (highest - lowest).norm(); }
};

/// A class whose objects an entity can offer to others by name. `offered_as` identifies the class across shared libraries, and changes
/// with the layout of the class: "elastic line 1".
template <class T>
concept Offered = requires {
  { T::offered_as } -> std::convertible_to<std::string_view>;
};

/// An offered object, and the name of its class.
struct OfferedThing {
  std::string type;
  std::shared_ptr<const void> thing;
};

/// The interface through which `build` of a type adds one entity to a model: its blocks, its elements, and the names that others may
/// use. Names are relative to the entity: "start" of body "crank" becomes "crank.start". Trammel implements it; a plugin never sees
/// the model itself.
class TRAMMEL_API Builder {
 public:
  virtual ~Builder();

  /// The entity that is being built.
  virtual int entity_index() const = 0;
  const Entity& entity() const { return entities()[static_cast<std::size_t>(entity_index())]; }
  /// All entities of the case so far, in its order.
  virtual std::span<const Entity> entities() const = 0;
  /// The box around the initial positions and markers that have been added so far.
  virtual const Box& box() const = 0;
  /// The diagonal of this box [m], the reference length of tolerances.
  double length() const { return box().diagonal(); }

  // Blocks, with their values and rates at the start: positions [m] and velocities [m/s] in world axes, angular velocities
  // [rad/s] in the axes of the body. Each function throws Error if the block has no number, or a number without a dimension.
  BlockId add_position(std::string_view name, const Vec3& p_WB, const Vec3& v_WB = Vec3::Zero());
  BlockId add_rotation(std::string_view name, const Mat3& R_WB, const Vec3& w_WB_B = Vec3::Zero());
  Frame add_frame(std::string_view name, const Mat3& R_WB, const Vec3& p_WB, const Vec3& v_WB = Vec3::Zero(),
                  const Vec3& w_WB_B = Vec3::Zero());
  /// Coordinates of second order, with one `measure` for each. `unit` is for messages.
  BlockId add_coordinates(std::string_view name, std::span<const double> initial,
                          std::span<const double> rate, std::span<const Measure> measures, std::string unit);
  /// States of first order, each with its typical size.
  BlockId add_states(std::string_view name, std::span<const double> initial,
                     std::span<const Measure> measures, std::string unit);
  /// Algebraic unknowns x, each with its typical size. An element with the block in its stencil writes one equation
  /// g(q, v, x, t) = 0, in any unit, into each row. dg/dx must be regular for given positions, velocities and first-order states.
  /// Newton's method begins the search for the start values at `initial`.
  BlockId add_algebraic(std::string_view name, std::span<const double> initial,
                        std::span<const Measure> measures, std::string unit);
  /// The multipliers of a constraint at position level, C = 0 or gap >= 0, with a Row for each. Throws Error if a row has no
  /// dimension, is a friction row, or has a restitution above zero.
  BlockId add_multiplier(std::string_view name, std::vector<Row> rows);
  /// The multipliers of a constraint at velocity level, A v + b = 0. Throws Error as above.
  BlockId add_velocity_multiplier(std::string_view name, std::vector<Row> rows,
                                  const VelocityRows& together = {});
  /// The multipliers of dry friction; A v + b are the velocities of sliding along one to three axes. Throws Error if the law has no
  /// normal force, a coefficient is negative, or a coefficient of sliding is larger than that at rest.
  BlockId add_friction(std::string_view name, std::span<const Dimension> axes, FrictionLaw law);
  /// A block of the model, of any entity.
  virtual const Block& block(BlockId id) const = 0;
  /// The sizes of blocks, in their order.
  std::vector<int> sizes_of(std::span<const BlockId> blocks) const;

  /// The present joint may become inactive and active during the run. Call this before its multipliers are added.
  virtual void set_activity(Activity activity) = 0;
  /// True if the present joint may become inactive.
  virtual bool has_activity() const = 0;

  // Names that others may use; the name "" is that of the entity. Each function throws Error if the entity offers two things of one
  // kind by the same name.
  virtual void offer_marker(std::string_view name, Marker marker) = 0;
  /// Markers that are made when a case names them: "crank.at(0.3)" calls the family "at" of "crank" with 0.3.
  virtual void offer_marker_family(std::string_view name, std::function<Marker(double)> make) = 0;
  virtual void offer_signal(std::string_view name, std::shared_ptr<const Signal> signal) = 0;
  virtual void offer_coordinate(std::string_view name, std::string unit, BlockId block,
                                int component = 0) = 0;
  /// A mass [kg], its centre at the marker, on which gravity acts.
  virtual void offer_mass(Marker centre, double mass) = 0;
  /// The masses offered so far.
  virtual std::span<const MassPoint> masses() const = 0;
  /// Text about the entity that `trammel check` prints, such as the stiffness matrix of a cross-section. `text` is called only if it
  /// is printed.
  virtual void note(std::string title, const std::function<std::string()>& text) = 0;
  /// Offers any other object by name, such as the line of a beam for loads and joints on it. The object lives as long as the model.
  template <Offered T>
  void offer(std::string_view name, std::shared_ptr<const T> thing) {
    offer_thing(name, {std::string(T::offered_as), std::move(thing)});
  }
  /// The object that was offered by this name; null if there is none. Throws Error if it is of another class.
  template <Offered T>
  std::shared_ptr<const T> find(std::string_view full_name) const {
    const OfferedThing* found = find_thing(full_name);
    if (found == nullptr) return nullptr;
    require_type(full_name, found->type, T::offered_as);
    return std::static_pointer_cast<const T>(found->thing);
  }

  /// The marker that a value names ("ground", "crank.start", "crank.at(0.3)", {on, at, rotation}).
  /// Throws Error with the nearest name.
  Marker marker(const Value& value, const ValueContext& context) const;
  Marker marker(const Parameters& in, std::string_view parameter) const;
  std::pair<Marker, Marker> marker_pair(const Parameters& in, std::string_view parameter) const;
  /// The signal of that name. Throws Error with the nearest name.
  virtual std::shared_ptr<const Signal> signal(std::string_view name, const Location& where) const = 0;
  virtual bool has_signal(std::string_view name) const = 0;
  /// The coordinate `name` of joint `of_entity`, for an element that acts on it (a spring, a motion).
  virtual JointCoordinate coordinate(int of_entity, std::string_view name, const Location& where) const = 0;
  /// The coordinate of a joint by its full name, "hinge.angle". Throws Error that lists the existing ones.
  virtual JointCoordinate coordinate(std::string_view full_name, const Location& where) const = 0;
  /// All coordinates that an entity offers.
  virtual std::span<const JointCoordinate> coordinates_of(int entity) const = 0;
  /// Records that this entity imposes a linear relation between coordinates. If the relation follows from recorded ones, nothing is
  /// recorded, and the entities that impose those are returned. Returns an empty list if the relation is new.
  [[nodiscard]] virtual std::vector<int> add_relation(const std::vector<CoordinateTerm>& terms) = 0;
  /// The entity of the joint with this name; -1 if there is none (yet).
  virtual int joint_named(std::string_view name) const = 0;
  /// A view of joint `of_entity`, and its present stencil; null if it has no element. The view is valid as long as the model.
  virtual std::pair<std::shared_ptr<const JointView>, std::vector<BlockId>> joint(int of_entity) const = 0;
  /// The present sensor reports the outputs of another entity.
  virtual void report(SensorReference reference) = 0;

  /// Pose and twist of a marker at the start.
  virtual InitialMotion initial(const Marker& marker) const = 0;

  /// Offers to identify the position blocks of two markers, or their rotation blocks (up to their constant relative rotation at the
  /// start). If the layout accepts the offer, the rows of `multiplier`, a block of the present joint, are satisfied identically: the
  /// block has no unknowns and is zero, and the element is told (`identified` of RangeOf). The layout refuses an offer that would
  /// close a loop of identified blocks, and throws Error if the two frames start with different velocities. Nothing is offered if a
  /// marker is neither on the ground nor fixed to a frame, or (for positions) not at the frame's origin. `required`: the position
  /// of `share: yes` in the case, if given.
  virtual void offer_identity(const Marker& a, const Marker& b, FramePart part, BlockId multiplier,
                              const Location* required = nullptr) = 0;
  /// Withdraws the offers of joint `of_entity`, because the present entity reads its multipliers. Throws Error if the case
  /// has `share: yes` for the joint.
  virtual void keep_multipliers(int of_entity) = 0;

  /// Adds an element, to be evaluated through RangeOf<E>. `reach`: further blocks that later stencils of the element may contain
  /// (Review::move). The rank that evaluates the element then has their values from the start, as ghosts, so that a change of the
  /// stencil within the reach needs no new communication. All blocks of the reach are exchanged in each iteration.
  template <class E>
  void add(E element, std::vector<BlockId> stencil, std::vector<BlockId> reach = {}) {
    const int dofs = check_stencil(stencil);
    check_stencil(reach);
    ElementRange& all = range(typeid(E), &make_range<RangeOf<E>>);
    if (!reach.empty()) set_reach(all, all.size(), std::move(reach));
    static_cast<RangeOf<E>&>(all).add(std::move(element), std::move(stencil), dofs, entity_index());
  }
  /// The container of class R that this plugin has in the model: for types with their own ElementRange.
  template <class R>
  R& range_of() {
    return static_cast<R&>(range(typeid(R), &make_range<R>));
  }

 protected:
  /// "crank.start" for "start"; the name of the entity itself for "".
  std::string full_name(std::string_view name) const;

  Builder() = default;
  Builder(const Builder&) = default;
  Builder& operator=(const Builder&) = default;

 private:
  using MakeRange = std::unique_ptr<ElementRange> (*)();
  template <class R>
  static std::unique_ptr<ElementRange> make_range() {
    return std::make_unique<R>();
  }

  BlockId put(Block block, FrictionLaw* law = nullptr);

  virtual void offer_thing(std::string_view name, OfferedThing thing) = 0;
  virtual const OfferedThing* find_thing(std::string_view full_name) const = 0;
  static void require_type(std::string_view name, std::string_view found, std::string_view wanted);

  /// Adds a block, checked and with its full name; `law` where it is friction.
  virtual BlockId add_block(Block block, FrictionLaw* law) = 0;
  /// The present plugin's range for instances of a class, made where there is none. Classes are told apart by the address
  /// of their type_info: two sources of one plugin may each have a class of one name in an anonymous namespace.
  virtual ElementRange& range(const std::type_info& of, MakeRange make) = 0;
  /// The unknowns of a stencil. Throws Error where it names a block that does not exist.
  virtual int check_stencil(std::span<const BlockId> stencil) const = 0;
  /// Remembers the reach of an instance.
  virtual void set_reach(const ElementRange& range, int instance, std::vector<BlockId> blocks) = 0;
  /// A marker that was offered, or one of a family. Throws Error with the nearest name.
  virtual Marker named_marker(const Value& name) const = 0;
};

}  // namespace trammel
