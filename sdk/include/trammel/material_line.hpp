#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "trammel/marker.hpp"

namespace trammel {

/// The axis of a slender body, as loads spread along it see it. A body offers it with
/// `Builder::offer("line", std::make_shared<const MaterialLine>(...))`.
struct MaterialLine {
  static constexpr std::string_view offered_as = "material line 1";
  /// Arc lengths of the element borders in the reference shape, from 0 to the length, increasing [m].
  std::vector<double> borders;
  /// The marker fixed in the section at an arc length [m].
  std::function<Marker(double)> at;
};

}  // namespace trammel
