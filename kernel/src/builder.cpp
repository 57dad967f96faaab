#include "trammel/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "activity_review.hpp"
#include "trammel/moving_marker.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

/// Splits "crank.at(0.3)" into "crank.at" and 0.3.
std::optional<std::pair<std::string_view, double>> as_call(std::string_view text) {
  if (text.empty() || text.back() != ')') return std::nullopt;
  const auto open = text.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  double number = 0;
  const auto [end, fault] = std::from_chars(inner.data(), inner.data() + inner.size(), number);
  if (fault != std::errc() || end != inner.data() + inner.size()) return std::nullopt;
  return std::pair{text.substr(0, open), number};
}

template <class Names>
std::vector<std::string> keys(const Names& names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const auto& entry : names) out.push_back(entry.first);
  return out;
}

/// Throws the error that there is no such marker, with those of the same body or else of all.
[[noreturn]] void no_marker(const Value& value, std::vector<std::string> known,
                            const std::vector<std::string>& families) {
  const std::string near = did_you_mean(value.text, known);
  for (const std::string& family : families) known.push_back(family + "(s)");
  std::string title = "Markers here";
  // "rod.4.tip" is compared with those of "rod.4", and where there are none with those of "rod".
  for (auto dot = value.text.rfind('.'); dot != std::string::npos && dot > 0;
       dot = value.text.rfind('.', dot - 1)) {
    const std::string owner = value.text.substr(0, dot);
    std::vector<std::string> of_owner;
    std::ranges::copy_if(known, std::back_inserter(of_owner), [&](const std::string& name) {
      return name.starts_with(owner) && (name.size() == dot || name[dot] == '.');
    });
    if (of_owner.empty()) continue;
    title = "Markers of " + in_quotes(owner);
    known = std::move(of_owner);
    break;
  }
  throw Error(value.where, "marker " + in_quotes(value.text) + " not found" + (near.empty() ? "." : near) +
                               " " + title + ": " + list_of_names(known, value.text));
}

std::vector<Parameter> moving_parameters() {
  using Kind = Parameter::Kind;
  return {Parameter::make(Kind::functions, "translation", "m", "of the origin, in the marker's axes at rest"),
          Parameter::make(Kind::functions, "rotation_vector", "rad", "components of the rotation vector"),
          Parameter::make(Kind::vector3, "axis", "", "fixed axis, with `angle`"),
          Parameter::make(Kind::function, "angle", "rad", "about `axis`")};
}

/// A marker that moves as a map of `moving_parameters` says.
Marker moved(const Marker& base, const Parameters& in) {
  const auto three = [&in](std::string_view name) {
    std::array<FunctionPtr, 3> list;
    if (in.has(name)) std::ranges::copy(in.functions(name), list.begin());
    return list;
  };
  RotationLaw law;
  law.vector = three("rotation_vector");
  if (in.has("axis") != in.has("angle") || (in.has("angle") && in.has("rotation_vector")))
    throw Error(in.where(), "a rotation in time is either 'axis' and 'angle' or a 'rotation_vector'");
  if (in.has("angle")) {
    law.axis = in.vector3("axis");
    if (!(law.axis.norm() > 0)) throw Error(in.where("axis"), "the axis of a rotation has no direction");
    law.axis.normalize();
    law.angle = in.function("angle");
  }
  return moving_marker(base, three("translation"), law);
}

}  // namespace

Builder::Builder(Model& model, const SharePlan& plan) : model_(&model), plan_(&plan), box_(plan.box) {
  model.shares = plan.shares;
}

Builder::Builder(Model& model, const RefusedShares& refused) : model_(&model), refused_(&refused) {}

int Builder::begin(Entity entity, const Type& type) {
  entity.type = type.name;
  entity.plugin = type.plugin;
  entity.category = std::string(category_name(type.category));
  const int index = static_cast<int>(model_->entities.size());
  model_->entities.push_back(std::move(entity));
  begin_listed(index, type);
  return index;
}

void Builder::begin_listed(int index, const Type& type) {
  entity_ = index;
  offers_ = 0;
  if (type.category == Type::Category::joint) joints_[entity().name] = entity_;
  if (plan_ != nullptr) next_block_ = plan_->shares.first_block[static_cast<std::size_t>(entity_)];
  type_ = &type;
}

std::string Builder::full_name(std::string_view name) const {
  return name.empty() ? entity().name : entity().name + "." + std::string(name);
}

namespace {

Block new_block(BlockKind kind, std::string unit, std::vector<Row> rows = {}) {
  Block block;
  block.kind = kind;
  block.unit = std::move(unit);
  block.rows = std::move(rows);
  return block;
}

}  // namespace

BlockId Builder::add_block(Block block, std::string_view name, std::span<const double> initial,
                           std::span<const double> rate) {
  block.size = block.kind == BlockKind::rotation ? 3 : static_cast<int>(initial.size());
  if (block.size < 1 || block.size > max_block_size)
    throw Error(entity().where, "a block holds 1 to " + std::to_string(max_block_size) + " numbers, found " +
                                    std::to_string(block.size));
  block.name = full_name(name);
  block.entity = entity_;
  require_dimensions(block);
  std::ranges::copy(initial, block.initial.begin());
  std::ranges::copy(rate, block.initial_rate.begin());
  const BlockId id = next_block_++;
  model_->blocks.add(id) = std::move(block);
  model_->roots.add(id).root = id;
  return id;
}

void Builder::require_dimensions(const Block& block) const {
  const auto fail = [&](const std::string& what) {
    throw Error(entity().where, fmt::format("type '{}': {} of '{}'", entity().type, what, block.name));
  };
  if (block.kind == BlockKind::position || block.kind == BlockKind::rotation) return;
  if (block.rows.size() != static_cast<std::size_t>(block.size))
    fail(fmt::format("{} numbers have {} dimensions in the block", block.size, block.rows.size()));
  for (int i = 0; i < block.size; ++i) {
    const Row& row = block.rows[static_cast<std::size_t>(i)];
    const char* kind = is_multiplier(block.kind) ? "row" : "number";
    if (!row.measure.is_declared())
      fail(fmt::format(
          "no dimension is declared for {} {} (length, angle, velocity, spin, or the size that is "
          "typical of it)",
          kind, i + 1));
    if (row.law == RowLaw::friction && block.kind != BlockKind::velocity_multiplier)
      fail(
          fmt::format("friction is a law of velocities, but stands in {} {} at position level", kind, i + 1));
    if (row.law == RowLaw::unilateral && block.kind != BlockKind::multiplier)
      fail(fmt::format("a unilateral law needs a gap, but stands in {} {} at velocity level", kind, i + 1));
    if (row.restitution != 0)
      throw Error(entity().where, fmt::format("'{}': a restitution of {:g} is not available yet: impacts are "
                                              "plastic, and `restitution` is 0",
                                              entity().name, row.restitution));
  }
}

BlockId Builder::add_position(std::string_view name, const Vec3& p_WB, const Vec3& v_WB) {
  box_.enclose(p_WB);
  return add_block(new_block(BlockKind::position, "m"), name, {p_WB.data(), 3}, {v_WB.data(), 3});
}

BlockId Builder::add_rotation(std::string_view name, const Mat3& R_WB, const Vec3& w_WB_B) {
  const Quaternion q = Quaternion(R_WB).normalized();
  const std::array<double, 4> wxyz{q.w(), q.x(), q.y(), q.z()};
  return add_block(new_block(BlockKind::rotation, "rad"), name, wxyz, {w_WB_B.data(), 3});
}

Frame Builder::add_frame(std::string_view name, const Mat3& R_WB, const Vec3& p_WB, const Vec3& v_WB,
                         const Vec3& w_WB_B) {
  const std::string prefix = name.empty() ? std::string() : std::string(name) + " ";
  return {add_position(prefix + "position", p_WB, v_WB), add_rotation(prefix + "rotation", R_WB, w_WB_B)};
}

namespace {

std::vector<Row> rows_of(std::span<const Measure> measures) {
  std::vector<Row> rows;
  for (const Measure& measure : measures) rows.push_back({.measure = measure});
  return rows;
}

/// "m", or "m m rad" where they differ.
std::string units_of(const std::vector<Row>& rows) {
  std::string all;
  bool same = true;
  for (const Row& row : rows) {
    all.append(all.empty() ? "" : " ").append(row.measure.unit());
    same = same && row.measure.dimension == rows.front().measure.dimension;
  }
  return same && !rows.empty() ? rows.front().measure.unit() : all;
}

constexpr std::array<double, max_block_size> zeros{};

}  // namespace

BlockId Builder::add_coordinates(std::string_view name, std::span<const double> initial,
                                 std::span<const double> rate, std::span<const Measure> measures,
                                 std::string unit) {
  return add_block(new_block(BlockKind::coordinate, std::move(unit), rows_of(measures)), name, initial, rate);
}

BlockId Builder::add_states(std::string_view name, std::span<const double> initial,
                            std::span<const Measure> measures, std::string unit) {
  return add_block(new_block(BlockKind::state, std::move(unit), rows_of(measures)), name, initial, {});
}

BlockId Builder::add_multiplier(std::string_view name, std::vector<Row> rows) {
  const auto count = std::min(rows.size(), zeros.size());
  if (model_->activities.contains(entity_))
    for (Row& row : rows) row.switches = true;
  std::string unit = units_of(rows);
  Block block = new_block(BlockKind::multiplier, std::move(unit), std::move(rows));
  return add_block(std::move(block), name, std::span(zeros).first(count), {});
}

BlockId Builder::add_velocity_multiplier(std::string_view name, std::vector<Row> rows,
                                         const VelocityRows& together) {
  const auto count = std::min(rows.size(), zeros.size());
  if (model_->activities.contains(entity_) || together.in_statics == InStatics::absent)
    for (Row& row : rows) row.switches = true;
  std::string unit = units_of(rows);
  Block block = new_block(BlockKind::velocity_multiplier, std::move(unit), std::move(rows));
  block.velocity = together;
  return add_block(std::move(block), name, std::span(zeros).first(count), {});
}

BlockId Builder::add_friction(std::string_view name, std::span<const Dimension> axes, FrictionLaw law) {
  const auto fail = [&](const std::string& what) {
    throw Error(entity().where, "'" + full_name(name) + "': " + what);
  };
  if (axes.empty() || axes.size() > law.at_rest.size())
    fail(fmt::format("friction has one to three axes, found {}", axes.size()));
  if (law.normal == nullptr) fail("friction needs a normal force, and none is given");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!(law.sliding[i] >= 0))
      fail(fmt::format("the coefficient of friction is negative, {:g}", law.sliding[i]));
    if (!(law.at_rest[i] >= law.sliding[i]))
      fail(fmt::format("the coefficient of friction at rest, {:g}, is less than that of sliding, {:g}",
                       law.at_rest[i], law.sliding[i]));
  }
  std::vector<Row> rows = rows_of(axes);
  for (Row& row : rows) row.law = RowLaw::friction;
  const BlockId id = add_velocity_multiplier(name, std::move(rows), {.ideal = false});
  model_->frictions.emplace(id, std::move(law));
  return id;
}

void Builder::set_activity(Activity activity) {
  activity.length = length();
  const auto [other, fresh] = model_->activities.try_emplace(entity_, activity);
  if (!fresh)
    throw Error(activity.where,
                fmt::format("'{}' has two switches, `{}` and `{}`: one of them is to say when it is "
                            "active",
                            entity().name, other->second.parameter, activity.parameter));
}

void Builder::offer_marker(std::string_view name, Marker marker) {
  box_.enclose(initial(marker).p_WM);
  const std::string full = full_name(name);
  if (!model_->markers.emplace(full, marker.named(full)).second)
    throw Error(entity().where, "there are two markers named '" + full + "'");
}

void Builder::offer_marker_family(std::string_view name, std::function<Marker(double)> make) {
  families_[full_name(name)] = std::move(make);
}

void Builder::offer_signal(std::string_view name, std::shared_ptr<const Signal> signal) {
  const std::string full = full_name(name);
  if (!model_->signals.emplace(full, std::move(signal)).second)
    throw Error(entity().where, "there are two signals named '" + full + "'");
}

void Builder::offer_coordinate(std::string_view name, std::string unit, BlockId block, int component) {
  const Block& b = model_->block(block);
  offer_signal(name, component_signal(block, b.kind, b.size, component, unit));
  model_->coordinates[entity_].push_back({std::string(name), std::move(unit), block, component});
}

void Builder::offer_mass(Marker centre, double mass) {
  model_->masses.push_back({std::move(centre), mass, entity_});
}

void Builder::offer(std::string_view name, std::shared_ptr<const void> thing) {
  things_[full_name(name)] = std::move(thing);
}

std::shared_ptr<const void> Builder::find(std::string_view full) const {
  const auto at = things_.find(full);
  return at == things_.end() ? nullptr : at->second;
}

Marker Builder::marker(const Value& value, const ValueContext& context) const {
  if (value.is_map()) {
    static const std::vector<Parameter> known{
        Parameter::make(Parameter::Kind::marker, "on", "", "what the marker is fixed in").must(),
        Parameter::make(Parameter::Kind::vector3, "at", "m", "offset of the origin, in axes of `on`")
            .defaults("[0, 0, 0]"),
        Parameter::make(Parameter::Kind::rotation, "rotation", "", "rotation from the axes of `on`")
            .defaults("[1, 0, 0, 0]"),
        Parameter::make(Parameter::Kind::map, "moving", "",
                        "a motion of the marker in `on` by functions of time")
            .with(moving_parameters())};
    const Parameters in(value, known, context);
    const Marker base = marker(*in.value("on"), context);
    const Marker placed = base.offset(in.rotation("rotation"), in.vector3("at")).named(base.name());
    return in.has("moving") ? moved(placed, in.map("moving")) : placed;
  }
  if (!value.is_scalar())
    throw Error(value.where,
                "expected the name of a marker or {on, at, rotation}, found " + value.described());
  if (value.text == "ground") return Marker::ground();
  if (const auto at = model_->markers.find(value.text); at != model_->markers.end()) return at->second;
  if (const auto call = as_call(value.text))
    if (const auto family = families_.find(call->first); family != families_.end()) {
      try {
        return family->second(call->second).named(value.text);
      } catch (const Error& e) {
        throw Error(value.where, e.what());
      }
    }
  std::vector<std::string> known = keys(model_->markers);
  known.emplace_back("ground");
  no_marker(value, std::move(known), keys(families_));
}

Marker Builder::marker(const Parameters& in, std::string_view parameter) const {
  const Value* value = in.value(parameter);
  if (value == nullptr) throw Error(in.where(), "'" + std::string(parameter) + "' is missing: a marker");
  return marker(*value, in.context());
}

std::pair<Marker, Marker> Builder::marker_pair(const Parameters& in, std::string_view parameter) const {
  const Value* value = in.value(parameter);
  if (value == nullptr || !value->is_sequence() || value->items.size() != 2)
    throw Error(in.where(parameter),
                "'" + std::string(parameter) + "' must be a list of two markers" +
                    (value != nullptr ? ", found " + value->described() : std::string()));
  return {marker(value->items[0], in.context()), marker(value->items[1], in.context())};
}

std::shared_ptr<const Signal> Builder::signal(std::string_view name, const Location& where) const {
  if (name == "t") return time_signal();
  const auto at = model_->signals.find(name);
  if (at == model_->signals.end())
    throw Error(where,
                "signal " + in_quotes(name) + " not found" + did_you_mean(name, keys(model_->signals)));
  return at->second;
}

JointCoordinate Builder::coordinate(int of_entity, std::string_view name, const Location& where) const {
  const std::string& joint = model_->entities[static_cast<std::size_t>(of_entity)].name;
  if (const auto found = model_->activities.find(of_entity);
      found != model_->activities.end() && !found->second.by_instance)
    throw Error(
        where, "joint '" + joint + "' may become inactive, by `active`: nothing can hang on its coordinates");
  const auto at = model_->coordinates.find(of_entity);
  if (at == model_->coordinates.end()) throw Error(where, "joint '" + joint + "' has no coordinate");
  std::string there;
  for (const JointCoordinate& c : at->second) {
    if (c.name == name) return c;
    there += (there.empty() ? "" : ", ") + c.name;
  }
  throw Error(where, "joint '" + joint + "' has no coordinate " + in_quotes(name) + "; it has: " + there);
}

int Builder::joint_named(std::string_view name) const {
  const auto at = joints_.find(name);
  return at == joints_.end() ? -1 : at->second;
}

JointCoordinate Builder::coordinate(std::string_view full, const Location& where) const {
  if (const auto dot = full.rfind('.'); dot != std::string_view::npos)
    if (const int joint = joint_named(full.substr(0, dot)); joint >= 0)
      return coordinate(joint, full.substr(dot + 1), where);
  std::vector<std::string> known;
  for (const auto& [entity, list] : model_->coordinates)
    for (const JointCoordinate& c : list)
      known.push_back(model_->entities[static_cast<std::size_t>(entity)].name + "." + c.name);
  std::string text = "coordinate " + in_quotes(full) + " not found" + did_you_mean(full, known);
  constexpr std::size_t most = 12;
  if (known.empty()) text += "; no joint of the case has one";
  for (std::size_t i = 0; i < std::min(known.size(), most); ++i)
    text += (i == 0 ? ". Coordinates: " : ", ") + known[i];
  if (known.size() > most) text += ", ...";
  throw Error(where, text);
}

std::vector<int> Builder::add_relation(const std::vector<CoordinateRelation::Term>& terms) {
  ReducedRelation row{{}, {entity_}};
  double largest = 0;
  for (const CoordinateRelation::Term& t : terms) {
    row.terms[{t.block, t.component}] += t.factor;
    largest = std::max(largest, std::abs(t.factor));
  }
  const auto clean = [&] {
    std::erase_if(row.terms, [&](const auto& t) { return std::abs(t.second) <= 1e-12 * largest; });
  };
  clean();
  // A row holds no pivot of the rows before it, so that each substitution leads on to later ones.
  for (auto t = row.terms.begin(); t != row.terms.end();) {
    const auto known = relations_.find(t->first);
    if (known == relations_.end()) {
      ++t;
      continue;
    }
    const double factor = t->second;
    for (const auto& [coordinate, part] : known->second.terms) row.terms[coordinate] -= factor * part;
    row.terms.erase(known->first);
    row.entities.insert(row.entities.end(), known->second.entities.begin(), known->second.entities.end());
    clean();
    t = row.terms.begin();
  }
  if (row.terms.empty()) {
    std::vector<int> others(row.entities.begin() + 1, row.entities.end());
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    return others;
  }
  const auto pivot =
      std::ranges::max_element(row.terms, {}, [](const auto& t) { return std::abs(t.second); });
  const auto key = pivot->first;
  const double scale = pivot->second;
  for (auto& t : row.terms) t.second /= scale;
  relations_[key] = std::move(row);
  model_->relations.push_back({entity_, terms});
  return {};
}

std::pair<std::shared_ptr<const JointView>, std::vector<BlockId>> Builder::joint(int of_entity) const {
  for (const Model::Range& range : model_->ranges) {
    // Instances stand in the order of their entities until the model is partitioned.
    int first = 0, last = range.instances->size();
    while (first < last) {
      const int middle = (first + last) / 2;
      if (range.instances->entity(middle) < of_entity)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == range.instances->size() || range.instances->entity(first) != of_entity) continue;
    const auto stencil = range.instances->stencil(first);
    if (auto view = range.instances->joint(first)) return {view, {stencil.begin(), stencil.end()}};
  }
  return {};
}

InitialMotion Builder::initial(const Marker& marker) const {
  State state;
  std::vector<BlockPlace> places;
  for (const BlockId id : marker.blocks()) {
    const Block& b = model_->block(id);
    places.push_back(
        {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
    append_initial(b, state);
  }
  MarkerMotion motion;
  marker.evaluate(LocalState(state, places.data()), 0, MotionLevel::velocity, motion);
  return {motion.R_WM, motion.p_WM, motion.twist};
}

bool Builder::may_share() const { return model_->share_blocks; }

bool Builder::share(BlockId a, BlockId b, bool rotation) {
  if (plan_ != nullptr) {
    const auto first = std::ranges::lower_bound(plan_->shared, entity_, {}, &SharedBlocks::entity);
    const auto last = std::ranges::upper_bound(plan_->shared, entity_, {}, &SharedBlocks::entity);
    return std::any_of(first, last,
                       [&](const SharedBlocks& s) { return s.a == a && s.b == b && s.rotation == rotation; });
  }
  if (refused_ != nullptr) {
    model_->shared.push_back({entity_, a, b, rotation, offers_});
    return !refused_->contains({entity_, offers_++});
  }
  if (!sets_.join(a, b)) return false;
  set_roots(sets_, sets_.members(sets_.root(a == no_block ? b : a)), rotation);
  model_->shared.push_back({entity_, a, b, rotation, static_cast<int>(model_->shared.size())});
  return true;
}

void Builder::set_roots(const BlockSets& sets, const std::vector<BlockId>& members, bool rotation) {
  Model& m = *model_;
  const auto initial_rotation = [&m](BlockId id) {
    const auto& q = m.block(id).initial;
    return Quaternion(q[0], q[1], q[2], q[3]).toRotationMatrix();
  };
  const auto knows = [&m](BlockId id) { return m.root(id).root != no_block; };
  for (const BlockId id : members) {
    if (!knows(id)) continue;
    BlockRoot& r = m.roots[id];
    r.root = sets.root(id);
    r.fixed = sets.fixed(id);
    if (!rotation || id == r.root || !knows(r.root)) continue;
    r.Q = initial_rotation(r.root).transpose() * initial_rotation(id);
    r.rotated = !r.Q.isIdentity(1e-15);
  }
}

bool Builder::share_position(const Marker& a, const Marker& b) {
  const auto block = [](const Marker& marker) {
    return marker.is_ground() ? no_block : marker.frame().position;
  };
  if (a.is_ground() && b.is_ground()) return false;
  for (const Marker* marker : {&a, &b})
    if (!marker->is_ground() && !marker->at_frame_origin()) return false;
  return share(block(a), block(b), false);
}

bool Builder::share_rotation(const Marker& a, const Marker& b) {
  const auto block = [](const Marker& marker) {
    return marker.is_ground() ? no_block : marker.frame().rotation;
  };
  if (a.is_ground() && b.is_ground()) return false;
  for (const Marker* marker : {&a, &b})
    if (!marker->is_ground() && !marker->is_rigid_frame()) return false;
  return share(block(a), block(b), true);
}

/// Takes over from the plan what was identified with blocks known here, by whatever joints.
void Builder::take_shared() {
  const auto knows = [this](BlockId id) { return id != no_block && model_->root(id).root != no_block; };
  std::set<BlockId> roots;
  for (const BlockId id : model_->blocks.ids())
    if (!plan_->sets.members(plan_->sets.root(id)).empty()) roots.insert(plan_->sets.root(id));
  for (const SharedBlocks& s : plan_->shared) {
    const BlockId root = plan_->sets.root(s.a == no_block ? s.b : s.a);
    if (!roots.contains(root)) continue;
    model_->shared.push_back(s);
    if (knows(s.a) || knows(s.b)) set_roots(plan_->sets, plan_->sets.members(root), s.rotation);
  }
}

void Builder::finish() {
  if (plan_ != nullptr) take_shared();
  const Model& m = *model_;
  require_reactions(m);
  const auto is_elsewhere = [&m](BlockId id) { return id != no_block && m.root(id).root == no_block; };
  for (const SharedBlocks& s : m.shared) {
    if (is_elsewhere(s.a) || is_elsewhere(s.b)) continue;
    const auto velocity = [&](BlockId id) -> Vec3 {
      if (id == no_block) return Vec3::Zero();
      const Block& b = m.block(id);
      Vec3 rate(b.initial_rate[0], b.initial_rate[1], b.initial_rate[2]);
      if (!s.rotation) return rate;
      return Quaternion(b.initial[0], b.initial[1], b.initial[2], b.initial[3]) * rate;
    };
    const Vec3 a = velocity(s.a), b = velocity(s.b);
    if ((a - b).norm() <= 1e-9 * (1 + a.norm() + b.norm())) continue;
    const Entity& joint = m.entities[static_cast<std::size_t>(s.entity)];
    const auto name = [&m](BlockId id) {
      return id == no_block ? std::string("the ground") : "'" + m.block(id).name + "'";
    };
    throw Error(
        joint.where,
        fmt::format("joint '{}': {} and {} share their {}, but start with {} of [{:g}, {:g}, {:g}] and "
                    "[{:g}, {:g}, {:g}]; give both the same, or `share: no` and `start: consistent`",
                    joint.name, name(s.a), name(s.b), s.rotation ? "rotation" : "position",
                    s.rotation ? "angular velocities" : "velocities", a.x(), a.y(), a.z(), b.x(), b.y(),
                    b.z()));
  }
}

int Builder::check_stencil(const std::vector<BlockId>& stencil) const {
  for (const BlockId id : stencil)
    if (id < 0 || model_->root(id).root == no_block)
      throw Error(entity().where,
                  "a stencil of type '" + entity().type + "' names a block that does not exist");
  return model_->dofs(stencil);
}

ElementRange* Builder::find_range(const std::type_info& type) const {
  const auto at = ranges_.find({entity().plugin, &type});
  return at == ranges_.end() ? nullptr : at->second;
}

ElementRange* Builder::adopt(const std::type_info& type, std::unique_ptr<ElementRange> range) {
  ElementRange* raw = range.get();
  model_->ranges.push_back({entity().plugin + ":" + type.name(), entity().type, std::move(range)});
  ranges_[{entity().plugin, &type}] = raw;
  return raw;
}

}  // namespace trammel
