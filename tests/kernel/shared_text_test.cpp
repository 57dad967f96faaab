#include "trammel/shared_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "trammel/archive.hpp"
#include "trammel/row.hpp"

namespace trammel {
namespace {

TEST(SharedText, is_one_text_for_all_that_are_equal) {
  const std::string here = "rigid_body";
  const SharedText a(here), b("rigid_body"), c(std::string_view("rigid_body of a case").substr(0, 10));
  EXPECT_EQ(&a.text(), &b.text());
  EXPECT_EQ(&a.text(), &c.text());
  EXPECT_EQ(a, b);
  EXPECT_NE(a, SharedText("beam"));
  const std::string* from_elsewhere = nullptr;
  std::thread([&] { from_elsewhere = &SharedText("rigid_body").text(); }).join();
  EXPECT_EQ(from_elsewhere, &a.text());
}

TEST(SharedText, serves_where_a_text_does) {
  const SharedText text("beam");
  std::map<std::string, int> counts;
  ++counts[text];
  EXPECT_EQ(counts.at("beam"), 1);
  EXPECT_EQ("a " + text + ".", "a beam.");
  EXPECT_EQ(fmt::format("{:>6}", text), "  beam");
  EXPECT_TRUE(text == "beam" && text == std::string("beam") && text != "beams");
  EXPECT_TRUE(SharedText().empty() && SharedText("").empty() && !text.empty());
  EXPECT_EQ(SharedText(), "");
}

TEST(SharedText, travels_in_an_archive) {
  Archive written;
  SharedText text("lower_pairs"), nothing;
  written(text, nothing);
  Archive read(written.bytes());
  SharedText first, second("before");
  read(first, second);
  EXPECT_EQ(first, "lower_pairs");
  EXPECT_TRUE(second.empty());
}

TEST(RowList, shares_the_rows_of_lists_made_one_after_the_other) {
  Row stiff, compliant;
  compliant.compliant = true;
  const RowList a(std::vector<Row>{stiff, compliant}), b(std::vector<Row>{stiff, compliant});
  const RowList other(std::vector<Row>{stiff, stiff}), none;
  EXPECT_EQ(a.data(), b.data());
  EXPECT_NE(a.data(), other.data());
  ASSERT_EQ(a.size(), 2U);
  EXPECT_TRUE(a[1].compliant);
  EXPECT_FALSE(other[1].compliant);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
  const std::vector<Row>& as_vector = none;
  EXPECT_TRUE(as_vector.empty());
}

}  // namespace
}  // namespace trammel
