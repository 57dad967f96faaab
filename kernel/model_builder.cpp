#include "kernel/model_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/activity_reaction.hpp"
#include "kernel/reported_signal.hpp"

namespace trammel {

int ModelBuilder::begin(Entity entity, const Type& type) {
  entity.type = type.name;
  entity.plugin = type.plugin;
  entity.category = std::string(category_name(type.category));
  entity.evaluation_cost = type.evaluation_cost;
  model_->entities.push_back(std::move(entity));
  begin_listed(static_cast<int>(model_->entities.size()) - 1, type);
  return entity_;
}

void ModelBuilder::begin_listed(int index, const Type& type) {
  entity_ = index;
  if (type.category == Type::Category::joint) joints_[entity().name] = entity_;
  if (type.category == Type::Category::sensor) sensors_[entity().name] = entity_;
  next_block_ = 0;
}

void ModelBuilder::fix_box(MPI_Comm comm) {
  box_is_fixed_ = true;
  std::array<double, 6> bound{};
  Eigen::Map<Vec3> below(bound.data()), above(bound.data() + 3);
  below = -box_.lowest;
  above = box_.highest;
  MPI_Allreduce(MPI_IN_PLACE, bound.data(), 6, MPI_DOUBLE, MPI_MAX, comm);
  box_ = {-below, above};
}

BlockId ModelBuilder::add_block(Block block, FrictionLaw* law) {
  if (block.kind == BlockKind::position && !box_is_fixed_)
    box_.enclose(Vec3(block.initial[0], block.initial[1], block.initial[2]));
  const BlockId id = block_id(entity_, next_block_++);
  model_->blocks.put(id) = std::move(block);
  if (law != nullptr) model_->frictions.emplace(id, std::move(*law));
  return id;
}

void ModelBuilder::set_activity(Activity activity) {
  activity.length = length();
  const auto [other, fresh] = model_->activities.try_emplace(entity_, activity);
  if (!fresh)
    throw Error(activity.where,
                fmt::format("'{}' has two switches, `{}` and `{}`: one of them is to say when it is "
                            "active",
                            entity().name, other->second.parameter, activity.parameter));
}

InitialMotion ModelBuilder::initial(const Marker& marker) const {
  thread_local State state;  // keeps its memory from marker to marker
  thread_local std::vector<BlockOffset> offsets;
  state.value.clear();
  for (const auto field : State::fields_by_dof()) (state.*field).clear();
  offsets.clear();
  const std::vector<BlockId> blocks = marker.blocks();
  for (const BlockId id : blocks) {
    const Block& b = model_->block(id);
    offsets.push_back(
        {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
    append_initial(b, state);
  }
  MarkerMotion motion;
  marker.evaluate(LocalState(state, offsets.data()), 0, MotionLevel::velocity, motion);
  return {motion.R_WM, motion.p_WM, motion.twist};
}

/// Describes the difference of the initial velocities of two markers; empty if they agree.
std::string ModelBuilder::conflict(const Marker& a, const Marker& b, FramePart part) const {
  const InitialMotion at_a = initial(a), at_b = initial(b);
  const bool rotation = part == FramePart::rotation;
  const Vec3 of_a =
      rotation ? Vec3(at_b.R_WM.transpose() * at_a.R_WM * at_a.twist.tail<3>()) : Vec3(at_a.twist.head<3>());
  const Vec3 of_b = rotation ? at_b.twist.tail<3>() : at_b.twist.head<3>();
  const double gap = (of_b - of_a).norm();
  if (gap <= 1e-9 * (1 + of_a.norm())) return {};
  return fmt::format(
      "the initial {} of '{}' and '{}' differ by {:.6g} {}, but the joint makes them "
      "equal; give equal ones, or `share: no` and a consistent start",
      rotation ? "angular velocities" : "velocities", a.name(), b.name(), gap, rotation ? "rad/s" : "m/s");
}

void ModelBuilder::offer_identity(const Marker& a, const Marker& b, FramePart part, BlockId multiplier,
                                  const Location* required) {
  if (required != nullptr) required_[entity_] = *required;
  const bool rotation = part == FramePart::rotation;
  if (a.is_ground() && b.is_ground()) return;
  for (const Marker* marker : {&a, &b})
    if (!marker->is_ground() && !(rotation ? marker->is_rigid_frame() : marker->at_frame_origin())) return;
  const auto block_of = [rotation](const Marker& marker) {
    if (marker.is_ground()) return no_block;
    return rotation ? marker.frame().rotation : marker.frame().position;
  };
  model_->offers[entity_].push_back({block_of(a), block_of(b), rotation, multiplier, conflict(a, b, part)});
}

void ModelBuilder::keep_multipliers(int of_entity) {
  if (const auto found = required_.find(of_entity); found != required_.end())
    throw Error(found->second, "'share' must be 'no' here: '" + entity().type +
                                   "' reads the reaction of the joint, which has none of its own where it "
                                   "shares unknowns");
  model_->offers.erase(of_entity);
  model_->withdrawn.insert(of_entity);
}

void ModelBuilder::finish() {
  require_reactions(*model_);
  require_whole_energies(*model_);
  for (const Model::Range& range : model_->ranges) range.instances->shrink();
}

int ModelBuilder::check_stencil(std::span<const BlockId> stencil) const {
  for (const BlockId id : stencil)
    if (!model_->knows(id))
      throw Error(entity().where,
                  "a stencil of type '" + entity().type + "' names a block that does not exist");
  return model_->dofs(stencil);
}

void ModelBuilder::set_reach(const ElementRange& range, int instance, std::vector<BlockId> blocks) {
  model_->reaches[&range].emplace(instance, std::move(blocks));
}

ElementRange& ModelBuilder::range(const std::type_info& of, std::unique_ptr<ElementRange> (*make)()) {
  ElementRange*& at = ranges_[{entity().plugin, &of}];
  if (at == nullptr) {
    model_->ranges.push_back({entity().plugin + ":" + of.name(), entity().type, make()});
    at = model_->ranges.back().instances.get();
  }
  return *at;
}

}  // namespace trammel
