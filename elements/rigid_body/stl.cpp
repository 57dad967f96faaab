#include <algorithm>
#include <bit>
#include <cctype>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "solid.hpp"
#include "trammel/quoted.hpp"

namespace trammel::rigid_body {

namespace {

/// Collects triangles and gives equal corners one number.
class Triangles {
 public:
  explicit Triangles(double scale) : scale_(scale) {}

  void corner(const std::array<float, 3>& c) {
    const auto [at, is_new] = number_.emplace(c, static_cast<int>(surface_.points.size()));
    if (is_new) surface_.points.push_back(scale_ * Vec3(c[0], c[1], c[2]));
    if (corners_++ % 3 == 0) surface_.faces.push_back(3);
    surface_.faces.push_back(at->second);
  }
  bool whole() const { return corners_ > 0 && corners_ % 3 == 0; }
  Surface take() { return std::move(surface_); }

 private:
  double scale_;
  std::size_t corners_ = 0;
  std::map<std::array<float, 3>, int> number_;
  Surface surface_;
};

// Binary: a header of 80 bytes, the count, and 50 bytes a triangle: normal, three corners, an attribute.
constexpr std::size_t header = 84, record = 50;

template <class T>
T little_endian(const char* from) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

bool is_binary(const std::string& text) {
  return text.size() >= header &&
         text.size() == header + record * little_endian<std::uint32_t>(text.data() + 80);
}

std::string lower_case(std::string_view word) {
  std::string out;
  for (const char c : word) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Reads the text form: "solid NAME", facets of "normal" and a loop of three "vertex" each, "endsolid NAME".
class TextReader {
 public:
  TextReader(std::string_view text, Triangles& triangles) : text_(text), triangles_(triangles) {}

  /// Throws Error without a place.
  void read() {
    expect("solid");
    skip_line();
    for (;;) {
      const std::string word = next();
      if (word == "endsolid") {
        skip_line();
        const std::string more = next();
        if (more.empty()) return;
        if (more != "solid") fail("'solid' or the end", more);
        skip_line();
        continue;
      }
      if (word != "facet") fail("'facet' or 'endsolid'", word);
      for (const char* name : {"normal", "", "", "", "outer", "loop"})
        if (*name == 0)
          next();  // drawn surfaces have normals of their own
        else
          expect(name);
      for (int k = 0; k < 3; ++k) {
        expect("vertex");
        const float x = number(), y = number(), z = number();
        triangles_.corner({x, y, z});
      }
      expect("endloop");
      expect("endfacet");
    }
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  /// The next word in small letters; empty at the end.
  std::string next() {
    while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return lower_case(text_.substr(from, at_ - from));
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  void expect(const char* wanted) {
    if (const std::string word = next(); word != wanted) fail(in_quotes(wanted), word);
  }
  float number() {
    const std::string word = next();
    char* end = nullptr;
    const double x = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != 0 || !(std::abs(x) <= FLT_MAX)) fail("a finite number", word);
    return static_cast<float>(x);
  }
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw Error("line " + std::to_string(line_) + ": expected " + expected + ", found " +
                (found.empty() ? "the end of the file" : in_quotes(found)));
  }

  std::string_view text_;
  Triangles& triangles_;
  std::size_t at_ = 0;
  int line_ = 1;
};

void read_binary(const std::string& text, Triangles& triangles) {
  for (std::size_t at = header; at < text.size(); at += record)
    for (std::size_t k = 1; k < 4; ++k) {
      const char* from = text.data() + at + 12 * k;
      const std::array<float, 3> corner{little_endian<float>(from), little_endian<float>(from + 4),
                                        little_endian<float>(from + 8)};
      for (const float x : corner)
        if (!std::isfinite(x))
          throw Error("triangle " + std::to_string((at - header) / record + 1) +
                      " has a corner that is not finite");
      triangles.corner(corner);
    }
}

bool begins_with_solid(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return lower_case(text.substr(first, 5)) == "solid";
}

/// What is wrong with a file that is neither form.
std::string no_form(const std::string& text) {
  if (text.size() < header) return "it is too short for an STL file, and does not begin with 'solid'";
  const auto count = little_endian<std::uint32_t>(text.data() + 80);
  return "it does not begin with 'solid', and a binary STL file of " + std::to_string(count) +
         " triangles, as it says, has " + std::to_string(header + record * count) + " bytes, not " +
         std::to_string(text.size());
}

}  // namespace

Surface read_stl(const std::string& path, double scale, const Location& where) {
  // Whoever opens a pipe waits for what writes to it, and a device may never end.
  std::error_code code;
  const bool regular = std::filesystem::is_regular_file(path, code);
  std::ifstream file(regular ? path : std::string(), std::ios::binary);
  if (!file)
    throw Error(where,
                "cannot read the STL file " + in_quotes(path) +
                    (std::filesystem::exists(path, code) && !regular ? ": it is no regular file" : ""));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Triangles triangles(scale);
  try {
    if (is_binary(text))
      read_binary(text, triangles);
    else if (begins_with_solid(text))
      TextReader(text, triangles).read();
    else
      throw Error(no_form(text));
  } catch (const Error& error) {
    throw Error(where, "the STL file " + in_quotes(path) + ": " + error.what());
  }
  if (!triangles.whole()) throw Error(where, "the STL file " + in_quotes(path) + " holds no triangles");
  return triangles.take();
}

}  // namespace trammel::rigid_body
