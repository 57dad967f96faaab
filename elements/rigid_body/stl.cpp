#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "solid.hpp"

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

}  // namespace

Surface read_stl(const std::string& path, double scale, const Location& where) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(where, "cannot read the STL file '" + path + "'");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Triangles triangles(scale);
  if (is_binary(text)) {
    for (std::size_t at = header; at < text.size(); at += record)
      for (std::size_t k = 1; k < 4; ++k) {
        const char* from = text.data() + at + 12 * k;
        triangles.corner(
            {little_endian<float>(from), little_endian<float>(from + 4), little_endian<float>(from + 8)});
      }
  } else {
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
      if (word != "vertex") continue;
      std::array<float, 3> c{};
      if (!(words >> c[0] >> c[1] >> c[2]))
        throw Error(where, "'" + path + "': a vertex without three numbers");
      triangles.corner(c);
    }
  }
  if (!triangles.whole()) throw Error(where, "'" + path + "' is not an STL file of triangles");
  return triangles.take();
}

}  // namespace trammel::rigid_body
