#include "solvers/linear/cut_joints.hpp"

#include <algorithm>
#include <tuple>

#include <boost/pending/disjoint_sets.hpp>

namespace trammel {

std::vector<PetscInt> rest_of_cut_joints(std::span<const CutRow> rows, std::span<const PetscInt> cover) {
  constexpr PetscInt none = -1;
  const auto covered = [cover](PetscInt unknown) { return std::ranges::binary_search(cover, unknown); };
  // Columns on both sides, and place of the row.
  std::vector<std::tuple<PetscInt, PetscInt, std::size_t>> held;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<PetscInt> own = rows[k].own;
    std::erase_if(own, covered);
    for (const PetscInt other : rows[k].other) {
      for (const PetscInt its : own) held.emplace_back(its, other, k);
      if (own.empty() && !covered(other)) held.emplace_back(none, other, k);
    }
  }
  std::ranges::sort(held);
  boost::disjoint_sets_with_storage<> joints(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) joints.make_set(k);
  for (std::size_t e = 1; e < held.size(); ++e) {
    const auto& [own, other, row] = held[e];
    const auto& [own_before, other_before, row_before] = held[e - 1];
    if (own == own_before && other == other_before) joints.union_set(row, row_before);
  }
  std::vector<char> cut(rows.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (covered(rows[k].row)) cut[joints.find_set(k)] = 1;
  std::vector<PetscInt> rest;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (cut[joints.find_set(k)] != 0 && !covered(rows[k].row)) rest.push_back(rows[k].row);
  return rest;
}

}  // namespace trammel
