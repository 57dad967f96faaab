#include "trammel/quoted.hpp"

#include <gtest/gtest.h>

namespace trammel {
namespace {

using namespace std::string_literals;

TEST(Quoted, text_keeps_readable_characters) {
  EXPECT_EQ(in_quotes("fast"), "'fast'");
  EXPECT_EQ(in_quotes("\u00e4 \u4e2d \U0001F600"), "'\u00e4 \u4e2d \U0001F600'");
}

TEST(Quoted, text_has_other_characters_escaped) {
  EXPECT_EQ(in_quotes("a\0b\x1b[31m\n\x7f"s), "'a\\x00b\\x1b[31m\\n\\x7f'");
  EXPECT_EQ(in_quotes("\xff\xc3("), "'\\xff\\xc3('");
  EXPECT_EQ(in_quotes("\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80"),
            "'\\xc0\\x80 \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\\x9b'");
  EXPECT_EQ(printable("a\tb\nc", true), "a\\tb\nc");
}

TEST(Quoted, text_is_shortened_if_it_is_long) {
  const std::string megabyte(1 << 20, 'a');
  EXPECT_EQ(in_quotes(megabyte), "'" + std::string(60, 'a') + "...' (1048576 bytes)");
  EXPECT_EQ(in_quotes(std::string(80, 'a')), "'" + std::string(80, 'a') + "'");
  EXPECT_LT(in_quotes(std::string(1 << 20, '\0')).size(), 100U);
  // Between characters, not within one.
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00e4";
  EXPECT_EQ(in_quotes("a" + umlauts), "'a" + umlauts.substr(0, 58) + "...' (201 bytes)");
}

TEST(Quoted, text_shows_the_part_that_is_meant) {
  std::string text(1000, '1');
  text[500] = '*';
  const std::string part = in_quotes_around(text, 500);
  EXPECT_EQ(part, "'..." + text.substr(470, 60) + "...'");
  EXPECT_EQ(in_quotes_around(text, 1000), "'..." + text.substr(970) + "'");
  EXPECT_EQ(in_quotes_around(text, 0), "'" + text.substr(0, 60) + "...'");
  EXPECT_EQ(in_quotes_around("short", 3), "'short'");
}

}  // namespace
}  // namespace trammel
