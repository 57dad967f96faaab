#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/graph_partition.hpp"
#include "kernel/layout.hpp"
#include "small_systems.hpp"

namespace trammel {
namespace {

/// A weight on a body, dear to evaluate.
struct Contact {
  void evaluate(const LocalState& x, LocalSystem& out) const { out.residual() = x.position(0); }
};

TEST(Partition, weighs_nothing_more_for_a_cost_that_is_not_declared) {
  EXPECT_EQ(evaluation_weight(0), 0);
  EXPECT_EQ(evaluation_weight(1), 0);
  EXPECT_EQ(evaluation_weight(15), 42);
}

/// Largest number of contacts that a rank evaluates, of 16 on the last bodies of a chain of 64; `cost` is declared for each.
int most_contacts(double cost) {
  Model model;
  const std::vector<Frame> frames = testing::chain(model, 64, false);
  ModelBuilder builder(model);
  Type type = testing::plain_type();
  type.evaluation_cost = cost;
  for (int i = 48; i < 64; ++i) {
    Entity entity;
    entity.name = "contact" + std::to_string(i);
    builder.begin(entity, type);
    builder.add(Contact{}, {frames[static_cast<std::size_t>(i)].position});
  }
  const Layout layout(PETSC_COMM_WORLD, model, {});
  const auto contacts = std::ranges::find_if(
      model.ranges, [](const Model::Range& range) { return range.instances->size() == 16; });
  EXPECT_NE(contacts, model.ranges.end());
  auto mine =
      static_cast<int>(layout.instances(static_cast<std::size_t>(contacts - model.ranges.begin())).size());
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return mine;
}

TEST(Partition, divides_dear_evaluations_among_the_ranks) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks == 1) GTEST_SKIP() << "for several ranks";
  // By unknowns alone a quarter of the chain, with all contacts, goes to one rank of up to four.
  const int by_unknowns = most_contacts(0), by_cost = most_contacts(100);
  EXPECT_LE(by_cost, 16 / ranks + 2);
  EXPECT_GT(by_unknowns, by_cost);
}

}  // namespace
}  // namespace trammel
