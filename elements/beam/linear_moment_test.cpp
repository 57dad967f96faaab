#include <gtest/gtest.h>

#include "static_chain.hpp"

namespace trammel::beam {
namespace {

using namespace testing;

/// Deflection of the tip of a straight cantilever under a force there, by the force.
double tip_compliance(int elements, bool linear_moment) {
  const double length = 2, force = 1e-4;
  Section section;
  section.stiffness = (Vec6() << 1e5, 4e4, 3e4, 70, 50, 90).finished().asDiagonal();
  const auto axis = straight_axis(Vec3::Zero(), Vec3(length, 0, 0), nullptr, 0);
  StaticChain chain(discretize(*axis, SectionAlongSpan(section), {}, equal_parts(elements), linear_moment));
  chain.solve({Vec3(0, force, 0), Vec3::Zero()}, 1);
  return chain.nodes.back().p_WS.y() / force;
}

TEST(LinearMoment, is_the_same_if_it_is_chosen_later) {
  Section section;
  section.stiffness = (Vec6() << 1e5, 4e4, 3e4, 70, 50, 90).finished().asDiagonal();
  const auto axis = straight_axis(Vec3::Zero(), Vec3(2, 0, 0), nullptr, 0);
  Damping damping;
  damping.times << 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3;
  const auto cut = [&](bool linear_moment) {
    return discretize(*axis, SectionAlongSpan(section), damping, equal_parts(3), linear_moment);
  };
  const Discretization later = cut(false), at_once = cut(true);
  for (int twice = 0; twice < 2; ++twice) {
    later.elements[0]->let_moment_vary();
    EXPECT_EQ(later.elements[0]->elastic.stiffness, at_once.elements[0]->elastic.stiffness);
    EXPECT_EQ(later.elements[0]->elastic.damping, at_once.elements[0]->elastic.damping);
  }
  EXPECT_NE(cut(false).elements[0]->elastic.stiffness, at_once.elements[0]->elastic.stiffness);
}

TEST(LinearMoment, is_exact_under_a_force_at_the_tip) {
  const double bending = 8.0 / (3 * 90), shear = 2.0 / 4e4;
  for (const int n : {1, 2, 7}) {
    EXPECT_NEAR(tip_compliance(n, true), bending + shear, 1e-9) << n;
    // One curvature an element leaves out V^2 L^3 / 24 EI.
    const double omitted = 8.0 / (12 * 90 * n * n);
    EXPECT_NEAR(tip_compliance(n, false), bending + shear - omitted, 1e-9) << n;
  }
}

}  // namespace
}  // namespace trammel::beam
