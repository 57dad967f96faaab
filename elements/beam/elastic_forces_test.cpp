#include "elastic_forces.hpp"

#include <gtest/gtest.h>

#include "random_states.hpp"

namespace trammel::beam {
namespace {

using namespace testing;

ElasticLaw random_law(RandomStates& random, bool damped) {
  ElasticLaw law;
  law.length = 1.4;
  law.reference << 1 + 0.1 * random.number(), 0.1 * random.number(), 0.1 * random.number(),
      random.vector(0.5);
  law.stiffness = random.positive_definite(3);
  law.damped = damped;
  if (damped) law.damping = random.positive_definite(0.7);
  return law;
}

Vec12 residual(const ElasticLaw& law, const ElementState& s) {
  Vec12 r = Vec12::Zero();
  ElasticForces(law, s.node[0], s.node[1]).add_residual(r);
  return r;
}

TEST(Helicoid, agrees_with_the_logarithm_on_SE3) {
  RandomStates random(1);
  for (const double angle : {0.0, 1e-9, 1e-4, 0.3, 0.999, 1.001, 2.0, 3.1}) {
    const ElementState s = random.element(angle);
    const Helicoid g(s.node[0], s.node[1]);
    const Pose X1{s.node[0].R_WS, s.node[0].p_WS};
    const Pose X2{s.node[1].R_WS, s.node[1].p_WS};
    const Vec6 h = se3::log(X1.inverse() * X2);
    EXPECT_LT((g.h() - h).norm(), 1e-13 * (1 + h.norm())) << angle;
    EXPECT_LT((g.T2() - se3::T_inverse(h)).norm(), 1e-12) << angle;
    EXPECT_LT((g.T1() - se3::T_inverse(Vec6(-h))).norm(), 1e-12) << angle;
  }
}

TEST(Helicoid, has_coefficients_that_agree_where_the_series_ends) {
  const auto series = helicoid_coefficients(std::nextafter(1.0, 0.0));
  const auto closed = helicoid_coefficients(1.0);
  EXPECT_NEAR(series.c, closed.c, 1e-15);
  EXPECT_NEAR(series.c1, closed.c1, 1e-15);
  EXPECT_NEAR(series.c2, closed.c2, 4e-15);
}

TEST(ElasticForces, are_the_gradient_of_the_strain_energy) {
  RandomStates random(2);
  for (const double angle : {0.01, 0.5, 1.5, 2.9}) {
    const ElasticLaw law = random_law(random, false);
    const ElementState s = random.element(angle);
    const auto energy = [&](const ElementState& x) {
      const Helicoid g(x.node[0], x.node[1]);
      const Vec6 e = law.strain(g);
      return Eigen::VectorXd::Constant(1, 0.5 * law.length * e.dot(law.stiffness * e));
    };
    const Eigen::MatrixXd gradient = differences(energy, s, Vary::configuration);
    EXPECT_LT(relative_error(residual(law, s).transpose(), gradient), 1e-9) << angle;
  }
}

TEST(ElasticForces, have_tangents_that_agree_with_differences) {
  RandomStates random(3);
  for (const bool damped : {false, true}) {
    for (const double angle : {0.0, 1e-6, 0.01, 0.5, 1.5, 2.9}) {
      for (int trial = 0; trial < 10; ++trial) {
        const ElasticLaw law = random_law(random, damped);
        const ElementState s = random.element(angle);
        const auto f = [&](const ElementState& x) { return residual(law, x); };
        const ElasticForces forces(law, s.node[0], s.node[1]);
        Mat12 K, D;
        forces.set_K(K);
        forces.set_D(D);
        const Eigen::MatrixXd K_reference = differences(f, s, Vary::configuration);
        EXPECT_LT(relative_error(K, K_reference), angle < 2 ? 1e-9 : 1e-7) << angle << " damped " << damped;
        if (damped) {
          EXPECT_LT(relative_error(D, differences(f, s, Vary::velocity)), 1e-10) << angle;
        } else {
          EXPECT_EQ(D.norm(), 0);
        }
      }
    }
  }
}

TEST(ElasticForces, have_a_tangent_with_the_asymmetry_of_the_group) {
  RandomStates random(4);
  const ElasticLaw law = random_law(random, false);
  const ElementState s = random.element(0.8);
  const Vec12 r = residual(law, s);
  Mat12 K;
  ElasticForces(law, s.node[0], s.node[1]).set_K(K);
  Mat12 expected = Mat12::Zero();
  expected.block<3, 3>(3, 3) = skew(Vec3(r.segment<3>(3)));
  expected.block<3, 3>(9, 9) = skew(Vec3(r.segment<3>(9)));
  EXPECT_LT((K - K.transpose() - expected).norm(), 1e-12 * K.norm());
}

TEST(ElasticForces, balance_and_follow_a_rigid_motion) {
  RandomStates random(5);
  const ElasticLaw law = random_law(random, true);
  const ElementState s = random.element(0.8);
  const Vec12 r = residual(law, s);
  const Vec3 force = r.segment<3>(0) + r.segment<3>(6);
  const auto& [n1, n2] = s.node;
  const Vec3 moment = n1.p_WS.cross(Vec3(r.segment<3>(0))) + n1.R_WS * r.segment<3>(3) +
                      n2.p_WS.cross(Vec3(r.segment<3>(6))) + n2.R_WS * r.segment<3>(9);
  EXPECT_LT(force.norm(), 1e-12);
  EXPECT_LT(moment.norm(), 1e-11);

  // A rigid spin strains nothing: the rates of strain vanish.
  ElementState spun = s;
  const Vec3 w = random.vector();
  for (NodeMotion& n : spun.node) {
    n.v_WS = w.cross(n.p_WS);
    n.w_WS_S = n.R_WS.transpose() * w;
  }
  const Helicoid g(n1, n2);
  EXPECT_LT(law.strain_rate(g, spun.node[0], spun.node[1]).norm(), 1e-13);
}

}  // namespace
}  // namespace trammel::beam
