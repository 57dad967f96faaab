#include "trammel/quoted.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace trammel {

namespace {

constexpr std::size_t longest = 80;    // characters that are quoted in full
constexpr std::size_t margin = 30;     // characters on either side of a place in a longer text
constexpr std::size_t beginning = 60;  // characters of a longer text

/// Appends the character at `at`, escaped where it cannot be shown, and moves `at` behind it.
void append_character(std::string& out, std::string_view text, std::size_t& at, bool keep_lines) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const std::size_t size = utf8_size(text, at);
  const bool second_controls = size == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
  const bool control = byte < 0x20 || byte == 0x7F || second_controls;
  if (size > 0 && (!control || (keep_lines && byte == '\n'))) {
    out += text.substr(at, size);
    at += size;
    return;
  }
  if (byte == '\n' || byte == '\t' || byte == '\r') {
    out += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : "\\r";
  } else {
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned>(byte));
    out += escaped.data();
  }
  ++at;
}

/// The characters from `from` on, up to `most` of them as shown; `from` is moved behind them.
std::string shown(std::string_view text, std::size_t& from, std::size_t most) {
  std::string out;
  std::size_t before = 0;
  while (from < text.size() && out.size() < most) {
    before = from;
    const std::size_t size = out.size();
    append_character(out, text, from, false);
    if (out.size() <= most) continue;
    out.resize(size);
    from = before;
    break;
  }
  return out;
}

}  // namespace

std::size_t utf8_size(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xC2 && first < 0xE0   ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(at + 1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || outside ? 0 : size;
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) append_character(out, text, at, keep_lines);
  return out;
}

std::string in_quotes(std::string_view text) {
  std::size_t at = 0;
  const std::string whole = shown(text, at, longest);
  if (at == text.size()) return "'" + whole + "'";
  at = 0;
  return "'" + shown(text, at, beginning) + "...' (" + std::to_string(text.size()) + " bytes)";
}

std::string in_quotes_around(std::string_view text, std::size_t at) {
  std::size_t end = 0;
  const std::string whole = shown(text, end, longest);
  if (end == text.size()) return "'" + whole + "'";
  std::size_t from = std::min(at, text.size());
  from -= std::min(from, margin);
  while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) --from;
  const bool cut = from > 0;
  const std::string part = shown(text, from, 2 * margin);
  return std::string(cut ? "'..." : "'") + part + (from < text.size() ? "...'" : "'");
}

}  // namespace trammel
