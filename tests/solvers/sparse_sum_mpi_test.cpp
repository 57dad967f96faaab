#include "solvers/ranks/sparse_sum.hpp"

#include <gtest/gtest.h>

#include <petscsys.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "trammel/index.hpp"

namespace trammel {
namespace {

/// The first so many ranks; the others have no part.
class FirstRanks {
 public:
  explicit FirstRanks(int ranks) {
    int rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_split(PETSC_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm_);
    if (taken()) MPI_Comm_rank(comm_, &rank_);
  }
  ~FirstRanks() {
    if (taken()) MPI_Comm_free(&comm_);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;
  bool taken() const { return comm_ != MPI_COMM_NULL; }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
};

int all_ranks() {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return ranks;
}

/// Of a chain of ranks each sees two groups of three numbers, and the last number is seen by all.
std::vector<std::vector<int>> chain(int ranks) {
  std::vector<std::vector<int>> seen(at(ranks));
  for (int r = 0; r < ranks; ++r) {
    for (int k = std::max(0, 3 * r - 3); k < std::min(3 * (ranks - 1), 3 * r + 3); ++k)
      seen[at(r)].push_back(k);
    seen[at(r)].push_back(3 * (ranks - 1));
  }
  return seen;
}

double part_of(int rank, int number) { return std::sin(1.0 + 7 * rank + number) / 3; }

TEST(SparseSum, is_the_sum_and_has_the_same_bits_on_all_ranks) {
  for (int ranks = 1; ranks <= all_ranks(); ++ranks) {
    const FirstRanks its(ranks);
    if (!its.taken()) continue;
    const auto seen = chain(ranks);
    const std::size_t count = at(3 * (ranks - 1) + 1);
    SparseSum sum;
    sum.set_structure(its.comm(), static_cast<int>(count), seen);
    std::vector<double> numbers(2 * count, 0.0), exact(2 * count, 0.0);
    for (int r = 0; r < ranks; ++r)
      for (const int k : seen[at(r)])
        for (const std::size_t set : {std::size_t{0}, count}) {
          const double part = part_of(r, k + static_cast<int>(set));
          exact[set + at(k)] += part;
          if (r == its.rank()) numbers[set + at(k)] = part;
        }
    std::array dense{1.0, static_cast<double>(its.rank())};
    sum.sum(its.comm(), numbers, {dense});
    for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(numbers[k], exact[k], 1e-15) << k;
    EXPECT_EQ(dense[0], ranks);
    EXPECT_EQ(dense[1], ranks * (ranks - 1) / 2);
    std::vector<double> of_first = numbers;
    MPI_Bcast(of_first.data(), static_cast<int>(of_first.size()), MPI_DOUBLE, 0, its.comm());
    EXPECT_EQ(std::memcmp(of_first.data(), numbers.data(), numbers.size() * sizeof(double)), 0);
  }
}

TEST(SparseSum, makes_a_negative_zero_positive_on_all_ranks) {
  const int ranks = all_ranks();
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const auto seen = chain(ranks);
  const int count = 3 * (ranks - 1) + 1;
  SparseSum sum;
  sum.set_structure(PETSC_COMM_WORLD, count, seen);
  std::vector<double> numbers(at(count), 0.0);
  for (const int k : seen[at(rank)]) numbers[at(k)] = k % 3 == 1 ? -0.0 : part_of(rank, k);
  sum.sum(PETSC_COMM_WORLD, numbers);
  for (int k = 1; k < count; k += 3) {
    EXPECT_EQ(numbers[at(k)], 0) << k;
    EXPECT_FALSE(std::signbit(numbers[at(k)])) << k;
  }
}

TEST(SparseSum, merges_what_travels_along) {
  for (int ranks = 1; ranks <= all_ranks(); ++ranks) {
    const FirstRanks its(ranks);
    if (!its.taken()) continue;
    SparseSum sum;
    sum.set_structure(its.comm(), 0, std::vector<std::vector<int>>(at(ranks)));
    EXPECT_FALSE(sum.pays());
    std::array largest{static_cast<double>(its.rank()), -1.0 - its.rank()};
    const auto merge = [](const double* from, double* to, std::size_t size) {
      for (std::size_t k = 0; k < size; ++k) to[k] = std::max(to[k], from[k]);
    };
    sum.sum(its.comm(), {}, {largest, merge});
    EXPECT_EQ(largest[0], ranks - 1);
    EXPECT_EQ(largest[1], -1);
  }
}

TEST(SparseSum, pays_where_ranks_contribute_to_few_numbers) {
  const int ranks = all_ranks();
  std::vector<int> every(100);
  std::iota(every.begin(), every.end(), 0);
  std::vector<std::vector<int>> seen(at(ranks), every);
  SparseSum sum;
  sum.set_structure(PETSC_COMM_WORLD, 100, seen);
  EXPECT_FALSE(sum.pays());
  for (int r = 0; r < ranks; ++r) seen[at(r)] = {r, 50 + r};
  sum.set_structure(PETSC_COMM_WORLD, 100, seen);
  EXPECT_EQ(sum.pays(), ranks > 1);
}

}  // namespace
}  // namespace trammel
