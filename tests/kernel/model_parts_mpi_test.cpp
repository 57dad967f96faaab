// A model of which each rank holds a part: two bodies on the first and the last rank, and a joint between them on the last.

#include "kernel/identification.hpp"
#include "kernel/model_builder.hpp"

#include <gtest/gtest.h>

#include "trammel/lie.hpp"

namespace trammel {
namespace {

struct Parts : ::testing::Test {
  void SetUp() override {
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    if (ranks == 1) GTEST_SKIP() << "one rank holds all";
    last = ranks - 1;
    model.partition.owner = {0, last, last};
    for (const char* name : {"a", "b", "joint"}) model.entities.push_back({name, "body", "test", "", {}});
    if (rank == 0 || rank == last) {
      builder.begin_listed(0, type);
      a = builder.add_frame("", Mat3::Identity(), Vec3(1, 0, 0));
    }
    builder.fix_box(PETSC_COMM_WORLD);
    if (rank == last) {
      builder.begin_listed(1, type);
      b = builder.add_frame("", so3::exp(Vec3(0.1, 0.2, 0.3)), Vec3(1, 0, 0), Vec3(0, 2, 0), Vec3(3, 4, 5));
      builder.begin_listed(2, type);
      held = builder.add_multiplier("held", rows_of(Dimension::angle, 3));
      // The second follows the first, which rank 0 has not built.
      builder.offer_identity(Marker::on_frame(b), Marker::on_frame(a), FramePart::rotation, held);
      model.offers.at(2).front().conflict.clear();
    }
  }

  int rank = 0, ranks = 1, last = 0;
  Type type;
  Model model;
  ModelBuilder builder{model};
  Frame a, b;
  BlockId held = no_block;
};

TEST_F(Parts, number_blocks_independently_of_what_else_is_built) {
  EXPECT_EQ(a.rotation, rank == 0 || rank == last ? block_id(0, 1) : no_block);
  EXPECT_EQ(b.rotation, rank == last ? block_id(1, 1) : no_block);
  EXPECT_EQ(held, rank == last ? block_id(2, 0) : no_block);
}

TEST_F(Parts, fetch_the_block_that_carries_the_unknowns) {
  const BlockId root = block_id(1, 1);
  EXPECT_EQ(model.knows(root), rank == last);
  fetch_roots(model, PETSC_COMM_WORLD);
  EXPECT_EQ(model.knows(root), rank == 0 || rank == last);
  EXPECT_FALSE(rank == 0 && model.knows(block_id(1, 0)));
  const Identification found(model, true, PETSC_COMM_WORLD);
  EXPECT_EQ(found.total(), 1);
  if (rank != 0 && rank != last) return;
  const Block& block = model.block(root);
  EXPECT_EQ(block.kind, BlockKind::rotation);
  EXPECT_EQ(block.size, 3);
  EXPECT_EQ(block.name, "rotation");
  EXPECT_EQ(block.entity, 1);
  EXPECT_EQ(Vec3(block.initial_rate[0], block.initial_rate[1], block.initial_rate[2]), Vec3(3, 4, 5));
  const BlockRoot& of_a = found.root(block_id(0, 1));
  EXPECT_EQ(of_a.root, root);
  ASSERT_NE(of_a.Q, nullptr);
  EXPECT_TRUE(of_a.Q->isApprox(so3::exp(Vec3(0.1, 0.2, 0.3)).transpose(), 1e-14));
}

TEST_F(Parts, let_another_rank_withdraw_an_offer) {
  EXPECT_EQ(take_offers(model, PETSC_COMM_WORLD).taken.size(), 1U);
  if (rank == 0) {
    builder.begin_listed(0, type);
    builder.keep_multipliers(2);
  }
  EXPECT_TRUE(take_offers(model, PETSC_COMM_WORLD).taken.empty());
}

}  // namespace
}  // namespace trammel
