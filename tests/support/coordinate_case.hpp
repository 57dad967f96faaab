#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plain_case.hpp"

namespace trammel::testing {

/// A case with joints that have coordinates and nothing else, and with what hangs on them.
class CoordinateCase : public PlainCase {
 public:
  /// A joint whose coordinates, by name and unit, start at zero.
  void joint(const std::string& name, const std::vector<std::pair<std::string, std::string>>& coordinates) {
    static const Type type = [] {
      Type t;
      t.name = "coordinates";
      t.category = Type::Category::joint;
      return t;
    }();
    Entity entity;
    entity.name = name;
    builder.begin(entity, type);
    const std::array<double, inline_block_size> zeros{};
    std::vector<Measure> measures;
    for (const auto& [coordinate, unit] : coordinates)
      measures.push_back(unit == "rad" ? Measure::angle() : Measure::length());
    const BlockId block = builder.add_coordinates("coordinates", std::span(zeros).first(coordinates.size()),
                                                  {}, measures, coordinates.front().second);
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      builder.offer_coordinate(coordinates[i].first, coordinates[i].second, block, static_cast<int>(i));
  }

  /// The message of the error that this element on a coordinate ends with, "" where there is none.
  std::string on(const std::string& type, const std::string& joint, const std::string& coordinate,
                 const std::string& value) {
    try {
      add(Type::Category::coordinate, type, joint + "." + coordinate + "." + type,
          "{of: " + joint + ", coordinate: " + coordinate + ", value: " + value + "}");
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }
};

}  // namespace trammel::testing
