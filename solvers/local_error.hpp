#pragma once

#include <vector>

namespace trammel {

/// What one step adds to the error of a motion: numbers of the blocks with rates that this rank owns, in the layout's order, which
/// changes of the pattern keep.
struct LocalError {
  std::vector<double>
      displacement;              ///< of positions, rotations (body frame), coordinates and first-order states
  std::vector<double> velocity;  ///< of kinematic blocks
};

}  // namespace trammel
