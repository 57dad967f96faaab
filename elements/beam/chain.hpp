#pragma once

#include <vector>

#include "trammel/block.hpp"

namespace trammel::beam {

/// What a beam offers to other types under the name "<beam>.chain" (Builder::find): loads along it and joints that
/// slide on it are built from this.
struct Chain {
  std::vector<Frame> nodes;  ///< section triads, from start to end; element k lies between nodes k and k + 1
  std::vector<double> s;     ///< reference arc length of the nodes [m]
};

}  // namespace trammel::beam
