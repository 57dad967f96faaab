#pragma once

#include <gtest/gtest.h>

#include "trammel/element_check.hpp"

namespace trammel::testing {

/// Derivatives of everything, and of velocity-level constraints besides: their rate is D a + bias; the reactions of
/// all constraints have no power but that of their explicit rates in time; and D of their rows is the transpose of
/// their columns of K.
inline void expect_exact_velocity_rows(const ElementRange& range, const Specimen& at, int states = 8) {
  const CheckedTerm worst = worst_derivative(range, 0, at, states);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Specimen s = at;
    s.disturb(seed);
    const Evaluation e = evaluate(range, 0, s, {true, true, true});
    const auto residual = [&](double tau) { return evaluate(range, 0, s.after(tau), {}).residual; };
    const double h = 1e-3;
    const Eigen::VectorXd change =
        (45 * (residual(h) - residual(-h)) - 9 * (residual(2 * h) - residual(-2 * h)) +
         (residual(3 * h) - residual(-3 * h))) /
        (60 * h);
    Eigen::VectorXd a = Eigen::VectorXd::Zero(s.dofs());
    for (std::size_t k = 0; k < s.blocks().size(); ++k)
      if (is_kinematic(s.blocks()[k].kind))
        a.segment(s.offset(static_cast<int>(k)), s.blocks()[k].size) = Eigen::Map<const Eigen::VectorXd>(
            s.state().acceleration.data() + s.places()[k].dof, s.blocks()[k].size);
    for (std::size_t k = 0; k < s.blocks().size(); ++k) {
      if (s.blocks()[k].kind != BlockKind::velocity_multiplier) continue;
      const int row = s.offset(static_cast<int>(k)), n = s.blocks()[k].size;
      const Eigen::VectorXd found = e.D.middleRows(row, n) * a + e.bias.segment(row, n);
      EXPECT_LT((found - change.segment(row, n)).norm(), 1e-8 * (1 + found.norm()));
      EXPECT_LT((e.D.middleRows(row, n) - e.K.middleCols(row, n).transpose()).norm(), 1e-12);
    }
  }
}

}  // namespace trammel::testing
