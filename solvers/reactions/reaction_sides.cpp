#include "solvers/reactions/reaction_sides.hpp"

#include "trammel/index.hpp"

namespace trammel {

ReactionSides::ReactionSides(const Layout& layout) : layout_(layout) {
  const std::vector<IdentifiedBlocks>& records = layout.identification().blocks();
  std::unordered_map<BlockId, std::vector<int>> records_of;
  for (std::size_t k = 0; k < records.size(); ++k) {
    for (const BlockId id : {records[k].a, records[k].b})
      if (id != no_block) records_of[id].push_back(static_cast<int>(k));
    if (number_of_.try_emplace(records[k].entity, reactions_.size()).second) reactions_.emplace_back();
  }
  for (std::size_t k = 0; k < records.size(); ++k) {
    const IdentifiedBlocks& s = records[k];
    if (s.a != no_block && s.b != no_block) continue;
    add_tree({.block = s.a == no_block ? s.b : s.a,
              .record = static_cast<int>(k),
              .is_side_A = s.b == no_block,
              .at_ground = true},
             records_of);
  }
  std::unordered_map<BlockId, bool> placed;
  for (const Node& node : nodes_) placed[node.block] = true;
  for (const IdentifiedBlocks& s : records) {
    if (placed[s.a] || s.a == no_block) continue;
    const std::size_t first = nodes_.size();
    add_tree({.block = s.a}, records_of);
    for (std::size_t i = first; i < nodes_.size(); ++i) placed[nodes_[i].block] = true;
  }
  for (const Node& node : nodes_) blocks_.insert(node.block);
  sums_.resize(nodes_.size());
}

void ReactionSides::add_tree(const Node& root,
                             const std::unordered_map<BlockId, std::vector<int>>& records_of) {
  const std::vector<IdentifiedBlocks>& records = layout_.identification().blocks();
  const auto first = static_cast<int>(nodes_.size());
  nodes_.push_back(root);
  nodes_.back().root = first;
  for (int i = first; i < static_cast<int>(nodes_.size()); ++i) {
    const Node from = nodes_[at(i)];
    for (const int r : records_of.at(from.block)) {
      const IdentifiedBlocks& s = records[at(r)];
      if (i == first) nodes_[at(i)].is_in_rotation = s.rotation;
      if (r == from.record) continue;
      const bool is_side_A = s.b == from.block;
      nodes_.push_back({.block = is_side_A ? s.a : s.b,
                        .parent = i,
                        .root = first,
                        .record = r,
                        .is_side_A = is_side_A,
                        .at_ground = root.at_ground,
                        .is_in_rotation = s.rotation});
    }
  }
}

void ReactionSides::update(const State& state, std::span<const double> r) {
  const int total = layout_.identification().total();
  if (total == 0) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    sums_[i].setZero();
    if (!layout_.knows(node.block)) continue;
    const BlockOffset& offset = layout_.offset(node.block);
    const Eigen::Map<const Vec3> contribution(r.data() + offset.dof);
    if (node.is_in_rotation)
      sums_[i] = Eigen::Map<const Mat3>(state.value.data() + offset.value) * contribution;
    else
      sums_[i] = contribution;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (nodes_[i].parent >= 0) sums_[at(nodes_[i].parent)] += sums_[i];

  // The force of the joint on B's side is the sum of the contributions there, in world components. If one side is the ground, the
  // force follows from the other side.
  const std::vector<IdentifiedBlocks>& records = layout_.identification().blocks();
  std::vector<double> on_A(3 * at(total), 0.0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.record < 0) continue;
    Vec3 sum = sums_[i];
    if (!node.is_side_A) sum = node.at_ground ? Vec3(-sum) : Vec3(sums_[at(node.root)] - sum);
    Eigen::Map<Vec3>(on_A.data() + 3 * records[at(node.record)].number) = sum;
  }
  if (layout_.ranks() > 1)
    MPI_Allreduce(MPI_IN_PLACE, on_A.data(), static_cast<int>(on_A.size()), MPI_DOUBLE, MPI_SUM,
                  layout_.comm());

  for (const IdentifiedBlocks& s : records) {
    ReactionContributions& out = reactions_[number_of_.at(s.entity)];
    const Eigen::Map<const Vec3> sum(on_A.data() + 3 * s.number);
    (s.rotation ? out.has_moment : out.has_force) = true;
    (s.rotation ? out.moment_on_A : out.force_on_A) = sum;
  }
}

}  // namespace trammel
