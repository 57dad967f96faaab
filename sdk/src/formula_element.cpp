#include <algorithm>

#include <fmt/format.h>

#include "trammel/force_law.hpp"

namespace trammel {

std::vector<Marker> read_markers(const Parameters& in, const Builder& builder, int least, int most,
                                 bool need_rotation) {
  const Value& list = *in.value("between");
  const auto count = list.is_sequence() ? static_cast<int>(list.items.size()) : 0;
  if (count < least || count > most)
    throw Error(in.where("between"),
                least == most ? fmt::format("'between' must be a list of {} markers, found {}", least, count)
                              : fmt::format("'between' must be a list of {} to {} markers, found {}", least,
                                            most, count));
  std::vector<Marker> markers;
  for (const Value& item : list.items) {
    markers.push_back(builder.marker(item, in.context()));
    if (need_rotation && markers.back().is_point())
      throw Error(item.where, "marker '" + markers.back().name() +
                                  "' is a point without orientation, and an element of this type needs one");
  }
  if (std::ranges::all_of(markers, [](const Marker& m) { return m.block_count() == 0; }))
    throw Error(in.where("between"), "all markers are on the ground");
  return markers;
}

void report_numbers(std::span<const FormulaNumber> numbers, const double* values, const std::string& suffix,
                    OutputSink& sink) {
  if (numbers.empty()) return;
  const auto unit = [&](const FormulaNumber& number) {
    return suffix == "_rate" ? rate_unit(number.unit) : std::string(number.unit);
  };
  if (numbers.size() > 1 && numbers[0].name == numbers[1].name) {
    std::vector<std::string> indices;
    for (std::size_t i = 1; i <= numbers.size(); ++i) indices.push_back(std::to_string(i));
    const std::vector<std::string_view> components(indices.begin(), indices.end());
    sink.values(std::string(numbers[0].name) + suffix, unit(numbers[0]), components,
                {values, numbers.size()});
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    sink.scalar(std::string(numbers[i].name) + suffix, unit(numbers[i]), values[i]);
}

Parameter between_markers(int least, int most) {
  using Kind = Parameter::Kind;
  if (most == 2)
    return Parameter::make(Kind::marker_pair, "between", "", "markers A and B; `ground`: the world's origin")
        .must();
  std::string example = "[a";
  for (int k = 1; k < most; ++k) example += std::string(", ") + static_cast<char>('a' + k);
  return Parameter::make(
             Kind::any, "between", "",
             fmt::format("list of {} markers; `ground`: the world's origin",
                         least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most)))
      .such_as(example + "]")
      .must();
}

Type detail::element_between(int markers, std::string name, std::string summary, std::vector<Parameter> own,
                             std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::element;
  type.summary = std::move(summary);
  type.parameters = {between_markers(markers, markers)};
  for (Parameter& p : own) type.parameters.push_back(std::move(p));
  type.build = std::move(build);
  return type;
}

}  // namespace trammel
