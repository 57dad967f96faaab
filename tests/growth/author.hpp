#pragma once

#include <memory>
#include <vector>

#include "trammel/element.hpp"
#include "trammel/marker.hpp"

// Functions of the author's library, whichever headers it was built with.
struct Author {
  std::unique_ptr<trammel::ElementRange> (*make_range)();
  std::vector<trammel::Row> (*make_rows)();
  std::unique_ptr<trammel::MarkerShape> (*make_marker)();
  /// Room that the library gives to a MarkerMotion, an Energy, a Review and a Row.
  std::size_t sizes[4];
};
