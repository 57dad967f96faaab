#include "trammel/outputs.hpp"

namespace trammel {

std::string rate_unit(std::string_view unit, int order) {
  return std::string(unit.empty() ? "1" : unit) + (order == 1 ? "/s" : "/s^" + std::to_string(order));
}

void report_numbered(OutputSink& sink, std::string_view name, std::string_view unit, int first,
                     std::span<const double> values) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < values.size(); ++i)
    numbers.push_back(std::to_string(first + static_cast<int>(i)));
  const std::vector<std::string_view> components(numbers.begin(), numbers.end());
  sink.values(name, unit, components, values);
}

}  // namespace trammel
