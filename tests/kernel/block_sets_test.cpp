#include "kernel/block_sets.hpp"

#include <gtest/gtest.h>

#include "kernel/block_table.hpp"

namespace trammel {
namespace {

TEST(BlockSets, JoinsUntilALoopCloses) {
  BlockSets sets;
  EXPECT_TRUE(sets.join(1, 2));
  EXPECT_TRUE(sets.join(4, 3));
  EXPECT_TRUE(sets.join(2, 3));
  EXPECT_FALSE(sets.join(4, 1));
  for (const BlockId id : {2, 3, 4}) EXPECT_EQ(sets.root(id), sets.root(1));
  EXPECT_EQ(sets.root(7), 7);
  EXPECT_EQ(sets.members(sets.root(1)).size(), 4U);
  EXPECT_TRUE(sets.members(7).empty());
}

TEST(BlockSets, TheGroundHoldsAWholeSetOnce) {
  BlockSets sets;
  EXPECT_TRUE(sets.join(1, 2));
  EXPECT_TRUE(sets.join(no_block, 2));
  EXPECT_TRUE(sets.fixed(1));
  EXPECT_FALSE(sets.join(1, no_block));
  EXPECT_TRUE(sets.join(no_block, 5));
  EXPECT_FALSE(sets.join(5, 1));  // both are held already
  EXPECT_TRUE(sets.join(1, 6));
  EXPECT_TRUE(sets.fixed(6));
  EXPECT_FALSE(sets.fixed(8));
}

TEST(BlockTable, HoldsAFewOfManyBlocks) {
  BlockTable<Block> table;
  table.add(70).name = "a";
  table.add(1'000'000).name = "b";
  table[70].size = 2;
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.back().name, "b");
  EXPECT_EQ(table[70].size, 2);
  std::string names;
  for (const Block& block : table) names += block.name;
  EXPECT_EQ(names, "ab");
  EXPECT_EQ(table.ids(), (std::vector<BlockId>{70, 1'000'000}));
}

TEST(BlockMap, GivesTheAbsentValueWhereNothingWasPut) {
  BlockMap<int> map(-1);
  EXPECT_EQ(map[12345], -1);
  map.put(12345) = 6;
  EXPECT_EQ(map[12345], 6);
  EXPECT_EQ(map[12344], -1);
  map.clear();
  EXPECT_EQ(map[12345], -1);
}

}  // namespace
}  // namespace trammel
