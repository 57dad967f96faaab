#include "io/case/case_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trammel {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string message(const std::string& text) {
  try {
    read_yaml_text(text, "case.yaml");
  } catch (const Error& error) {
    return error.where().text() + ": " + error.what();
  }
  return "no error";
}

TEST(CaseYaml, keeps_order_and_positions) {
  const Value root = read_yaml_text(R"(b: {x: [1, two]}
a:
  - ~
  - "3"
)",
                                    "case.yaml");
  ASSERT_EQ(root.entries.size(), 2U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[1].where.text(), "case.yaml:2:1");
  const Value& list = *root.find("b")->find("x");
  EXPECT_EQ(list.items[1].text, "two");
  EXPECT_EQ(list.items[1].where.text(), "case.yaml:1:12");
  EXPECT_TRUE(root.find("a")->items[0].is_null());
  EXPECT_EQ(root.find("a")->items[1].text, "3");
  EXPECT_EQ(root.find("c"), nullptr);
}

TEST(CaseYaml, accepts_indices_in_keys) {
  const Value root =
      read_yaml_text("rod.(i): {for: {i: 1..n}, between: [rod.(i-1).end, rod.(i).start]}\n", "case.yaml");
  EXPECT_EQ(root.entries[0].key, "rod.(i)");
  EXPECT_EQ(root.entries[0].value.find("between")->items[0].text, "rod.(i-1).end");
  EXPECT_EQ(root.entries[0].value.find("for")->find("i")->text, "1..n");
}

TEST(CaseYaml, follows_aliases) {
  const Value root = read_yaml_text("a: &steel {rho: 7850}\nb: *steel\n", "case.yaml");
  EXPECT_EQ(root.find("b")->find("rho")->text, "7850");
}

TEST(CaseYaml, reports_where_a_file_does_not_parse) {
  EXPECT_EQ(message(R"(a: 1
b: 2
a: 3
)"),
            "case.yaml:3:1: the key 'a' stands here a second time; the first one is in line 1");
  EXPECT_THAT(message("a: {b: 1\nc: 2\n"), StartsWith("case.yaml:"));
  EXPECT_THAT(message("a: {b: 1\nc: 2\n"), HasSubstr("this is not valid YAML"));
  EXPECT_THAT(message("a: [rod[1].end, b]\n"), HasSubstr("needs quotes"));
  EXPECT_THAT(message("a: b: c\n"), HasSubstr("this is not valid YAML"));
  EXPECT_THAT(message("\ta: b\n"), HasSubstr("this is not valid YAML"));
  EXPECT_THAT(message(std::string(5000, '[')), StartsWith("case.yaml:1:"));
  EXPECT_EQ(message("[a]: b\n"),
            "case.yaml:1:1: a key must be a name, not a list or a map (or a bracket is not closed)");
  EXPECT_THAT(message("a: *nothing\n"), HasSubstr("this is not valid YAML"));
  EXPECT_THAT(message("a: &x {b: *x}\n"), HasSubstr("case.yaml:1:"));
  EXPECT_EQ(message(R"(a: 1
---
b: 1
)"),
            "case.yaml:3:1: a second document begins here; a case is one document");
  EXPECT_EQ(message(""), "case.yaml:1:1: the file holds nothing");
}

TEST(CaseYaml, limits_what_aliases_expand_to) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 1; j < 10; ++j) text += ", " + last;
    text += "]\n";
  }
  EXPECT_THAT(message(text), HasSubstr("holds more than"));
}

TEST(CaseYaml, limits_the_depth_of_aliases) {
  // By its count of values alone the tree could be 30,000 levels deep, and overrun the stack where it is copied.
  std::string text = "a0: &a0 " + std::string(90, '[') + std::string(90, ']') + "\n";
  for (int i = 1; i < 1000; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " " + std::string(90, '[') + "*a" +
            std::to_string(i - 1) + std::string(90, ']') + "\n";
  EXPECT_EQ(message(text), "case.yaml:2:99: lists and maps are nested deeper than 100 levels");
}

TEST(CaseYaml, reports_how_deep_a_file_may_nest) {
  const auto lists = [](std::size_t n) { return "a: " + std::string(n, '[') + std::string(n, ']') + "\n"; };
  EXPECT_EQ(message(lists(99)), "no error");
  EXPECT_EQ(message(lists(10'000)), "case.yaml:1:103: lists and maps are nested deeper than 100 levels");
  std::string maps;
  for (int i = 0; i < 10'000; ++i) maps += "{a: ";
  maps += "1" + std::string(10'000, '}');
  EXPECT_THAT(message(maps), HasSubstr("nested deeper than 100 levels"));
}

TEST(CaseYaml, reports_where_a_file_is_no_text) {
  using namespace std::string_literals;
  EXPECT_EQ(message("a: 1\nb: \"x\0y\"\n"s), "case.yaml:2:6: the file holds a NUL byte here: is it a text?");
  EXPECT_EQ(message("\u00e4: \xe4\n"), "case.yaml:1:4: the byte 0xe4 here is not UTF-8: is the file a text?");
  // The parser takes this byte for the end of the file.
  EXPECT_EQ(message("a: 1\n\x04: 2\n"),
            "case.yaml:2:1: the byte 0x04 here is a control character: is the file a text?");
  EXPECT_EQ(message("a: \u00e4\tb\r\n"), "no error");
}

TEST(CaseYaml, merges_maps) {
  const Value root = read_yaml_text(
      R"(a: &a {x: 1, y: 2}
b: &b {y: 3, z: 4}
c: {<<: *a, y: 5}
d:
  u: 0
  <<: [*a, *b]
  v: 1
e: &e {<<: *b, w: 6}
f: {<<: *e}
)",
      "case.yaml");
  const auto entries = [&](const char* key) {
    std::string text;
    for (const Value::Entry& entry : root.find(key)->entries) text += entry.key + entry.value.text + " ";
    return text;
  };
  EXPECT_EQ(entries("c"), "x1 y5 ");
  EXPECT_EQ(entries("d"), "u0 x1 y2 z4 v1 ");
  EXPECT_EQ(entries("f"), "y3 z4 w6 ");
  EXPECT_EQ(root.find("c")->find("x")->where.text(), "case.yaml:1:11");
  EXPECT_EQ(message("a: {<<: 3}\n"), "case.yaml:1:5: '<<' takes a map or a list of maps, found '3'");
  EXPECT_EQ(message("a: {<<: [{x: 1}, y]}\n"),
            "case.yaml:1:5: '<<' takes a map or a list of maps, found 'y'");
  EXPECT_EQ(message("a: {<<: {x: 1}, <<: {y: 1}}\n"),
            "case.yaml:1:17: the key '<<' stands here a second time; the first one is in line 1");
  EXPECT_EQ(message("a: {<<: {x: 1}, y: 1, y: 2}\n"),
            "case.yaml:1:23: the key 'y' stands here a second time; the first one is in line 1");
}

TEST(CaseYaml, refuses_a_file_that_cannot_be_read) {
  try {
    read_yaml_file("/nowhere/case.yaml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot read '/nowhere/case.yaml': No such file or directory");
  }
  EXPECT_THROW(read_yaml_file("/tmp"), Error);
}

}  // namespace
}  // namespace trammel
