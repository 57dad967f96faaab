#include "trammel/nearest_name.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

TEST(NearestName, OffersTheNameThatWasMeant) {
  const std::vector<std::string> known{"rail", "boom", "rate", "crank.start", "B.angle", "revolute", "x"};
  EXPECT_EQ(nearest_name("rial", known), "rail");
  EXPECT_EQ(nearest_name("ratte", known), "rate");
  EXPECT_EQ(nearest_name("BOOM", known), "boom");
  EXPECT_EQ(nearest_name("crank.strat", known), "crank.start");
  EXPECT_EQ(nearest_name("B.angel", known), "B.angle");
  EXPECT_EQ(nearest_name("revolut", known), "revolute");
}

TEST(NearestName, OffersNothingWhereNoneIsNear) {
  const std::vector<std::string> known{"rail", "boom", "x"};
  EXPECT_FALSE(nearest_name("spherical", known));
  EXPECT_FALSE(nearest_name("y", known));
  EXPECT_FALSE(nearest_name("", known));
  EXPECT_FALSE(nearest_name("rail", {}));
}

TEST(NearestName, CountsASwapAsOneEditAndIgnoresCase) {
  EXPECT_EQ(edits_between("rial", "rail"), 1);
  EXPECT_EQ(edits_between("Rail", "rail"), 0);
  EXPECT_EQ(edits_between("", "rail"), 4);
}

TEST(NearestName, EndsAMessage) {
  EXPECT_EQ(did_you_mean("rial", {"rail"}), "; did you mean 'rail'?");
  EXPECT_EQ(did_you_mean("xyzzy", {"rail"}), "");
}

}  // namespace
}  // namespace trammel
