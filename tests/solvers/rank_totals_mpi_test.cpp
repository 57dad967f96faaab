#include "solvers/ranks/rank_totals.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "solvers/ranks/sparse_sum.hpp"
#include "test_models.hpp"
#include "trammel/error.hpp"

namespace trammel::testing {
namespace {

TEST(RankTotals, are_the_maxima_and_the_sums_of_all_ranks) {
  Chain chain(4);
  const int rank = chain.layout->rank(), ranks = chain.layout->ranks();
  RankTotals totals;
  std::array largest{rank + 0.5, -1.0 - rank};
  std::array next{-HUGE_VAL};
  std::array sums{1.0, rank + 1.0, 0.25};
  totals.add_maxima(largest);
  totals.add_sums(sums);
  totals.add_maxima(next);
  EXPECT_TRUE(totals.agree(*chain.assembler));
  EXPECT_EQ(largest[0], ranks - 0.5);
  EXPECT_EQ(largest[1], -1);
  EXPECT_EQ(next[0], -HUGE_VAL);
  EXPECT_EQ(sums[0], ranks);
  EXPECT_EQ(sums[1], ranks * (ranks + 1) / 2);
  EXPECT_EQ(sums[2], 0.25 * ranks);
}

TEST(RankTotals, are_sums_of_what_few_ranks_contribute_to) {
  Chain chain(4);
  const int rank = chain.layout->rank(), ranks = chain.layout->ranks();
  std::vector<std::vector<int>> seen;
  for (int r = 0; r < ranks; ++r) seen.push_back({r, ranks});
  SparseSum sparse;
  sparse.set_structure(chain.layout->comm(), ranks + 1, seen);
  for (int repeat = 0; repeat < 2; ++repeat) {
    RankTotals totals;
    std::array largest{rank + 0.5};
    std::array sums{2.0};
    std::vector<double> numbers(static_cast<std::size_t>(ranks) + 1, 0.0);
    numbers[static_cast<std::size_t>(rank)] = rank + 1.0;
    numbers.back() = 1;
    totals.add_sums(sums);
    totals.travel_with(
        [&](const CarriedTotals& carried) { sparse.sum(chain.layout->comm(), numbers, carried); });
    totals.add_maxima(largest);
    if (repeat > 0 && rank == ranks - 1) totals.fault.refuse("it lies flat");
    EXPECT_EQ(totals.agree(*chain.assembler), repeat == 0);
    EXPECT_EQ(largest[0], ranks - 0.5);
    EXPECT_EQ(sums[0], 2 * ranks);
    for (int r = 0; r < ranks; ++r) EXPECT_EQ(numbers[static_cast<std::size_t>(r)], r + 1);
    EXPECT_EQ(numbers.back(), ranks);
  }
}

TEST(RankTotals, are_no_number_on_every_rank_where_one_has_none) {
  Chain chain(4);
  for (int without = 0; without < chain.layout->ranks(); ++without) {
    const bool here = chain.layout->rank() == without;
    std::array largest{here ? std::nan("") : 1.0 + chain.layout->rank(), 2.0};
    RankTotals totals;
    totals.add_maxima(largest);
    EXPECT_TRUE(totals.agree(*chain.assembler));
    EXPECT_TRUE(std::isnan(largest[0]));
    EXPECT_EQ(largest[1], 2);
  }
}

TEST(RankTotals, carry_the_rejection_and_the_error_of_one_rank) {
  Chain chain(4);
  const bool here = chain.layout->rank() == chain.layout->ranks() - 1;
  std::array largest{here ? 2.0 : 1.0};
  RankTotals rejected;
  if (here) rejected.fault.refuse("it lies flat");
  rejected.add_maxima(largest);
  EXPECT_FALSE(rejected.agree(*chain.assembler));
  EXPECT_EQ(chain.assembler->rejection(), "it lies flat");
  EXPECT_EQ(largest[0], 2);

  RankTotals failed;
  try {
    if (here) throw std::runtime_error("no such number");
  } catch (...) {
    failed.fault.capture(nullptr, chain.layout->rank(), 0.5);
  }
  std::string text;
  try {
    failed.agree(*chain.assembler);
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("no such number"), std::string::npos) << text;
}

}  // namespace
}  // namespace trammel::testing
