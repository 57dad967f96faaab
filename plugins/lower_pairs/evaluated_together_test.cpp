// Several lower pairs at once give what each gives alone.

#include <gtest/gtest.h>

#include "joints.hpp"
#include "spherical.hpp"
#include "tangent_check.hpp"
#include "trammel/index.hpp"

namespace trammel::lower_pairs {
namespace {

using trammel::testing::Draw;
using trammel::testing::ProbeState;

constexpr int together = Lanes::count;

enum class Axes { of_frames, turned };

/// As many joints as are evaluated together, each between two frames of its own.
template <class J>
struct Joints {
  static constexpr int groups = static_cast<int>(J::multiplier_groups.size()) +
                                (J::coordinate_count > 0 ? static_cast<int>(J::coordinate_groups.size()) : 0);
  static constexpr int blocks = 4 + groups, dofs = 12 + J::coordinate_count + J::equation_count;

  std::vector<J> alone;
  ProbeState state;
  std::vector<const BlockOffset*> offsets;

  explicit Joints(Axes axes, unsigned seed = 5) {
    Draw draw(seed);
    for (int i = 0; i < together; ++i) {
      const BlockId first = i * blocks;
      const auto marker = [&](BlockId position) {
        // One joint of a group with turned axes keeps those of its frames.
        const bool turned = axes == Axes::turned && i != 1;
        return Marker::on_frame({position, position + 1}, turned ? draw.rotation() : Mat3::Identity(),
                                i == 2 ? Vec3::Zero() : draw.vector());
      };
      JointSite site;
      site.A = marker(first);
      site.B = marker(first + 2);
      alone.emplace_back();
      alone.back().set_site(site);
      state.random_frame(draw).random_frame(draw);
      const auto add = [&](BlockKind kind, int count) {
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(count);
        const auto numbers = [&] {
          return Eigen::VectorXd::NullaryExpr(count, [&] { return draw.number(-3, 3); });
        };
        state.numbers(kind, numbers(), kind == BlockKind::coordinate ? Eigen::VectorXd(numbers()) : none,
                      none);
      };
      if constexpr (J::coordinate_count > 0)
        for (const CoordinateGroup& group : J::coordinate_groups) add(BlockKind::coordinate, group.count);
      for (const MultiplierGroup& group : J::multiplier_groups) add(BlockKind::multiplier, group.rows);
    }
    for (int i = 0; i < together; ++i) offsets.push_back(&state.local().offset(blocks * i));
  }

  LocalState local(int i) const { return {state.state(), offsets[at(i)]}; }
  /// False where they are not evaluated together.
  bool evaluate(std::vector<LocalSystem>& systems) const {
    std::vector<const J*> joints;
    std::vector<LocalState> x;
    std::vector<LocalSystem*> out;
    for (int i = 0; i < together; ++i) {
      joints.push_back(&alone[at(i)]);
      x.push_back(local(i));
      systems[at(i)].begin(dofs);
      out.push_back(&systems[at(i)]);
    }
    return J::evaluate_residuals(joints, x, out);
  }
};

std::vector<LocalSystem> systems_of(const Request& request) {
  return std::vector<LocalSystem>(together, LocalSystem(request));
}

double distance(const VectorMap& a, const VectorMap& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / (1 + b.lpNorm<Eigen::Infinity>());
}

template <class J>
class LowerPairsTogether : public ::testing::Test {};
using Pairs = ::testing::Types<Spherical, Revolute<true>, Revolute<false>, Cylindrical<true>,
                               Cylindrical<false>, Planar<true>, Planar<false>>;
TYPED_TEST_SUITE(LowerPairsTogether, Pairs);

TYPED_TEST(LowerPairsTogether, have_the_residuals_and_rates_that_they_have_alone) {
  static_assert(EvaluatesTogether<TypeParam>);
  constexpr double rounding = 1e-14;
  for (const Axes axes : {Axes::of_frames, Axes::turned})
    for (unsigned seed = 1; seed <= 20; ++seed)
      for (const bool rates : {false, true}) {
        const Joints<TypeParam> joints(axes, seed);
        const Request request{.rates = rates};
        std::vector<LocalSystem> systems = systems_of(request);
        ASSERT_TRUE(joints.evaluate(systems));
        for (int i = 0; i < together; ++i) {
          LocalSystem exact(request);
          exact.begin(Joints<TypeParam>::dofs);
          joints.alone[at(i)].evaluate(joints.local(i), exact);
          EXPECT_GT(exact.residual().norm(), 0.1);
          EXPECT_LT(distance(systems[at(i)].residual(), exact.residual()), rounding) << seed;
          ASSERT_EQ(systems[at(i)].has_rate(), rates);
          if (!rates) continue;
          EXPECT_GT(exact.rate().norm(), 0.1);
          EXPECT_LT(distance(systems[at(i)].rate(), exact.rate()), rounding) << seed;
        }
      }
}

TYPED_TEST(LowerPairsTogether, are_evaluated_alone_on_the_ground_and_where_the_bias_is_wanted) {
  Joints<TypeParam> joints(Axes::turned);
  std::vector<LocalSystem> with_bias = systems_of({.rates = true, .bias = true}), plain = systems_of({});
  EXPECT_FALSE(joints.evaluate(with_bias));
  ASSERT_TRUE(joints.evaluate(plain));
  JointSite site = joints.alone[2].site();
  site.A = Marker::ground();
  joints.alone[2].set_site(site);
  EXPECT_FALSE(joints.evaluate(plain));
}

TEST(LowerPairsTogether, are_evaluated_alone_where_blocks_are_identified) {
  Joints<Revolute<false>> joints(Axes::turned);
  std::vector<LocalSystem> systems = systems_of({});
  const int of_forces = 4;
  ASSERT_TRUE(joints.alone[1].identified(of_forces, true));
  EXPECT_FALSE(joints.evaluate(systems));
}

}  // namespace
}  // namespace trammel::lower_pairs
