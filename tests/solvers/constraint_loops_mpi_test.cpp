#include "solvers/constraints/constraint_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace trammel {
namespace {

struct World {
  int rank = 0, ranks = 1;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
};

/// Three rows that tie a body to the one before, as a spherical joint does: joint k stands between bodies k and k + 1, of six unknowns
/// each; a body below 0 is the ground.
std::vector<GradientRow> joint(int entity, int before, int after) {
  std::vector<GradientRow> rows;
  for (int i = 0; i < 3; ++i) {
    GradientRow row;
    row.at = {entity, i};
    row.entity = entity;
    for (const auto& [body, sign] : {std::pair(before, 1.0), std::pair(after, -1.0)}) {
      if (body < 0) continue;
      row.entries.emplace_back(6 * body + i, sign);
      row.entries.emplace_back(6 * body + 3 + (i + 1) % 3, 0.5);
      row.entries.emplace_back(6 * body + 3 + (i + 2) % 3, -0.25);
    }
    rows.push_back(row);
  }
  return rows;
}

/// Entities whose rows are left on any rank, where this rank brings those rows of `all` that `owner` gives it.
std::set<int> left_of(const std::vector<GradientRow>& all,
                      const std::function<int(const GradientRow&, int)>& owner, std::size_t* rows = nullptr) {
  const World world;
  std::vector<GradientRow> mine;
  for (const GradientRow& row : all)
    if (owner(row, world.ranks) % world.ranks == world.rank) mine.push_back(row);
  const std::vector<GradientRow> left = rows_in_loops(mine, MPI_COMM_WORLD);
  int counts[64] = {};
  for (const GradientRow& row : left) ++counts[row.entity];
  MPI_Allreduce(MPI_IN_PLACE, counts, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::set<int> entities;
  std::size_t n = 0;
  for (int e = 0; e < 64; ++e) {
    if (counts[e] > 0) entities.insert(e);
    n += static_cast<std::size_t>(counts[e]);
  }
  if (rows != nullptr) *rows = n;
  return entities;
}

std::vector<GradientRow> chain(int joints) {
  std::vector<GradientRow> rows;
  for (int k = 0; k < joints; ++k)
    for (const GradientRow& row : joint(k, k - 1, k)) rows.push_back(row);
  return rows;
}

// In the order of the chain, against it, dealt like cards, and each joint's rows over several ranks.
const std::vector<std::function<int(const GradientRow&, int)>> partitions = {
    [](const GradientRow& row, int ranks) { return row.entity * ranks / 64; },
    [](const GradientRow& row, int ranks) { return (63 - row.entity) * ranks / 64; },
    [](const GradientRow& row, int) { return row.entity; },
    [](const GradientRow& row, int) { return row.entity + row.at.component; },
};

TEST(ConstraintLoops, leave_nothing_of_an_open_chain) {
  for (const auto& owner : partitions) EXPECT_EQ(left_of(chain(60), owner), std::set<int>());
}

TEST(ConstraintLoops, keep_a_ring_and_drop_the_chain_that_hangs_on_it) {
  // Joints 0 to 19 lead from the ground to body 19, joint 20 from there to the ground; joints 21 to 40 hang on body 10.
  std::vector<GradientRow> rows = chain(20);
  for (const GradientRow& row : joint(20, 19, -1)) rows.push_back(row);
  for (int k = 21; k <= 40; ++k)
    for (const GradientRow& row : joint(k, k == 21 ? 10 : k - 2, k - 1)) rows.push_back(row);
  std::set<int> ring;
  for (int k = 0; k <= 20; ++k) ring.insert(k);
  for (const auto& owner : partitions) {
    std::size_t count = 0;
    EXPECT_EQ(left_of(rows, owner, &count), ring);
    EXPECT_EQ(count, 63u);
  }
}

TEST(ConstraintLoops, keep_rows_that_repeat_others_of_their_entity) {
  // The only joint of its body, but its third row is the sum of the others.
  std::vector<GradientRow> rows = joint(5, -1, 0);
  rows[2].entries = rows[0].entries;
  rows[2].entries.insert(rows[2].entries.end(), rows[1].entries.begin(), rows[1].entries.end());
  std::ranges::sort(rows[2].entries);
  std::vector<std::pair<int, double>> merged;
  for (const auto& [column, value] : rows[2].entries)
    if (!merged.empty() && merged.back().first == column)
      merged.back().second += value;
    else
      merged.emplace_back(column, value);
  rows[2].entries = merged;
  for (const auto& owner : partitions) EXPECT_EQ(left_of(rows, owner), std::set<int>{5});
}

TEST(ConstraintLoops, return_each_row_whole) {
  std::vector<GradientRow> rows = joint(3, -1, 0);
  for (const GradientRow& row : joint(4, 0, -1)) rows.push_back(row);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].scale = 1.0 / static_cast<double>(i + 3);
  const World world;
  std::vector<GradientRow> mine;
  for (const GradientRow& row : rows)
    if ((row.entity + row.at.component) % world.ranks == world.rank) mine.push_back(row);
  for (const GradientRow& found : rows_in_loops(mine, MPI_COMM_WORLD)) {
    const auto same = std::ranges::find_if(rows, [&](const GradientRow& row) { return row.at == found.at; });
    ASSERT_NE(same, rows.end());
    EXPECT_EQ(same->entity, found.entity);
    EXPECT_EQ(same->scale, found.scale);
    EXPECT_EQ(same->entries, found.entries);
  }
}

// A ring of joints over all ranks goes to the first of them, and rings of one rank stay there.
TEST(ConstraintLoops, go_to_one_rank_by_groups) {
  const World world;
  std::vector<GradientRow> mine;
  const auto add = [&mine](int entity, int before, int after) {
    for (const GradientRow& row : joint(entity, before, after)) mine.push_back(row);
  };
  const int n = world.ranks,
            own = 2 * n + 3 * world.rank;  // bodies of the ring, and first one of this rank's own
  add(2 * world.rank, 2 * world.rank, 2 * world.rank + 1);
  add(2 * world.rank + 1, 2 * world.rank + 1, (2 * world.rank + 2) % (2 * n));
  for (int k = 0; k < 3; ++k) add(own + k, own + k, own + (k + 1) % 3);
  const std::vector<int> ranks = ranks_of_groups(mine, MPI_COMM_WORLD);
  ASSERT_EQ(ranks.size(), 15U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(ranks[i], 0) << "of the ring";
  for (std::size_t i = 6; i < 15; ++i) EXPECT_EQ(ranks[i], world.rank) << "of a ring of this rank";
  EXPECT_EQ(connected(mine).size(), 2U);
}

}  // namespace
}  // namespace trammel
