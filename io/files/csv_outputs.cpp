#include "io/files/csv_outputs.hpp"

#include <algorithm>
#include <array>

#include "trammel/error.hpp"

namespace trammel {

std::string CsvColumn::title() const { return unit.empty() ? name : name + " [" + unit + "]"; }

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void CsvOutputs::clear() {
  numbers_.clear();
  columns_.clear();
  offered_.clear();
}

bool CsvOutputs::wants(std::string_view name) {
  if (describe_) offered_.emplace_back(name);
  return wanted_.empty() || std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end();
}

void CsvOutputs::add(std::string_view name, std::string_view component, std::string_view unit, double value) {
  numbers_.push_back(value);
  if (!describe_) return;
  std::string full(name);
  if (!component.empty()) full.append(".").append(component);
  columns_.push_back({std::move(full), std::string(unit)});
}

void CsvOutputs::scalar(std::string_view name, std::string_view unit, double value) {
  if (wants(name)) add(name, {}, unit, value);
}

void CsvOutputs::vector(std::string_view name, std::string_view unit, const Vec3& value) {
  static constexpr std::array<std::string_view, 3> xyz{"x", "y", "z"};
  values(name, unit, xyz, {value.data(), 3});
}

void CsvOutputs::values(std::string_view name, std::string_view unit,
                        std::span<const std::string_view> components, std::span<const double> numbers) {
  if (components.size() != numbers.size())
    throw Error("output '" + std::string(name) + "' names " + std::to_string(components.size()) +
                " components and gives " + std::to_string(numbers.size()) + " numbers");
  if (!wants(name)) return;
  for (std::size_t i = 0; i < numbers.size(); ++i) add(name, components[i], unit, numbers[i]);
}

}  // namespace trammel
