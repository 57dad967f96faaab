#pragma once

#include <cstdint>

#include "trammel/block.hpp"

namespace trammel {

/// The status of a row of a constraint.
enum class RowStatus : std::uint8_t {
  active,    ///< the constraint is imposed; a friction row sticks
  inactive,  ///< the multiplier is zero
  slips,     ///< friction only: the multiplier follows from the law of sliding
};

/// A row and its new status.
struct RowSwitch {
  ConstraintRow row;
  RowStatus status = RowStatus::active;

  friend bool operator==(const RowSwitch&, const RowSwitch&) = default;
};

}  // namespace trammel
