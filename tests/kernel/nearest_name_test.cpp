#include "trammel/nearest_name.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

TEST(NearestName, offers_the_name_that_was_meant) {
  const std::vector<std::string> known{"rail", "boom", "rate", "crank.start", "B.angle", "revolute", "x"};
  EXPECT_EQ(nearest_name("rial", known), "rail");
  EXPECT_EQ(nearest_name("ratte", known), "rate");
  EXPECT_EQ(nearest_name("BOOM", known), "boom");
  EXPECT_EQ(nearest_name("crank.strat", known), "crank.start");
  EXPECT_EQ(nearest_name("B.angel", known), "B.angle");
  EXPECT_EQ(nearest_name("revolut", known), "revolute");
}

TEST(NearestName, offers_nothing_where_none_is_near) {
  const std::vector<std::string> known{"rail", "boom", "x"};
  EXPECT_FALSE(nearest_name("spherical", known));
  EXPECT_FALSE(nearest_name("y", known));
  EXPECT_FALSE(nearest_name("", known));
  EXPECT_FALSE(nearest_name("rail", {}));
}

TEST(NearestName, counts_a_swap_as_one_edit_and_ignores_case) {
  EXPECT_EQ(edits_between("rial", "rail"), 1);
  EXPECT_EQ(edits_between("Rail", "rail"), 0);
  EXPECT_EQ(edits_between("", "rail"), 4);
}

TEST(NearestName, compares_nothing_with_a_long_name) {
  const std::string letters(10'000'000, 'x');
  EXPECT_FALSE(nearest_name(letters, {letters, std::string(9'000'000, 'x')}));  // else 9e13 comparisons
  EXPECT_EQ(nearest_name("rial", {letters, "rail"}), "rail");
}

TEST(NearestName, lists_the_nearest_of_many) {
  EXPECT_EQ(list_of_names({"rail", "boom"}), "rail, boom");
  EXPECT_EQ(list_of_names({}), "");
  std::vector<std::string> many;
  for (int i = 1; i <= 1000; ++i) many.push_back("rod." + std::to_string(i));
  const std::string list = list_of_names(many, "rod.1000x");
  EXPECT_EQ(list.find("rod.1000, "), 0U) << list;
  EXPECT_NE(list.find(", ... (1000 in all)"), std::string::npos) << list;
  EXPECT_LT(list.size(), 200U);
}

TEST(NearestName, ends_a_message) {
  EXPECT_EQ(did_you_mean("rial", {"rail"}), "; did you mean 'rail'?");
  EXPECT_EQ(did_you_mean("xyzzy", {"rail"}), "");
}

}  // namespace
}  // namespace trammel
