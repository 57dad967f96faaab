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

/// What of two frames a joint may identify.
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

/// A type of things that an entity offers to others by name. `offered_as` names the type, the same in every shared library that
/// knows it; it is another one where the type's layout is: "elastic line 1".
template <class T>
concept Offered = requires {
  { T::offered_as } -> std::convertible_to<std::string_view>;
};

/// What an entity offers, and its type's name.
struct OfferedThing {
  std::string type;
  std::shared_ptr<const void> thing;
};

/// What a type's `build` uses to add one entity to a model: its blocks, its instances, and the names that others may use. Names
/// that it is given are relative to the entity: "start" of body "crank" becomes "crank.start". The host implements it; the
/// model behind it is not seen.
class TRAMMEL_API Builder {
 public:
  virtual ~Builder();

  /// The entity that is being built.
  virtual int entity_index() const = 0;
  const Entity& entity() const { return entities()[static_cast<std::size_t>(entity_index())]; }
  /// All entities of the case so far, in its order.
  virtual std::span<const Entity> entities() const = 0;
  /// The box around all positions and markers at the start so far.
  virtual const Box& box() const = 0;
  /// Its diagonal [m]: what a gap is small against.
  double length() const { return box().diagonal(); }

  // Blocks. Each throws Error where the block has no number, or a number without a dimension.
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
  /// Algebraic unknowns, each with the size that is typical of it. An element that has the block in its stencil writes their
  /// equations g(q, v, x, t) = 0, in any unit, into their rows, one for each; dg/dx is regular where the positions, the
  /// velocities and the first-order states are given. `initial` is where the search for the start values begins.
  BlockId add_algebraic(std::string_view name, std::span<const double> initial,
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
  /// A block of the model, by whichever entity.
  virtual const Block& block(BlockId id) const = 0;
  /// The sizes of blocks, in their order.
  std::vector<int> sizes_of(std::span<const BlockId> blocks) const;

  /// Lets the present joint become inactive and active in the run. Call it before its multipliers are added.
  virtual void set_activity(Activity activity) = 0;
  /// True where the present joint may become inactive.
  virtual bool has_activity() const = 0;

  // Names that others may use.
  virtual void offer_marker(std::string_view name, Marker marker) = 0;
  /// Markers that are made on demand: "crank.at(0.3)" calls the family "at" of "crank" with "0.3".
  virtual void offer_marker_family(std::string_view name, std::function<Marker(double)> make) = 0;
  virtual void offer_signal(std::string_view name, std::shared_ptr<const Signal> signal) = 0;
  virtual void offer_coordinate(std::string_view name, std::string unit, BlockId block,
                                int component = 0) = 0;
  virtual void offer_mass(Marker centre, double mass) = 0;
  /// The masses offered so far.
  virtual std::span<const MassPoint> masses() const = 0;
  /// What a user may want to see of the entity before a run (the 6 x 6 that a section came to). `trammel check` prints it;
  /// `text` is called where it is wanted.
  virtual void note(std::string title, const std::function<std::string()>& text) = 0;
  /// Anything else that others find by name (a beam's line, for loads and joints on it). It lives as long as the model, and
  /// whoever finds it sees the same one.
  template <Offered T>
  void offer(std::string_view name, std::shared_ptr<const T> thing) {
    offer_thing(name, {std::string(T::offered_as), std::move(thing)});
  }
  /// Null where nothing has that name. Throws Error that names both types where it is a thing of another one.
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
  /// The coordinate `name` of the entity that an attachment hangs on.
  virtual JointCoordinate coordinate(int of_entity, std::string_view name, const Location& where) const = 0;
  /// The coordinate of a joint by its full name, "hinge.angle". Throws Error that offers those that exist.
  virtual JointCoordinate coordinate(std::string_view full_name, const Location& where) const = 0;
  /// All coordinates that an entity offers.
  virtual std::span<const JointCoordinate> coordinates_of(int entity) const = 0;
  /// Remembers that this entity imposes a linear relation between coordinates. Gives the entities that impose the same
  /// already, together or alone (nothing is remembered then); none where the relation is new.
  [[nodiscard]] virtual std::vector<int> add_relation(const std::vector<CoordinateTerm>& terms) = 0;
  /// The entity that is the joint of that name; -1 where there is none (yet).
  virtual int joint_named(std::string_view name) const = 0;
  /// The joint that entity `of_entity` is, with the present stencil of its instance; null where it has none. The view is of the
  /// living instance, as long as the model lives.
  virtual std::pair<std::shared_ptr<const JointView>, std::vector<BlockId>> joint(int of_entity) const = 0;
  /// Makes the present sensor report something else.
  virtual void report(SensorReference reference) = 0;

  virtual InitialMotion initial(const Marker& marker) const = 0;

  /// Offers to identify the position blocks of two markers, or their rotation blocks, which then differ by the constant
  /// rotation that they have at the start. Where the layout takes the offer, the rows of `multiplier`, a block of the present
  /// joint, hold by themselves: it carries no unknowns, is zero, and the instance is told (RangeOf, `identified`). The layout
  /// refuses an offer that closes a loop among the frames that share a block, and ends with an Error where the two start with
  /// different velocities. Nothing is offered where a marker is no origin of a frame (for positions), or not fixed in one.
  /// `demanded`: the place in the case that asks for it by `share: yes`.
  virtual void offer_identity(const Marker& a, const Marker& b, FramePart part, BlockId multiplier,
                              const Location* demanded = nullptr) = 0;
  /// Withdraws the offers of joint `of_entity`, whose multipliers the present entity reads. Throws Error where the case
  /// demands that the joint share.
  virtual void keep_multipliers(int of_entity) = 0;

  /// Adds an instance. E is evaluated by RangeOf<E>. `reach`: blocks that later stencils of the instance may name besides the
  /// present ones (Review::move): the rank that evaluates it then knows their values from the start, as ghosts, so that a
  /// change of the stencil inside the reach fetches nothing. It costs that rank the exchange of all of them in each iteration.
  template <class E>
  void add(E element, std::vector<BlockId> stencil, std::vector<BlockId> reach = {}) {
    const int dofs = check_stencil(stencil);
    check_stencil(reach);
    ElementRange& all = range(typeid(E), &make_range<RangeOf<E>>);
    if (!reach.empty()) set_reach(all, all.size(), std::move(reach));
    static_cast<RangeOf<E>&>(all).add(std::move(element), std::move(stencil), dofs, entity_index());
  }
  /// The one range of the class R that this plugin has in the model: for types that keep their instances themselves.
  template <class R>
  R& range_of() {
    return static_cast<R&>(range(typeid(R), &make_range<R>));
  }

 protected:
  /// "crank.start" of "start"; the name of the entity itself of "".
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
