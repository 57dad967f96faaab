#pragma once

#include <gtest/gtest.h>

#include "trammel/element_check.hpp"

namespace trammel::testing {

/// Derivatives of everything at states around `at`, those of velocity-level constraints among them: D, its transpose in
/// the reactions, and D a + bias.
inline void expect_exact_velocity_rows(const ElementRange& range, const Specimen& at, int states = 8) {
  const CheckedTerm worst = worst_derivative(range, 0, at, states);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
}

}  // namespace trammel::testing
