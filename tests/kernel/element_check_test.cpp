// The check of derivatives: it finds what is wrong, and is not misled by rounding.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "trammel/element.hpp"
#include "trammel/element_check.hpp"

namespace trammel {
namespace {

/// Two coordinates; a contribution of 1e11 that cancels but for its rounding stands beside r_0 = f x and r_1 = x y.
struct Cancelling {
  double f = 1e-3;      ///< what is left
  double given = 1e-3;  ///< what the tangent says
  double sign = 1;      ///< of the tangent's other entries

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double a = x.value(0)[0], b = x.value(1)[0];
    const volatile double far = a + 7.3;
    out.residual()[0] = 1e11 * ((far - 7.3) - a) + f * a;
    out.residual()[1] = a * b;
    if (!out.request.tangent) return;
    out.K()(0, 0) = given;
    out.K()(1, 0) = sign * b;
    out.K()(1, 1) = sign * a;
  }
};

/// r_0 = 0.3 y, as the difference of two lengths near 1, times 1e9: rounding takes the same from them all around x = 0.
struct Strained {
  double given = 0.3;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double a = x.value(0)[0], b = x.value(1)[0];
    const volatile double one = 1 + a * a;
    const volatile double other = 1 + (a * a + 3e-10 * b);
    out.residual()[0] = 1e9 * (other - one);
    if (out.request.tangent) out.K()(0, 1) = given;
  }
};

/// A force that grows in time, and says that it is constant.
struct Growing {
  static bool couples(int, int) { return false; }
  bool is_constant() const { return true; }
  void evaluate(const LocalState& x, LocalSystem& out) const { out.residual()[0] = 2 * x.time(); }
};

template <class E>
CheckedTerm worst(const E& element, double step, double x = 0.83) {
  std::vector<Block> blocks(2);
  for (Block& block : blocks) {
    block.kind = BlockKind::coordinate;
    block.size = 1;
  }
  blocks[0].name = "x";
  blocks[1].name = "y";
  blocks[0].initial[0] = x;
  blocks[1].initial[0] = -0.4;
  RangeOf<E> range;
  range.add(element, {0, 1}, 2, 0);
  return check_derivatives(range, 0, TestState(blocks), step).front();
}

TEST(CheckDerivatives, is_not_misled_by_rounding_of_large_contributions) {
  // Each difference is off by up to 1e-4 / step, more than the entry itself.
  for (const double step : {1e-3, 1e-4, 1e-5}) EXPECT_LT(worst(Cancelling{}, step).relative(), 1e-6) << step;
}

TEST(CheckDerivatives, is_not_misled_by_rounding_at_large_positions) {
  EXPECT_LT(worst(Strained{}, 1e-3, 0).relative(), 1e-6);
  EXPECT_NEAR(worst(Strained{-0.3}, 1e-3, 0).relative(), 2, 0.01);
}

TEST(CheckDerivatives, finds_a_residual_that_is_not_as_constant_as_it_says) {
  const CheckedTerm term = worst(Growing{}, 1e-3);
  EXPECT_NEAR(term.error, 2, 1e-12);
  EXPECT_NE(term.what.find("constant"), std::string::npos) << term.what;
}

TEST(CheckDerivatives, finds_a_wrong_sign_beside_rounding_errors) {
  const CheckedTerm there = worst(Cancelling{5e3, -5e3, 1}, 1e-3);
  EXPECT_NEAR(there.relative(), 2, 0.01);
  EXPECT_NE(there.what.find("K: residual of 'x' by 'x'"), std::string::npos) << there.what;
  const CheckedTerm other = worst(Cancelling{1e-3, 1e-3, -1}, 1e-3);
  EXPECT_NEAR(other.relative(), 2, 1e-6);
  EXPECT_NE(other.what.find("residual of 'y'"), std::string::npos) << other.what;
}

}  // namespace
}  // namespace trammel
