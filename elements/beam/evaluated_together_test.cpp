// Several elements at once give what each gives alone.

#include <gtest/gtest.h>

#include "beam_element.hpp"
#include "tangent_check.hpp"
#include "trammel/error.hpp"
#include "trammel/index.hpp"

namespace trammel::beam {
namespace {

using trammel::testing::Draw;
using trammel::testing::ProbeState;

constexpr int together = BeamElement::together;

/// The constants of an element, of a bent beam whose section's mass has its centre beside the axis or on it.
std::shared_ptr<const ElementConstants> constants(bool damped, bool massive, bool offset) {
  Section section;
  section.stiffness = diagonal_stiffness(30, {20, 15}, 3, {4, 5});
  section.stiffness(0, 4) = section.stiffness(4, 0) = 2;
  section.mass.density = massive ? 2 : 0;
  if (offset) section.mass.first = Vec3(0, 0.2, -0.1);
  if (massive) section.mass.inertia = Vec3(0.5, 0.3, 0.3).asDiagonal();
  Damping damping;
  if (damped) damping.times << 0.1, 0.2, 0.3, 0.1, 0.2, 0.15;
  const auto axis = offset ? arc_axis({0, 0, 0}, {1, 0, 0}, {0, 0, -1}, 0.7, nullptr)
                           : straight_axis({0, 0, 0}, {0.7, 0, 0}, nullptr, 0);
  return discretize(*axis, SectionAlongSpan(section), damping, {0, 1}).elements[0];
}

/// `count` elements, each with nodes of its own, turned by `angle` [rad] along their length.
struct Elements {
  RangeOf<BeamElement> range;
  std::vector<BeamElement> alone;
  ProbeState state;
  std::vector<const BlockOffset*> offsets;

  Elements(int count, const std::function<std::shared_ptr<const ElementConstants>(int)>& constants_of,
           const std::function<double(int)>& angle, unsigned seed = 3) {
    Draw draw(seed);
    for (int i = 0; i < count; ++i) {
      alone.emplace_back(constants_of(i), BeamElement::Place{});
      range.add(alone.back(), {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, 12, 0);
      const Mat3 R = draw.rotation();
      const Vec3 p = draw.vector(2);
      state.position(p, draw.vector(), draw.vector()).rotation(R, draw.vector(), draw.vector());
      state.position(p + R * Vec3(0.7, 0, 0) + draw.vector(0.1), draw.vector(), draw.vector());
      state.rotation(R * so3::exp(Vec3(angle(i) * draw.vector().normalized())), draw.vector(), draw.vector());
    }
    for (int i = 0; i < count; ++i) offsets.push_back(&state.local().offset(4 * i));
  }
  LocalState local(int i) const { return {state.state(), offsets[at(i)]}; }
  Eigen::VectorXd residual_alone(int i) const {
    LocalSystem out(Request{});
    out.begin(12);
    alone[at(i)].evaluate(local(i), out);
    return out.residual();
  }
  bool are_evaluated_together() const {
    std::vector<const BeamElement*> elements;
    std::vector<LocalState> x;
    std::vector<LocalSystem> systems(together, LocalSystem(Request{}));
    std::vector<LocalSystem*> out;
    for (int i = 0; i < together; ++i) {
      elements.push_back(&alone[at(i)]);
      x.push_back(local(i));
      systems[at(i)].begin(12);
      out.push_back(&systems[at(i)]);
    }
    return BeamElement::evaluate_residuals(elements, x, out);
  }
};

/// Residuals in the order in which they come.
class Kept final : public ContributionSink {
 public:
  std::vector<std::pair<int, Eigen::VectorXd>> residuals;
  void add(int i, LocalSystem& contribution) override { residuals.emplace_back(i, contribution.residual()); }
};

class Together : public ::testing::TestWithParam<std::tuple<bool, bool, bool>> {};

TEST_P(Together, elements_have_the_residuals_that_they_have_alone) {
  const auto [damped, massive, offset] = GetParam();
  const auto shared = constants(damped, massive, offset);
  for (const double angle : {0.0, 1e-12, 1e-4, 0.01, 0.19}) {
    // Two groups, and three elements that are left.
    const Elements elements(
        2 * together + 3, [&](int) { return shared; }, [&](int) { return angle; });
    ASSERT_TRUE(elements.are_evaluated_together()) << angle;
    Kept kept;
    elements.range.evaluate(0, elements.range.size(), elements.state.state(), elements.offsets, Request{},
                            kept);
    ASSERT_EQ(kept.residuals.size(), at(elements.range.size()));
    for (int i = 0; i < elements.range.size(); ++i) {
      const auto& [number, r] = kept.residuals[at(i)];
      EXPECT_EQ(number, i);
      const Eigen::VectorXd exact = elements.residual_alone(i);
      EXPECT_LT((r - exact).lpNorm<Eigen::Infinity>(), 1e-13 * (1 + exact.lpNorm<Eigen::Infinity>()))
          << angle;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beam, Together,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(), ::testing::Bool()));

TEST(BeamElement, is_evaluated_alone_where_it_turns_far_or_differs) {
  const auto one = constants(true, true, true), other = constants(true, true, true);
  for (int odd = 0; odd < together; ++odd) {
    const Elements turned(
        together, [&](int) { return one; }, [&](int i) { return i == odd ? 0.3 : 0.01; });
    EXPECT_FALSE(turned.are_evaluated_together());
    const Elements differs(
        together, [&](int i) { return i == odd ? other : one; }, [](int) { return 0.01; });
    EXPECT_FALSE(differs.are_evaluated_together());
    for (const Elements* const elements : {&turned, &differs}) {
      Kept kept;
      elements->range.evaluate(0, together, elements->state.state(), elements->offsets, Request{}, kept);
      ASSERT_EQ(kept.residuals.size(), at(together));
      for (int i = 0; i < together; ++i) EXPECT_EQ(kept.residuals[at(i)].second, elements->residual_alone(i));
    }
  }
}

TEST(BeamElement, is_named_where_it_rejects_a_step_in_a_group) {
  const auto shared = constants(false, true, false);
  const Elements elements(
      2 * together, [&](int) { return shared; }, [](int i) { return i == together + 1 ? 3.1 : 0.01; });
  Kept kept;
  EXPECT_THROW(
      elements.range.evaluate(0, 2 * together, elements.state.state(), elements.offsets, Request{}, kept),
      RejectStep);
  EXPECT_EQ(kept.residuals.size(), at(together + 1));
}

TEST(BeamElement, has_its_tangents_alone) {
  const auto shared = constants(true, true, false);
  const Elements elements(
      together, [&](int) { return shared; }, [](int) { return 0.01; });
  class Tangents final : public ContributionSink {
   public:
    int seen = 0;
    void add(int, LocalSystem& contribution) override {
      EXPECT_TRUE(contribution.has_K());
      EXPECT_TRUE(contribution.has_M());
      ++seen;
    }
  } tangents;
  elements.range.evaluate(0, together, elements.state.state(), elements.offsets, Request{.tangent = true},
                          tangents);
  EXPECT_EQ(tangents.seen, together);
}

}  // namespace
}  // namespace trammel::beam
