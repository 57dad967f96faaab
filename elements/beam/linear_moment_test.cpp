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

TEST(LinearMoment, IsExactUnderAForceAtTheTip) {
  const double bending = 8.0 / (3 * 90), shear = 2.0 / 4e4;
  for (const int n : {1, 2, 7}) {
    EXPECT_NEAR(tip_compliance(n, true), bending + shear, 1e-9) << n;
    // One curvature an element leaves out V^2 L^3 / 24 EI.
    const double left_out = 8.0 / (12 * 90 * n * n);
    EXPECT_NEAR(tip_compliance(n, false), bending + shear - left_out, 1e-9) << n;
  }
}

}  // namespace
}  // namespace trammel::beam
