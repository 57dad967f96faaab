#include "trammel/reported_number.hpp"

#include <algorithm>
#include <array>

namespace trammel {

namespace {
constexpr std::array<std::string_view, 3> xyz{"x", "y", "z"};
}

void OneNumber::scalar(std::string_view name, std::string_view, double value) {
  if (!found && wanted_.component.empty() && name == wanted_.channel) found = value;
}

void OneNumber::vector(std::string_view name, std::string_view unit, const Vec3& value) {
  values(name, unit, xyz, {value.data(), 3});
}

void OneNumber::values(std::string_view name, std::string_view, std::span<const std::string_view> components,
                       std::span<const double> numbers) {
  if (found || name != wanted_.channel) return;
  for (std::size_t i = 0; i < std::min(components.size(), numbers.size()); ++i)
    if (components[i] == wanted_.component) found = numbers[i];
}

void AllNumbers::scalar(std::string_view name, std::string_view unit, double) {
  all.push_back({std::string(name), {}, std::string(unit)});
}

void AllNumbers::vector(std::string_view name, std::string_view unit, const Vec3& value) {
  values(name, unit, xyz, {value.data(), 3});
}

void AllNumbers::values(std::string_view name, std::string_view unit,
                        std::span<const std::string_view> components, std::span<const double>) {
  for (const std::string_view c : components)
    all.push_back({std::string(name), std::string(c), std::string(unit)});
}

}  // namespace trammel
