#include "moving_frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sample_curves.hpp"

namespace trammel::curve_sliding {
namespace {

using ::testing::HasSubstr;

void expect_exact(const MovingFrame& frame, const Curve& curve, const char* what) {
  const double span = curve.last() - curve.first();
  for (int i = 0; i < 100; ++i) {
    const double eta = curve.first() + span * (0.003 + 0.0099 * i), h = 2e-4 * span;
    FrameAlong f;
    frame.evaluate(eta, f);
    EXPECT_LT((f.R.transpose() * f.R - Mat3::Identity()).norm(), 1e-13) << what;
    EXPECT_NEAR(f.R.determinant(), 1, 1e-13) << what;
    EXPECT_LT((f.R.col(2) - TangentAlong(curve, eta).v).norm(), 1e-14) << what;
    const auto R = [&](double k) {
      FrameAlong g;
      frame.evaluate(eta + k * h, g);
      return g;
    };
    const auto difference = [&](auto part) {
      return Mat3((45 * (part(1) - part(-1)) - 9 * (part(2) - part(-2)) + (part(3) - part(-3))) / (60 * h));
    };
    const Mat3 R1 = difference([&](double k) { return R(k).R; }),
               R2 = difference([&](double k) { return R(k).R1; });
    EXPECT_LT((R1 - f.R1).norm(), 1e-8 * (1 + R1.norm())) << what << " at " << eta;
    EXPECT_LT((R2 - f.R2).norm(), 1e-8 * (1 + R2.norm())) << what << " at " << eta;
  }
}

TEST(MovingFrames, have_exact_derivatives) {
  const auto trefoil = std::make_shared<Trefoil>();
  const auto cubic = std::make_shared<Cubic>(0.5, 0.3);
  const auto above = std::make_shared<Cubic>(0.5, 2, 1, 4);
  expect_exact(*up_frame(trefoil, Vec3(0, 0, 1)), *trefoil, "up");
  expect_exact(*frenet_frame(trefoil), *trefoil, "Frenet");
  expect_exact(*rotation_minimizing_frame(trefoil, Vec3(0, 0, 1)), *trefoil, "rotation minimizing, closed");
  expect_exact(*rotation_minimizing_frame(cubic, Vec3(0, 0, 1)), *cubic, "rotation minimizing, open");
  expect_exact(*guided_frame(cubic, above), *cubic, "guided");
}

TEST(MovingFrames, that_minimize_rotation_do_not_rotate_about_the_tangent) {
  const auto cubic = std::make_shared<Cubic>(2, 3);
  const auto frame = rotation_minimizing_frame(cubic, Vec3(0, 0, 1));
  FrameAlong f;
  for (double u = -1; u <= 1; u += 0.01) {
    frame->evaluate(u, f);
    EXPECT_NEAR(f.R1.col(0).dot(f.R.col(1)), 0, 1e-12);
  }
  // On a closed curve they turn evenly, and close.
  const auto trefoil = std::make_shared<Trefoil>();
  const auto closed = rotation_minimizing_frame(trefoil, Vec3(0, 0, 1));
  closed->evaluate(0, f);
  const double rate = f.R1.col(0).dot(f.R.col(1)) / trefoil->speed(0);
  EXPECT_GT(std::abs(rate), 1e-3);
  for (double u = 0; u <= 6.28; u += 0.05) {
    closed->evaluate(u, f);
    EXPECT_NEAR(f.R1.col(0).dot(f.R.col(1)) / trefoil->speed(u), rate, 1e-12);
  }
  FrameAlong g;
  closed->evaluate(0.3, f);
  closed->evaluate(0.3 + 10 * 2 * std::numbers::pi, g);
  EXPECT_LT((f.R - g.R).norm(), 1e-12);
  closed->evaluate(-1e-9, f);
  closed->evaluate(1e-9, g);
  EXPECT_LT((f.R - g.R).norm(), 1e-7);
}

TEST(MovingFrames, have_the_orientations_of_their_names) {
  const auto trefoil = std::make_shared<Trefoil>();
  FrameAlong f;
  up_frame(trefoil, Vec3(0, 0, 2))->evaluate(1.3, f);
  EXPECT_GT(f.R(2, 0), 0);
  EXPECT_NEAR(f.R(2, 1), 0, 1e-15);
  frenet_frame(trefoil)->evaluate(1.3, f);
  CurvePoint c;
  trefoil->evaluate(1.3, 2, c);
  EXPECT_GT(f.R.col(0).dot(c.d[2]), 0);
  EXPECT_NEAR(f.R.col(1).dot(c.d[2]), 0, 1e-12);
}

std::string message(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(MovingFrames, are_refused_where_they_break_down) {
  const auto wave = std::make_shared<Cubic>(0, 1);  // an inflection in its middle
  EXPECT_THAT(message([&] { frenet_frame(wave); }), HasSubstr("where the curvature vanishes"));
  EXPECT_THAT(message([&] { frenet_frame(std::make_shared<Cubic>(0, 0)); }),
              HasSubstr("where the curvature vanishes"));
  const auto bow = std::make_shared<Cubic>(1, 0);
  EXPECT_THAT(message([&] { up_frame(bow, Vec3(1, 0, 0)); }),
              HasSubstr("where the tangent points along 'up': at"));
  EXPECT_THAT(message([&] { up_frame(bow, Vec3(1, 1, 0)); }), HasSubstr("[0.5, 0.25, 0]"));
  EXPECT_THAT(message([&] { guided_frame(bow, bow); }), HasSubstr("no direction across the tangent"));
  EXPECT_THAT(message([&] { rotation_minimizing_frame(bow, Vec3(1, -2, 0)); }), HasSubstr("first point"));
}

}  // namespace
}  // namespace trammel::curve_sliding
