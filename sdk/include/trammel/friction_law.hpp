#pragma once

#include <array>
#include <memory>
#include <optional>

#include "trammel/block.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

class Signal;

/// Dry friction of a group of one to three rows at velocity level, s = A v, under one cone. With D the coefficients by
/// axis and N the normal force: it sticks, s = 0, while |D^-1 lambda| <= N with those at rest, and slips with
/// lambda = D^2 s / |D s| N with those of sliding; lambda . s >= 0.
struct FrictionLaw {
  std::array<double, 3> at_rest{};  ///< by axis
  std::array<double, 3> sliding{};  ///< by axis, none larger than at rest
  /// N >= 0 [N]: of multipliers in the stencil of the group's own instance, or of none.
  std::shared_ptr<const Signal> normal;
  /// Unilateral row that presses: where it is inactive, so is the group.
  std::optional<ConstraintRow> pressed_by;
  Reserved<2> reserved{};
};

}  // namespace trammel
