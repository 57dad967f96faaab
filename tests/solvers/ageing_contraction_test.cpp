#include "solvers/newton/ageing_contraction.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

AgeingContraction of_age(int age) {
  AgeingContraction its;
  for (int k = 0; k < age; ++k) its.step();
  return its;
}

TEST(AgeingContraction, is_unknown_until_it_is_observed) {
  AgeingContraction its = of_age(3);
  EXPECT_FALSE(its.is_known());
  EXPECT_EQ(its.estimate(), 1);
  its.observe(0.03);
  EXPECT_TRUE(its.is_known());
  EXPECT_DOUBLE_EQ(its.estimate(), 2 * 0.03);
  its.forget();
  EXPECT_FALSE(its.is_known());
}

TEST(AgeingContraction, grows_with_the_age_of_the_matrix_and_of_the_next_one) {
  AgeingContraction its = of_age(2);
  its.observe(0.02);
  its.step();
  EXPECT_DOUBLE_EQ(its.estimate(), 2 * 0.03);
  its.renew();
  EXPECT_FALSE(its.is_known()) << "a new matrix is another";
  its.step();
  EXPECT_DOUBLE_EQ(its.estimate(), 2 * 0.01);
}

TEST(AgeingContraction, is_observed_again_after_eight_steps) {
  AgeingContraction its = of_age(1);
  its.observe(0.01);
  for (int k = 0; k < 7; ++k) its.step();
  EXPECT_TRUE(its.is_known());
  its.step();
  EXPECT_FALSE(its.is_known());
}

TEST(AgeingContraction, falls_by_half_at_most_from_one_observation_to_the_next) {
  AgeingContraction its = of_age(1);
  its.observe(0.04);
  its.observe(1e-9);
  EXPECT_DOUBLE_EQ(its.estimate(), 2 * 0.02);
}

TEST(AgeingContraction, is_no_larger_than_where_rounding_errors_are_left) {
  AgeingContraction its = of_age(1);
  its.observe(0.04);
  its.observe_at_most(0.3);
  EXPECT_DOUBLE_EQ(its.likely(), 0.04);
  its.observe_at_most(0.01);
  EXPECT_DOUBLE_EQ(its.likely(), 0.01);
}

TEST(AgeingContraction, is_confirmed_and_fades_where_all_is_rounding) {
  AgeingContraction its = of_age(1);
  its.observe(0.4);
  for (int k = 0; k < 10; ++k) {
    for (int j = 0; j < 7; ++j) its.step();
    its.confirm();
    EXPECT_TRUE(its.is_known());
  }
  EXPECT_DOUBLE_EQ(its.likely(), 0.4 * 71 / 1024);
}

TEST(AgeingContraction, has_the_margin_that_is_asked_for) {
  AgeingContraction its(3);
  its.step();
  its.observe(0.02);
  EXPECT_DOUBLE_EQ(its.estimate(), 0.06);
  its.observe(0.9);
  EXPECT_EQ(its.estimate(), 1);
  EXPECT_DOUBLE_EQ(its.most(), 2.7);
}

}  // namespace
}  // namespace trammel
