#include "nurbs_bytes.hpp"

#include <array>
#include <cstring>

#include "trammel/error.hpp"

namespace trammel::geometry {

namespace {

using Header = std::array<std::size_t, 5>;  // form, degree, points, weights, knots

void append(std::string& bytes, const void* from, std::size_t size) {
  bytes.append(static_cast<const char*>(from), size);
}

void take(std::string_view& bytes, void* to, std::size_t size) {
  if (size == 0) return;
  std::memcpy(to, bytes.data(), size);
  bytes.remove_prefix(size);
}

}  // namespace

std::string to_bytes(const NurbsDefinition& spline) {
  const Header header{static_cast<std::size_t>(spline.form), static_cast<std::size_t>(spline.degree),
                      spline.points.size(), spline.weights.size(), spline.knots.size()};
  std::string bytes;
  append(bytes, header.data(), sizeof header);
  for (const Vec3& p : spline.points) append(bytes, p.data(), 3 * sizeof(double));
  append(bytes, spline.weights.data(), spline.weights.size() * sizeof(double));
  append(bytes, spline.knots.data(), spline.knots.size() * sizeof(double));
  return bytes;
}

NurbsDefinition from_bytes(std::string_view bytes) {
  Header header{};
  const bool has_header = bytes.size() >= sizeof header;
  if (has_header) take(bytes, header.data(), sizeof header);
  const auto [form, degree, points, weights, knots] = header;
  if (!has_header || bytes.size() != (3 * points + weights + knots) * sizeof(double))
    throw Error("the spline is incomplete");
  NurbsDefinition spline;
  spline.form = static_cast<NurbsDefinition::Form>(form);
  spline.degree = static_cast<int>(degree);
  spline.points.resize(points);
  for (Vec3& p : spline.points) take(bytes, p.data(), 3 * sizeof(double));
  spline.weights.resize(weights);
  take(bytes, spline.weights.data(), weights * sizeof(double));
  spline.knots.resize(knots);
  take(bytes, spline.knots.data(), knots * sizeof(double));
  return spline;
}

}  // namespace trammel::geometry
