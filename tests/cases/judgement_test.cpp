#include "judgement.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "trammel/error.hpp"

namespace trammel::cases {
namespace {

TEST(Judgement, observes_the_order) {
  EXPECT_DOUBLE_EQ(observed_order(4e-3, 1e-3, 1e-10).value(), 2);
  EXPECT_DOUBLE_EQ(observed_order(8e-3, 1e-3, 1e-10).value(), 3);
  EXPECT_FALSE(observed_order(1e-15, 1e-16, 1e-10).has_value());
}

TEST(Judgement, extrapolates_away_the_second_order) {
  const auto value = [](double h) { return 5 + 0.3 * h * h; };
  const Extrapolation e = extrapolate({value(0.4), value(0.2), value(0.1)});
  EXPECT_NEAR(e.value, 5, 1e-14);
  EXPECT_NEAR(e.estimate, 0, 1e-14);
}

TEST(Judgement, estimates_a_bound_of_terms_of_order_three_and_four) {
  for (const int order : {3, 4}) {
    const auto value = [order](double h) { return 5 + 0.3 * h * h + 0.2 * std::pow(h, order); };
    const Extrapolation e = extrapolate({value(0.4), value(0.2), value(0.1)});
    EXPECT_LE(std::abs(e.value - 5), 1.0001 * e.estimate);
    EXPECT_GE(std::abs(e.value - 5), 0.4 * e.estimate);
  }
}

TEST(Judgement, counts_the_supplied_energy_if_asked) {
  // 2 W are put in from t = 1 on.
  const History history = History::of_text(
      "time [s],kinetic [J],strain [J],total [J],dissipated_power [W]\n"
      "0,1,2,10,-8\n1,1,2,3,-2\n2,1,3,5,-2\n3,2,3,7.1,-2\n");
  Conservation energy;
  energy.from = 1;
  EXPECT_DOUBLE_EQ(drift_of(history, energy), 4.1 / 5);
  energy.with_losses = true;
  EXPECT_NEAR(drift_of(history, energy), 0.1 / 5, 1e-15);
}

TEST(History, finds_columns_by_name_and_rows_by_time) {
  const History history = History::of_text("time [s],position.x [m],angle [rad]\n0,1,2\n0.1,3,4\n0.1,5,6\n");
  EXPECT_EQ(history.column("position", "x")[1], 3);
  EXPECT_EQ(history.column("angle", "")[0], 2);
  EXPECT_EQ(history.row(0.1 + 1e-12), 2U);
  EXPECT_EQ(history.find_row(0.05), History::no_row);
  EXPECT_THROW(history.row(0.05), Error);
  EXPECT_THROW(history.column("velocity", "x"), Error);
  EXPECT_THROW(History::of_text("a,b\n1\n"), Error);
}

}  // namespace
}  // namespace trammel::cases
