#include "blended_inertia.hpp"

#include <gtest/gtest.h>

#include "random_states.hpp"

namespace trammel::beam {
namespace {

using namespace testing;

SectionMass random_section(RandomStates& random, bool offset) {
  SectionMass section;
  section.density = 1.7;
  if (offset) section.first = 1.7 * random.vector(0.3);
  const Vec3 c = section.first / section.density;
  const Mat3 Q = random.rotation();
  section.inertia = Q * Vec3(0.9, 0.5, 0.6).asDiagonal() * Q.transpose() +
                    section.density * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  return section;
}

BlendedMass random_mass(RandomStates& random, bool curved, bool offset) {
  BlendedMass mass;
  const double length = 1.4;
  const Mat3 Q = random.rotation();
  const Mat3 P = random.rotation();
  const SectionMass section = random_section(random, offset);
  for (const double xi : {0.05, 0.3, 0.5, 0.8, 0.97}) {
    const std::array<Mat3, 2> R{curved ? Q : Mat3(Mat3::Identity()), curved ? P : Mat3(Mat3::Identity())};
    const std::array<Vec3, 2> c{curved ? random.vector(0.2) : Vec3(Vec3::Zero()),
                                curved ? random.vector(0.2) : Vec3(Vec3::Zero())};
    mass.add(xi, 0.2 * length, section, R, c);
  }
  mass.finish(length);
  return mass;
}

Vec12 residual(const BlendedMass& mass, const ElementState& s) {
  Vec12 r = Vec12::Zero();
  InertiaForces(mass, s.node[0], s.node[1]).add_residual(r);
  return r;
}

TEST(InertiaForces, have_tangents_that_agree_with_differences) {
  RandomStates random(11);
  for (const bool curved : {false, true}) {
    for (const bool offset : {false, true}) {
      for (int trial = 0; trial < 10; ++trial) {
        const BlendedMass mass = random_mass(random, curved, offset);
        EXPECT_EQ(mass.offset, curved || offset);
        const ElementState s = random.element(random.number(0, 3));
        const auto f = [&](const ElementState& x) { return residual(mass, x); };
        Mat12 K = Mat12::Zero(), D = Mat12::Zero(), M;
        InertiaForces(mass, s.node[0], s.node[1]).add_tangents(K, D, M);
        EXPECT_LT(relative_error(K, differences(f, s, Vary::configuration)), 1e-9);
        EXPECT_LT(relative_error(D, differences(f, s, Vary::velocity)), 1e-10);
        EXPECT_LT(relative_error(M, differences(f, s, Vary::acceleration)), 1e-10);
      }
    }
  }
}

/// The state after the time dt, to third order in dt.
ElementState advanced(const ElementState& s, double dt) {
  ElementState x = s;
  for (NodeMotion& n : x.node) {
    n.p_WS += dt * n.v_WS + 0.5 * dt * dt * n.a_WS;
    n.R_WS = n.R_WS * so3::exp(Vec3(dt * n.w_WS_S + 0.5 * dt * dt * n.wdot_WS_S));
    n.v_WS += dt * n.a_WS;
    n.w_WS_S += dt * n.wdot_WS_S;
  }
  return x;
}

TEST(InertiaForces, change_momentum_and_energy_by_their_resultant_and_power) {
  RandomStates random(12);
  const BlendedMass mass = random_mass(random, true, true);
  const ElementState s = random.element(1.2);
  const auto at = [&](double dt) {
    const ElementState x = advanced(s, dt);
    const InertiaForces forces(mass, x.node[0], x.node[1]);
    const auto [linear, angular] = forces.momentum();
    Eigen::Matrix<double, 7, 1> all;
    all << linear, angular, forces.energy();
    return all;
  };
  const double h = 1e-3;
  const Eigen::Matrix<double, 7, 1> rate = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  const Vec12 r = residual(mass, s);
  const auto& [n1, n2] = s.node;
  const Vec3 f1 = r.segment<3>(0);
  const Vec3 f2 = r.segment<3>(6);
  Eigen::Matrix<double, 7, 1> expected;
  expected << f1 + f2,
      n1.p_WS.cross(f1) + n1.R_WS * r.segment<3>(3) + n2.p_WS.cross(f2) + n2.R_WS * r.segment<3>(9),
      n1.v_WS.dot(f1) + n1.w_WS_S.dot(r.segment<3>(3)) + n2.v_WS.dot(f2) + n2.w_WS_S.dot(r.segment<3>(9));
  EXPECT_LT(relative_error(rate, expected), 1e-9);
}

TEST(InertiaForces, have_the_exact_momentum_of_a_rigid_motion_for_a_tapered_curved_twisted_element) {
  RandomStates random(13);
  ElementState s = random.element(0.9);
  const Pose X1{s.node[0].R_WS, s.node[0].p_WS};
  const Pose X2{s.node[1].R_WS, s.node[1].p_WS};
  const Vec6 h = se3::log(X1.inverse() * X2);
  const Vec3 v = random.vector();
  const Vec3 w = random.vector();
  for (NodeMotion& n : s.node) {
    n.v_WS = v + w.cross(n.p_WS);
    n.w_WS_S = n.R_WS.transpose() * w;
  }
  BlendedMass mass;
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
  for (const double xi : {0.1, 0.35, 0.6, 0.95}) {
    const SectionMass section = random_section(random, true);
    const double ds = 0.2 + 0.3 * xi;
    const Pose X = X1 * se3::exp(Vec6(xi * h));
    const Vec3 c = X.p - (X1.p + xi * (X2.p - X1.p));
    mass.add(xi, ds, section, {X1.R.transpose() * X.R, X2.R.transpose() * X.R},
             {X1.R.transpose() * c, X2.R.transpose() * c});
    const Vec3 first = X.R * section.first;
    const Vec3 share = ds * (section.density * (v + w.cross(X.p)) + w.cross(first));
    linear += share;
    angular +=
        X.p.cross(share) + ds * (first.cross(v + w.cross(X.p)) + X.R * section.inertia * X.R.transpose() * w);
  }
  mass.finish(1);
  const auto [p, l] = InertiaForces(mass, s.node[0], s.node[1]).momentum();
  EXPECT_LT((p - linear).norm(), 1e-13);
  EXPECT_LT((l - angular).norm(), 1e-13);
}

}  // namespace
}  // namespace trammel::beam
