#include "io/drawing/motion_measure.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/drawing/recorder_visit.hpp"
#include "io/process/recorder_ranks.hpp"

namespace trammel {

void MotionMeasure::add(const State& state) {
  if (weight_.isZero()) weight_ = weight_at(state);
  Mat3 sum = Mat3::Zero();
  std::size_t number = 0;
  for (const UnknownBlock& u : assembler_->layout().unknowns()) {
    if (!u.owned || u.kind != BlockKind::position) continue;
    const Eigen::Map<const Vec3> p(state.value.data() + u.offset.value);
    const Vec3 d = p - start_of(u.block, number++, p);
    sum += d * d.transpose();
  }
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), 9, MPI_DOUBLE, MPI_SUM, assembler_->layout().comm());
  displacements_ += sum;
}

/// Blocks come in the same order from state to state: a search in a table for each would take most of the time.
const Vec3& MotionMeasure::start_of(BlockId block, std::size_t number, const Vec3& now) {
  if (number >= in_order_.size() || in_order_[number].first != block) {
    in_order_.resize(number);
    in_order_.emplace_back(block, start_.try_emplace(block, now).first->second);
  }
  return in_order_[number].second;
}

void MotionMeasure::write(Archive& archive) const {
  std::vector<std::pair<BlockId, Vec3>> mine(start_.begin(), start_.end());
  Archive here;
  here(mine);
  const auto* bytes = reinterpret_cast<const char*>(here.bytes().data());
  std::vector<std::string> all =
      gather_texts(assembler_->layout().comm(), std::string_view(bytes, here.bytes().size()));
  Vec3 weight = weight_;
  Mat3 displacements = displacements_;
  archive(weight, displacements, all);
}

void MotionMeasure::read(Archive& archive) {
  std::vector<std::string> all;
  archive(weight_, displacements_, all);
  for (const std::string& text : all) {
    Archive of_rank(std::as_bytes(std::span(text)));
    std::vector<std::pair<BlockId, Vec3>> blocks;
    of_rank(blocks);
    start_.insert(blocks.begin(), blocks.end());
  }
}

Vec3 MotionMeasure::weight_at(const State& state) {
  const auto is_gravity = [](const Entity& e) { return e.category == "load" && e.type == "gravity"; };
  const std::vector<Entity>& entities = assembler_->model().entities;
  if (std::ranges::none_of(entities, is_gravity)) return Vec3::Zero();

  // A translation of everything changes the potential by minus the force times its length. Gravity that varies in time has no
  // potential: its power changes so with a velocity that is added to all.
  std::array<State, 3> moved{state, state, state};
  const Layout& layout = assembler_->layout();
  for (const BlockId id : layout.known_blocks()) {
    if (assembler_->model().block(id).kind != BlockKind::position) continue;
    const BlockOffset& offset = layout.offset(id);
    for (std::size_t k = 0; k < 3; ++k) {
      moved[k].value[static_cast<std::size_t>(offset.value) + k] += 1;
      moved[k].rate[static_cast<std::size_t>(offset.dof) + k] += 1;
    }
  }
  Vec3 force = Vec3::Zero();
  visit_together(*assembler_, state,
                 [&](const ElementRange& range, int i, const LocalState& x, const ReactionContributions&) {
                   if (!is_gravity(entities[static_cast<std::size_t>(range.entity(i))])) return;
                   const auto sum = [&](const Energy& e) { return e.potential + e.dissipated_power; };
                   const double here = sum(range.energy(i, x));
                   for (std::size_t k = 0; k < 3; ++k)
                     force[static_cast<int>(k)] -=
                         sum(range.energy(i, LocalState(moved[k], &x.offset(0)))) - here;
                 });
  MPI_Allreduce(MPI_IN_PLACE, force.data(), 3, MPI_DOUBLE, MPI_SUM, layout.comm());
  return force;
}

}  // namespace trammel
