#pragma once

#include <array>
#include <memory>
#include <optional>

#include "trammel/block.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

class Signal;

/// Dry friction of a group of one to three rows at velocity level, s = A v, under one friction cone. With the normal force N and
/// the diagonal matrix D of the coefficients by axis: the group sticks, s = 0, while |D^-1 lambda| <= N with the coefficients at
/// rest. It slips with lambda = D^2 s / |D s| N with the coefficients of sliding. lambda . s >= 0. See docs/contact_laws.md.
struct FrictionLaw {
  std::array<double, 3> at_rest{};  ///< by axis
  std::array<double, 3> sliding{};  ///< by axis, none larger than at rest
  /// The normal force N >= 0 [N]: a signal of multipliers in the stencil of the same element, or of no blocks.
  std::shared_ptr<const Signal> normal;
  /// The unilateral row of the contact: while it is inactive, so is the group.
  std::optional<ConstraintRow> pressed_by;
  Reserved<2> reserved{};
};

}  // namespace trammel
