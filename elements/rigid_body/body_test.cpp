#include "body.hpp"

#include <gtest/gtest.h>

#include "tangent_check.hpp"

namespace trammel::rigid_body {
namespace {

using trammel::testing::Draw;
using trammel::testing::expect_tangent;
using trammel::testing::ProbeState;
using trammel::testing::residual_of;
using trammel::testing::time_derivative;

Inertia random_inertia(Draw& draw) {
  Inertia inertia;
  inertia.mass = draw.number(0.5, 3);
  inertia.centre = draw.vector();
  inertia.J_centre = draw.inertia();
  return inertia;
}

const std::shared_ptr<const Solids> no_solids = std::make_shared<const Solids>();

TEST(RigidBody, has_tangents_that_match_differences) {
  Draw draw(1);
  for (int i = 0; i < 50; ++i) {
    Inertia inertia = random_inertia(draw);
    ProbeState x;
    x.random_frame(draw);
    expect_tangent(OffsetBody(inertia, no_solids), x);
    inertia.centre.setZero();
    expect_tangent(CentredBody(inertia, no_solids), x);
  }
}

/// Bodies of one class give together what each gives alone.
template <class Body>
void expect_same_together(bool centred) {
  Draw draw(5);
  for (int run = 0; run < 20; ++run) {
    std::vector<Body> bodies;
    std::vector<const Body*> pointers;
    ProbeState state;
    std::vector<LocalState> x;
    std::vector<LocalSystem> systems(Body::together, LocalSystem(Request{}));
    std::vector<LocalSystem*> out;
    for (int i = 0; i < Body::together; ++i) {
      Inertia inertia = random_inertia(draw);
      if (centred) inertia.centre.setZero();
      bodies.emplace_back(inertia, no_solids);
      state.random_frame(draw);
    }
    for (int i = 0; i < Body::together; ++i) {
      pointers.push_back(&bodies[static_cast<std::size_t>(i)]);
      x.emplace_back(state.state(), &state.local().offset(2 * i));
      systems[static_cast<std::size_t>(i)].begin(6);
      out.push_back(&systems[static_cast<std::size_t>(i)]);
    }
    ASSERT_TRUE(Body::evaluate_residuals(pointers, x, out));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      LocalSystem alone(Request{});
      alone.begin(6);
      bodies[i].evaluate(x[i], alone);
      EXPECT_LT((systems[i].residual() - alone.residual()).norm(), 1e-14 * (1 + alone.residual().norm()));
    }
  }
}

TEST(RigidBody, is_the_same_alone_and_beside_others) {
  expect_same_together<CentredBody>(true);
  expect_same_together<OffsetBody>(false);
}

TEST(RigidBody, with_zero_offset_is_the_centred_one) {
  Draw draw(2);
  Inertia inertia = random_inertia(draw);
  inertia.centre.setZero();
  ProbeState x;
  x.random_frame(draw);
  const Eigen::VectorXd difference =
      residual_of(OffsetBody(inertia, no_solids), x) - residual_of(CentredBody(inertia, no_solids), x);
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-14);
}

// A cloud of particles that move with the body has the same virtual power of inertia, whatever the frame.
TEST(RigidBody, moves_as_a_cloud_of_particles) {
  Draw draw(3);
  for (int run = 0; run < 20; ++run) {
    constexpr int count = 6;
    std::array<Vec3, count> at;
    std::array<double, count> mass{};
    Inertia inertia;
    for (std::size_t i = 0; i < count; ++i) {
      at[i] = draw.vector();
      mass[i] = draw.number(0.1, 1);
      inertia.mass += mass[i];
      inertia.centre += mass[i] * at[i];
    }
    inertia.centre /= inertia.mass;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 r = at[i] - inertia.centre;
      inertia.J_centre -= mass[i] * skew(r) * skew(r);
    }
    ProbeState x;
    x.random_frame(draw);
    const LocalState s = x.local();
    const Mat3 R = s.rotation(1);
    const Vec3 v = s.velocity(0), w = s.velocity(1), a = s.acceleration(0), alpha = s.acceleration(1);
    Vec6 expected = Vec6::Zero();
    double kinetic = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 force = mass[i] * (a + R * (alpha.cross(at[i]) + w.cross(w.cross(at[i]))));
      expected.head<3>() += force;
      expected.tail<3>() += at[i].cross(R.transpose() * force);
      kinetic += 0.5 * mass[i] * (v + R * w.cross(at[i])).squaredNorm();
    }
    const OffsetBody body(inertia, no_solids);
    EXPECT_LT((residual_of(body, x) - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(body.energy(s).kinetic, kinetic, 1e-12);
  }
}

TEST(RigidBody, has_a_power_of_inertia_that_is_the_rate_of_its_kinetic_energy) {
  Draw draw(4);
  for (int run = 0; run < 20; ++run) {
    const OffsetBody body(random_inertia(draw), no_solids);
    ProbeState x;
    x.random_frame(draw);
    const Eigen::VectorXd v = ConstVectorMap(x.state().rate.data(), 6);
    const double rate =
        time_derivative([&](const trammel::TestState& s) { return body.energy(s.local()).kinetic; }, x);
    EXPECT_NEAR(residual_of(body, x).dot(v), rate, 1e-5 * (1 + std::abs(rate)));
  }
}

}  // namespace
}  // namespace trammel::rigid_body
