#pragma once

#include <cstdint>

#include "trammel/block.hpp"

namespace trammel {

/// What a row of a constraint is doing.
enum class RowStatus : std::uint8_t {
  active,    ///< its equation holds; of friction: it sticks
  inactive,  ///< its multiplier is zero
  slips,     ///< of friction: its multiplier is the force of sliding
};

/// A row, and what it is to do.
struct RowSwitch {
  ConstraintRow row;
  RowStatus status = RowStatus::active;

  friend bool operator==(const RowSwitch&, const RowSwitch&) = default;
};

}  // namespace trammel
