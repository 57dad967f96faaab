#include "kernel/rank_exchange.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace trammel {
namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Rank r brings r numbers, 10 r, 10 r + 1, ...: the first none.
std::vector<int> of(int rank) {
  std::vector<int> numbers(at(rank));
  std::iota(numbers.begin(), numbers.end(), 10 * rank);
  return numbers;
}

TEST(Gather, gives_every_rank_the_numbers_of_each) {
  const Gathered<int> gathered = gather(of(rank_of(MPI_COMM_WORLD)), MPI_COMM_WORLD);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ASSERT_EQ(gathered.begin.size(), at(ranks) + 1);
  for (std::size_t rank = 0; rank + 1 < gathered.begin.size(); ++rank) {
    const std::span<const int> part = gathered.of(rank);
    EXPECT_EQ(std::vector<int>(part.begin(), part.end()), of(static_cast<int>(rank))) << "of rank " << rank;
  }
}

TEST(Gather, gives_them_to_the_root_alone) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rank = rank_of(MPI_COMM_WORLD), root = ranks - 1;
  const std::string_view mine = rank == 0 ? "first," : "next,";
  const Gathered<char> gathered = gather(mine, MPI_COMM_WORLD, root);
  std::string expected;
  for (int r = 0; r < ranks && rank == root; ++r) expected += r == 0 ? "first," : "next,";
  EXPECT_EQ(std::string(gathered.all.begin(), gathered.all.end()), expected);
  EXPECT_EQ(gathered.begin.back(), 6 + 5 * (ranks - 1));
}

}  // namespace
}  // namespace trammel
