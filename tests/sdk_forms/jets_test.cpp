#include <gtest/gtest.h>

#include "trammel/first_jet.hpp"
#include "trammel/second_jet.hpp"

namespace trammel {
namespace {

template <class J>
J variable(double value, int index) {
  J x(value);
  x.gradient[index] = 1;
  return x;
}

template <class J>
void expect_same(const J& a, const J& b) {
  EXPECT_NEAR(a.value, b.value, 1e-14);
  EXPECT_LT((a.gradient - b.gradient).norm(), 1e-13);
  if constexpr (requires { a.hessian; }) {
    EXPECT_LT((a.hessian - b.hessian).norm(), 1e-12);
  }
}

template <class J>
class Jets : public ::testing::Test {};
using Kinds = ::testing::Types<FirstJet<2>, SecondJet<2>>;
TYPED_TEST_SUITE(Jets, Kinds);

TYPED_TEST(Jets, have_the_derivatives_of_the_branch_that_is_taken) {
  using J = TypeParam;
  const J x = variable<J>(0.7, 0), y = variable<J>(1.3, 1);
  expect_same(max(x * x, y), y);
  expect_same(min(x * x, y), x * x);
  expect_same(max(x - 1.0, 0.0), J(0.0));
  expect_same(min(x, 2), x);
  expect_same(abs(x - y), y - x);
  expect_same(select(x < y, x * y, y), x * y);
  expect_same(select(x > y, x * y, 0.0), J(0.0));
  expect_same(select(x < y, 2.0, y), J(2.0));
}

/// Where both are equal, the first counts.
TYPED_TEST(Jets, have_one_derivative_at_a_kink) {
  using J = TypeParam;
  const J x = variable<J>(0.7, 0), y = variable<J>(0.7, 1);
  expect_same(max(x, y), x);
  expect_same(min(y, x), y);
}

TYPED_TEST(Jets, take_powers_of_each_other) {
  using J = TypeParam;
  const J x = variable<J>(0.7, 0), y = variable<J>(1.3, 1);
  expect_same(pow(x, y), exp(y * log(x)));
  expect_same(pow(x, 3), x * x * x);
}

}  // namespace
}  // namespace trammel
