#include <gtest/gtest.h>

#include "particle.hpp"
#include "tangent_check.hpp"

namespace trammel::point_mass {
namespace {

TEST(PointMass, has_a_tangent_that_matches_differences) {
  testing::Draw draw(1);
  const Particle particle(2.5, 0.1);
  testing::ProbeState x;
  x.random_position(draw);
  testing::expect_tangent(particle, x);
  const Vec3 r = testing::residual_of(particle, x);
  EXPECT_EQ(r, Vec3(2.5 * x.local().acceleration(0)));
}

}  // namespace
}  // namespace trammel::point_mass
