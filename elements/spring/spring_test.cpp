#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bushing.hpp"
#include "plain_case.hpp"
#include "spring_damper.hpp"
#include "tangent_check.hpp"
#include "trammel/moving_marker.hpp"
#include "trammel/plugin.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::spring {
namespace {

using ::testing::HasSubstr;
using trammel::testing::Draw;
using trammel::testing::expect_tangent;
using trammel::testing::PlainCase;
using trammel::testing::ProbeState;
using trammel::testing::residual_of;
using trammel::testing::time_derivative;

/// 3 length^2 rate + sin(elongation)
class CubicForce final : public Function {
 public:
  CubicForce()
      : Function("3*self.length^2*self.rate + sin(self.elongation)",
                 {"self.elongation", "self.length", "self.rate"}) {}

 private:
  Jet do_at(double) const override { return {0}; }
  void do_evaluate(double, std::span<const double> s, FunctionValue& out) const override {
    out.reset(3);
    out.value = 3 * s[1] * s[1] * s[2] + std::sin(s[0]);
    out.gradient << std::cos(s[0]), 6 * s[1] * s[2], 3 * s[1] * s[1];
  }
};

class Sway final : public Function {
 public:
  Sway() : Function("0.3*sin(2*t)", {}) {}

 private:
  Jet do_at(double t) const override {
    return {0.3 * std::sin(2 * t), 0.6 * std::cos(2 * t), -1.2 * std::sin(2 * t)};
  }
};

/// The marker, swaying and turning by functions of time.
Marker swaying(const Marker& base) {
  const FunctionPtr f = std::make_shared<Sway>();
  RotationLaw law;
  law.vector = {f, nullptr, f};
  return moving_marker(base, {f, f, nullptr}, law);
}

Law some_law(bool with_function) {
  Law law;
  law.stiffness = 30;
  law.damping = 2;
  law.rest_length = 0.8;
  law.preload = 5;
  if (with_function) law.function = std::make_shared<CubicForce>();
  return law;
}

struct Pair {
  Marker a, b;
  ProbeState x;
};

/// Two frames, a frame and the ground, a frame and a point.
std::vector<Pair> pairs(Draw& draw) {
  const auto marker = [&](int first) {
    return Marker::on_frame({first, first + 1}, draw.rotation(), draw.vector());
  };
  std::vector<Pair> all;
  all.push_back({marker(0), marker(2), ProbeState().random_frame(draw).random_frame(draw)});
  all.push_back({Marker::ground(draw.rotation(), draw.vector()), marker(0), ProbeState().random_frame(draw)});
  all.push_back({marker(0), Marker::on_point(2), ProbeState().random_frame(draw).random_position(draw)});
  return all;
}

/// And each with a first end that moves in time.
std::vector<Pair> with_moving_ends(std::vector<Pair> all) {
  for (const Pair& p : std::vector<Pair>(all)) all.push_back({swaying(p.a), p.b, p.x});
  return all;
}

Eigen::VectorXd velocity(ProbeState& x) { return ConstVectorMap(x.state().rate.data(), x.dofs()); }

TEST(Spring, has_tangents_that_match_differences) {
  Draw draw(1);
  for (int run = 0; run < 10; ++run)
    for (const bool with_function : {false, true})
      for (const Pair& p : pairs(draw))
        expect_tangent(SpringDamper(p.a, p.b, some_law(with_function), 0), p.x, 2e-8);
}

TEST(Spring, has_a_balanced_power) {
  Draw draw(2);
  for (const bool with_function : {false, true})
    for (Pair& p : with_moving_ends(pairs(draw))) {
      const SpringDamper spring(p.a, p.b, some_law(with_function), 0);
      const double stored =
          time_derivative([&](const trammel::TestState& s) { return spring.energy(s.local()).strain; }, p.x);
      const double lost = spring.energy(p.x.local()).dissipated_power;
      EXPECT_NEAR(residual_of(spring, p.x).dot(velocity(p.x)), stored + lost, 1e-5 * (1 + std::abs(lost)));
    }
}

TEST(Spring, of_zero_rest_length_passes_through_zero) {
  Law law;
  law.stiffness = 7;
  const SpringDamper spring(Marker::ground(), Marker::on_point(0), law, 0);
  ProbeState x;
  x.position(Vec3::Zero());
  expect_tangent(spring, x);
  ProbeState y;
  y.position(Vec3(1, 2, 3));
  EXPECT_LT((residual_of(spring, y) - Vec3(7, 14, 21)).norm(), 1e-13);
}

Bushing some_bushing(Draw& draw, const Pair& p) {
  const auto positive = [&] {
    Mat6 A;
    for (int i = 0; i < 36; ++i) A(i) = draw.number();
    return Mat6(A * A.transpose());
  };
  const Mat6 K = positive(), C = positive();
  Vec6 rest;
  rest << draw.vector(), draw.vector(0.3);
  return {p.a, p.b, K, C, rest};
}

TEST(Bushing, has_tangents_that_match_differences) {
  Draw draw(3);
  for (int run = 0; run < 10; ++run) {
    std::vector<Pair> all = pairs(draw);
    all.pop_back();
    for (const Pair& p : all) {
      // Differences across the half turn, where the rotation vector jumps, mean nothing.
      RelativeMotion motion;
      motion.evaluate(p.x.local(), p.a, p.b, 0, MotionLevel::pose);
      if (so3::log(motion.R_AB).norm() > 2.8) continue;
      expect_tangent(some_bushing(draw, p), p.x, 1e-6);
    }
  }
}

TEST(Bushing, has_a_balanced_power) {
  Draw draw(4);
  for (int run = 0; run < 20; ++run) {
    Pair p = pairs(draw)[0];
    if (run >= 10) p.a = swaying(p.a);
    const Bushing bushing = some_bushing(draw, p);
    const double stored =
        time_derivative([&](const trammel::TestState& s) { return bushing.energy(s.local()).strain; }, p.x);
    const double lost = bushing.energy(p.x.local()).dissipated_power;
    EXPECT_NEAR(residual_of(bushing, p.x).dot(velocity(p.x)), stored + lost, 1e-4 * (1 + std::abs(lost)));
  }
}

class SpringTypes : public ::testing::Test {
 protected:
  SpringTypes() {
    trammel_register(plain.registry);
    Entity entity;
    entity.name = "body";
    plain.builder.begin(entity, Type());
    const Frame frame = plain.builder.add_frame("", Mat3::Identity(), Vec3(3, 4, 0));
    plain.builder.offer_marker("", Marker::on_frame(frame));
    plain.context.functions["law"] = std::make_shared<CubicForce>();
  }
  std::string spring(const std::string& text) {
    return plain.message(Type::Category::element, "spring", text);
  }
  std::string bushing(const std::string& text) {
    return plain.message(Type::Category::element, "bushing", text);
  }
  PlainCase plain;
};

TEST_F(SpringTypes, build_from_text) {
  EXPECT_EQ(spring("{between: [ground, body], stiffness: 10, damping: 1}"), "");
  EXPECT_EQ(spring("{between: [ground, body], force: law}"), "");
  EXPECT_EQ(bushing("{between: [ground, body], stiffness: [1, 1, 1, 2, 2, 2]}"), "");
}

TEST_F(SpringTypes, refuse_impossible_input) {
  EXPECT_THAT(spring("{between: [ground, ground], stiffness: 1}"), HasSubstr("both ends"));
  EXPECT_THAT(spring("{between: [ground, body]}"), HasSubstr("does nothing"));
  EXPECT_THAT(spring("{between: [body, body], stiffness: 1, preload: 1}"), HasSubstr("meet at the start"));
  EXPECT_THAT(spring("{between: [ground, body], stiffness: -1}"), HasSubstr("must be not negative"));
  EXPECT_THAT(bushing("{between: [ground, body], stiffness: [1, 1, 1, 2, 2]}"), HasSubstr("six numbers"));
  EXPECT_THAT(bushing("{between: [ground, body], stiffness: [1, 1, 1, 2, 2, -2]}"), HasSubstr("negative"));
}

}  // namespace
}  // namespace trammel::spring
