#include "kernel/block_sets.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernel/block_table.hpp"

namespace trammel {
namespace {

TEST(BlockSets, join_until_a_loop_closes) {
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

TEST(BlockSets, contain_the_ground_only_once) {
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

TEST(BlockTable, stores_a_few_of_many_blocks) {
  BlockTable<Block> table;
  const BlockId a = block_id(3, 1), b = block_id(2'000'000'000, 7);
  table.put(a).name = "a";
  table.put(b).name = "b";
  const Block& stays = table[a];
  for (int i = 0; i < 1000; ++i) table.put(block_id(i, 2));
  EXPECT_EQ(&stays, &table[a]);
  EXPECT_EQ(table.size(), 1002U);
  EXPECT_EQ(table[b].name, "b");
  std::string names;
  for (const Block& block : table) names += block.name;
  EXPECT_EQ(names, "ab");
  EXPECT_EQ(table.ids()[0], a);
  EXPECT_EQ(table.ids()[1], b);
  EXPECT_EQ(entity_of(b), 2'000'000'000);
}

TEST(BlockMap, gives_the_absent_value_where_nothing_was_put) {
  BlockMap<int> map(-1);
  EXPECT_EQ(map[12345], -1);
  map.put(12345) = 6;
  EXPECT_EQ(map[12345], 6);
  EXPECT_EQ(map[12344], -1);
  EXPECT_EQ(map[no_block], -1);
}

TEST(BlockValues, are_absent_until_they_are_put) {
  BlockTable<Block> blocks;
  for (int i = 0; i < 3; ++i) blocks.put(block_id(i, 2));
  BlockValues<int> values(blocks, -1);
  EXPECT_EQ(values[block_id(1, 2)], -1);
  values.put(block_id(1, 2)) = 5;
  EXPECT_EQ(values[block_id(1, 2)], 5);
  EXPECT_EQ(values[block_id(0, 2)], -1);
  EXPECT_EQ(values[block_id(7, 2)], -1);
  EXPECT_EQ(values[no_block], -1);
  blocks.put(block_id(7, 2));  // after the values were made
  EXPECT_EQ(values[block_id(7, 2)], -1);
  values.put(block_id(7, 2)) = 8;
  EXPECT_EQ(values[block_id(7, 2)], 8);
  EXPECT_EQ(values[block_id(1, 2)], 5);
  EXPECT_THROW(values.put(block_id(9, 2)), std::out_of_range);
  values.clear();
  EXPECT_EQ(values[block_id(1, 2)], -1);
}

TEST(BlockMap, finds_every_one_of_many) {
  BlockMap<int> map(-1);
  for (int entity = 0; entity < 300; ++entity)
    for (int local = 0; local < 40; local += 1 + entity % 3)
      map.put(block_id(entity, local)) = entity + local;
  for (int entity = 0; entity < 300; ++entity)
    for (int local = 0; local < 40; ++local)
      EXPECT_EQ(map[block_id(entity, local)], local % (1 + entity % 3) == 0 ? entity + local : -1);
}

}  // namespace
}  // namespace trammel
