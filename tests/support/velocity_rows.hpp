#pragma once

#include <gtest/gtest.h>

#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"

namespace trammel::testing {

/// Derivatives of everything at states around `at`, those of velocity-level constraints among them: D, its transpose in
/// the reactions, and D a + bias.
inline void expect_exact_velocity_rows(const ElementRange& range, const TestState& at, int states = 8) {
  const CheckedTerm worst = worst_derivative(range, 0, at, states);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
}

/// A rigid motion of everything changes neither the last `rows` of the residual nor the balance of its forces.
inline void expect_objective_rows(const ElementRange& range, const TestState& at, int rows) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    TestState s = at;
    s.disturb(seed);
    const Evaluation e = evaluate(range, 0, s, {false, true, false});
    EXPECT_LT(resultant(s, e.residual).norm(), 1e-12);
    const TestState moved =
        carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
    const Evaluation f = evaluate(range, 0, moved, {false, true, false});
    EXPECT_LT((e.residual.tail(rows) - f.residual.tail(rows)).norm(), 1e-12);
  }
}

}  // namespace trammel::testing
