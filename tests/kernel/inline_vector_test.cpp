#include "trammel/inline_vector.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace trammel {
namespace {

using Three = InlineVector<double, 3>;

std::vector<double> numbers(const Three& v) { return {v.begin(), v.end()}; }

Three counted(int n) {
  Three v;
  for (int i = 0; i < n; ++i) v.push_back(i);
  return v;
}

TEST(InlineVector, holds_as_many_values_as_are_put_in) {
  for (int n = 0; n < 20; ++n) {
    std::vector<double> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0.0);
    EXPECT_EQ(numbers(counted(n)), expected);
  }
}

TEST(InlineVector, has_zeros_where_it_grows_again) {
  for (const int n : {2, 3, 4, 9}) {
    Three v = counted(n);
    v.resize(1);
    v.resize(static_cast<std::size_t>(n) + 2);
    std::vector<double> expected(static_cast<std::size_t>(n) + 2, 0.0);
    EXPECT_EQ(numbers(v), expected) << n;
  }
}

TEST(InlineVector, copies_have_values_of_their_own) {
  for (const int n : {2, 3, 4, 9})
    for (const int before : {0, 3, 7}) {
      const Three v = counted(n);
      Three copy = counted(before);
      copy = v;
      copy.push_back(7);
      copy[0] = -1;
      EXPECT_EQ(numbers(v), numbers(counted(n)));
      EXPECT_EQ(copy.size(), v.size() + 1);
      EXPECT_EQ(copy[1], v[1]);
      EXPECT_EQ(copy.back(), 7);
    }
}

TEST(InlineVector, a_moved_one_is_empty_and_serves_again) {
  for (const int n : {2, 3, 4, 9}) {
    Three from = counted(n);
    Three to = std::move(from);
    EXPECT_EQ(numbers(to), numbers(counted(n)));
    from = counted(5);
    EXPECT_EQ(numbers(from), numbers(counted(5)));
    to = std::move(from);
    EXPECT_EQ(numbers(to), numbers(counted(5)));
  }
}

}  // namespace
}  // namespace trammel
