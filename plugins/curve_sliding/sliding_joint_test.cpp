#include "sliding_joint.hpp"

#include <gmock/gmock.h>

#include "sample_curves.hpp"
#include "track_case.hpp"
#include "trammel/joint_check.hpp"

namespace trammel::curve_sliding {
namespace {

using testing::TrackCase;

/// Derivatives, power, balance, objectivity and rank of a joint at random states.
void expect_sound(const std::string& own, std::shared_ptr<const Curve> curve, int equations, int states) {
  for (const auto& [on, b] : {std::pair("bodies.a_arm", "bodies.b_arm"), std::pair("ground", "bodies.b"),
                              std::pair("bodies.a_moving", "bodies.b_moving")}) {
    TrackCase c(on, curve);
    c.slide(std::string("{between: [track, ") + b + "], assemble: yes" + own + "}");
    const ElementRange& range = c.part(true);
    const TestState start = c.test_state(true);
    const std::string what = own + " on " + on;
    const bool first = std::string(on) == "bodies.a_arm";
    const CheckedTerm worst = worst_derivative(range, 0, start, first ? states : 10);
    EXPECT_LT(worst.relative(), 1e-8) << what << ", " << worst.what;
    if (own.find("velocity") != std::string::npos) {
      const CheckedTerm tie = worst_derivative(c.part(false), 0, c.test_state(false), first ? states : 10);
      EXPECT_LT(tie.relative(), 1e-8) << what << ", " << tie.what;
    }
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      TestState s = start;
      s.disturb(seed);
      EXPECT_NEAR(power_error(range, 0, s), 0, 1e-9) << what;
      if (!first) continue;
      const Eigen::MatrixXd B = constraint_gradient(range, 0, s);
      EXPECT_EQ(B.rows(), equations) << what;
      EXPECT_EQ(B.fullPivHouseholderQr().rank(), equations) << what;
      const Evaluation e = evaluate(range, 0, s, {false, true, false});
      EXPECT_LT(resultant(s, e.residual).norm(), 1e-11 * e.residual.norm()) << what;
      const TestState moved =
          testing::carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
      const Evaluation f = evaluate(range, 0, moved, {false, true, false});
      EXPECT_LT((e.residual.tail(equations) - f.residual.tail(equations)).norm(), 1e-11) << what;
      EXPECT_LT((e.rate.tail(equations) - f.rate.tail(equations)).norm(), 1e-10) << what;
    }
  }
}

TEST(SlidingJoint, is_sound_with_free_orientation) {
  expect_sound("", std::make_shared<Trefoil>(), 4, 100);
  expect_sound(", arc_length: velocity", std::make_shared<Trefoil>(), 3, 10);
  expect_sound("", std::make_shared<Cubic>(), 4, 20);
  expect_sound("", std::make_shared<Cubic>(0, 0), 4, 20);
}

TEST(SlidingJoint, is_sound_with_locked_orientation) {
  expect_sound(", orientation: locked", std::make_shared<Trefoil>(), 7, 100);
  expect_sound(", orientation: locked, arc_length: velocity", std::make_shared<Trefoil>(), 6, 10);
  expect_sound(", orientation: locked, frame: frenet", std::make_shared<Trefoil>(), 7, 10);
  expect_sound(", orientation: locked, frame: up, up: [0, 0, 1]", std::make_shared<Trefoil>(), 7, 10);
  expect_sound(", orientation: locked", std::make_shared<Cubic>(), 7, 20);
}

TEST(SlidingJoint, is_sound_if_it_turns_about_the_tangent) {
  expect_sound(", orientation: about_tangent", std::make_shared<Trefoil>(), 6, 100);
  expect_sound(", orientation: about_tangent, axes: own", std::make_shared<Trefoil>(), 6, 10);
}

TEST(SlidingJoint, starts_at_the_nearest_point_with_its_rates) {
  const auto curve = std::make_shared<Trefoil>();
  CurvePoint at;
  curve->evaluate(1.7, 1, at);
  TrackCase c("ground", curve, at.d[0]);
  const Vec3 v = 3 * at.d[1].normalized();
  c.model.blocks.put(c.b.position).initial_rate = {v.x(), v.y(), v.z()};
  c.slide("{between: [track, bodies.b], orientation: locked}");
  const TestState s = c.test_state(true);
  const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
  EXPECT_NEAR(block.initial[0], 1.7, 1e-8);
  EXPECT_NEAR(block.initial[1], curve->arc_length(1.7), 1e-7);
  EXPECT_NEAR(block.initial_rate[1], 3, 1e-8);
  EXPECT_LT(evaluate(c.part(true), 0, s, {}).residual.norm(), 1e-7);
}

TEST(SlidingJoint, offers_the_force_that_friction_multiplies) {
  TrackCase c("bodies.a", std::make_shared<Trefoil>());
  c.slide("{between: [track, bodies.b], orientation: about_tangent, assemble: yes}");
  const auto signal = c.builder.signal("J.normal_force", {});
  std::vector<BlockId> stencil = signal->blocks();
  TestState s(c.model, stencil);
  s.disturb(3);
  SignalValue v;
  signal->evaluate(s.local(), 0, true, v);
  const double h = 1e-5;
  for (int i = 0; i < s.dofs(); ++i) {
    SignalValue plus, minus;
    const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(s.dofs(), i);
    signal->evaluate(s.moved(step).local(), 0, true, plus);
    signal->evaluate(s.moved(-step).local(), 0, true, minus);
    EXPECT_NEAR(v.gradient[i], (plus.value - minus.value) / (2 * h), 1e-7 * (1 + v.gradient.norm()));
    EXPECT_LT((v.second.col(i) - (plus.gradient - minus.gradient) / (2 * h)).norm(),
              1e-6 * (1 + v.second.norm()));
  }
}

}  // namespace
}  // namespace trammel::curve_sliding
