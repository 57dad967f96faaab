#include "kernel/reaction_sides.hpp"

#include <vector>

namespace trammel {

namespace {

using Neighbours = std::map<BlockId, std::vector<std::size_t>>;

/// Blocks reached from `start` over shared blocks without using record `without`; false where the ground is reached.
bool reach(const std::vector<IdentifiedBlocks>& records, const Neighbours& records_of, BlockId start,
           std::size_t without, std::vector<BlockId>& side) {
  side.assign(1, start);
  std::vector<std::size_t> came_by{without};
  for (std::size_t k = 0; k < side.size(); ++k) {
    for (const std::size_t r : records_of.at(side[k])) {
      if (r == came_by[k] || r == without) continue;
      const IdentifiedBlocks& s = records[r];
      const BlockId other = s.a == side[k] ? s.b : s.a;
      if (other == no_block) return false;
      side.push_back(other);
      came_by.push_back(r);
    }
  }
  return true;
}

}  // namespace

std::map<int, ReactionContributions> reaction_contributions(const Layout& layout, const State& state,
                                                            std::span<const double> r) {
  std::map<int, ReactionContributions> result;
  const int total = layout.identification().total();
  if (total == 0) return result;
  const std::vector<IdentifiedBlocks>& records = layout.identification().blocks();
  const std::size_t n = records.size();
  Neighbours records_of;
  for (std::size_t k = 0; k < n; ++k)
    for (const BlockId id : {records[k].a, records[k].b})
      if (id != no_block) records_of[id].push_back(k);

  // The joint acts on B's side with the sum of the contributions there, in world components; where the ground stands behind
  // B, A's side tells with the opposite sign.
  std::vector<double> on_A(3 * static_cast<std::size_t>(total), 0.0);
  std::vector<BlockId> side;
  for (std::size_t k = 0; k < n; ++k) {
    const IdentifiedBlocks& s = records[k];
    double sign = 1;
    if (s.a == no_block || !reach(records, records_of, s.a, k, side)) {
      sign = -1;
      reach(records, records_of, s.b, k, side);
    }
    Vec3 sum = Vec3::Zero();
    for (const BlockId id : side) {
      if (!layout.knows(id)) continue;
      const BlockOffset& offset = layout.offset(id);
      const Eigen::Map<const Vec3> share(r.data() + offset.dof);
      if (s.rotation)
        sum += Eigen::Map<const Mat3>(state.value.data() + offset.value) * share;
      else
        sum += share;
    }
    Eigen::Map<Vec3>(on_A.data() + 3 * s.number) = sign * sum;
  }
  if (layout.ranks() > 1)
    MPI_Allreduce(MPI_IN_PLACE, on_A.data(), static_cast<int>(on_A.size()), MPI_DOUBLE, MPI_SUM,
                  layout.comm());

  for (std::size_t k = 0; k < n; ++k) {
    const IdentifiedBlocks& s = records[k];
    ReactionContributions& out = result[s.entity];
    const Eigen::Map<const Vec3> sum(on_A.data() + 3 * s.number);
    if (s.rotation) {
      out.has_moment = true;
      out.moment_on_A = sum;
    } else {
      out.has_force = true;
      out.force_on_A = sum;
    }
  }
  return result;
}

}  // namespace trammel
