#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include "clearance_joints.hpp"
#include "common_normal.hpp"
#include "contact_case.hpp"
#include "patch_tree.hpp"
#include "trammel/lie.hpp"

// The stages A1 (positions) and A2 (parameters) of the paper's figure 4, three ways: alternating, the nested solve, and formulation 1
// with all unknowns at once. Each closes the same contact along a motion whose other coordinates are given.

namespace trammel::surface_contact {
namespace {

using testing::Ball;
using testing::Paraboloid;

/// A motion of body B, but for its displacement z along `lift` in A, which closes the contact.
struct Motion {
  std::string name;
  const Surface& one;
  const Surface& two;
  Vec3 lift;
  std::function<RelativePlacement(double)> at;  ///< with z = 0
  SurfaceParameters near_1, near_2;

  SurfacePair pair(double t, double z) const {
    const RelativePlacement here = at(t);
    return {one, two, here.R_AB, here.p_AB_A + z * lift};
  }
};

/// z and the parameters, and what they cost.
struct Solution {
  double z = 0;
  Eigen::Vector4d c = Eigen::Vector4d::Zero();
  int iterations = 0;   ///< A1 steps
  int evaluations = 0;  ///< of both surfaces
};

constexpr double closed = 1e-13;
constexpr int most = 60;

Vec3 normal(const Motion& m, const NormalSystem& s) { return (m.one.reversed() ? -1 : 1) * s.N.normalized(); }

/// A1 with the parameters held, then one Newton step of A2, by one evaluation of the surfaces.
[[gnu::noinline]] void alternate(const Motion& m, double t, Solution& x) {
  NormalSystem s;
  for (;; ++x.iterations) {
    ASSERT_LT(x.iterations, most) << m.name;
    s.set(m.pair(t, x.z), x.c);
    ++x.evaluations;
    const Vec3 n = normal(m, s);
    const double step = -n.dot(s.d) / n.dot(m.lift);
    x.z += step;
    // The surfaces do not change with the pose: A2 takes their values again.
    s.d += step * m.lift;
    for (Eigen::Index i = 0; i < 2; ++i) {
      const Vec3 tangent = s.p.d[static_cast<std::size_t>(1 + i)];
      s.F[i] += step * m.lift.dot(tangent);
      for (Eigen::Index k = 0; k < 2; ++k)
        s.by_parameters(i, k) += step * m.lift.dot(s.p.d[static_cast<std::size_t>(3 + i + k)]);
    }
    const Eigen::Vector4d change = s.by_parameters.partialPivLu().solve(-s.F);
    x.c += change;
    if (std::abs(step) < closed && change.norm() < 1e-7) return;
  }
}

/// A1 on the gap as a function of the position alone: A2 to its end in each.
[[gnu::noinline]] void nest(const Motion& m, double t, Solution& x) {
  for (;; ++x.iterations) {
    ASSERT_LT(x.iterations, most) << m.name;
    NormalSystem s;
    for (int i = 0;; ++i) {
      ASSERT_LT(i, most) << m.name;
      s.set(m.pair(t, x.z), x.c);
      ++x.evaluations;
      const Eigen::Vector4d change = s.by_parameters.partialPivLu().solve(-s.F);
      x.c += change;
      if (change.norm() > 1e-7) continue;
      s.move(change);
      break;
    }
    const Vec3 n = normal(m, s);
    const double step = -n.dot(s.d) / n.dot(m.lift);
    x.z += step;
    if (std::abs(step) < closed) return;
  }
}

/// z and the parameters at once: points coincide, and the normal of the first is across both tangents of the second.
[[gnu::noinline]] void couple(const Motion& m, double t, Solution& x) {
  for (;; ++x.iterations) {
    ASSERT_LT(x.iterations, most) << m.name;
    NormalSystem s;
    s.set(m.pair(t, x.z), x.c);
    ++x.evaluations;
    Eigen::Matrix<double, 5, 1> F;
    F << s.d, s.F[2], s.F[3];
    Eigen::Matrix<double, 5, 5> J = Eigen::Matrix<double, 5, 5>::Zero();
    J.topLeftCorner<3, 1>() = m.lift;
    J.block<3, 2>(0, 1) << -s.p.d[1], -s.p.d[2];
    J.block<3, 2>(0, 3) << s.moved[1], s.moved[2];
    J.bottomRightCorner<2, 4>() = s.by_parameters.bottomRows<2>();
    const Eigen::Matrix<double, 5, 1> step = J.partialPivLu().solve(-F);
    x.z += step[0];
    x.c += step.tail<4>();
    if (std::abs(step[0]) < closed && step.tail<4>().norm() < 1e-7) return;
  }
}

TEST(ContactStages, end_at_one_position_whichever_way_they_are_solved) {
  constexpr int steps = 50;
  const Paraboloid plane(0, 0), bowl(0.7, -0.4), cup(0.8, 0.5);
  const Ball ball(0.3);
  TurnedArcShape wheel_shape, egg_shape;
  wheel_shape.Q << Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY();
  wheel_shape.p = -0.2;
  wheel_shape.a = wheel_shape.b = 0.6;
  wheel_shape.most_v = 0.25;
  egg_shape.Q = wheel_shape.Q;
  egg_shape.a = 0.3;
  egg_shape.b = 0.4;
  const TurnedArc wheel(wheel_shape, false), egg(egg_shape, false);
  const double pi = std::numbers::pi;
  const std::vector<Motion> motions{
      {"wheel on plane",
       plane,
       wheel,
       Vec3::UnitZ(),
       [](double t) {
         return RelativePlacement{so3::exp(Vec3(0.1 * t, 3 * t, 0)), Vec3(0.3 * t, 0.1, 0.4)};
       },
       {0, 0.1},
       {pi, 0}},
      {"ball on saddle",
       bowl,
       ball,
       Vec3::UnitZ(),
       [](double t) {
         return RelativePlacement{so3::exp(Vec3(0.4 * t, t, 0.3)), Vec3(0.5 * t - 0.2, 0.3 * t, 0.3)};
       },
       {0, 0},
       {0.5 * pi, 0}},
      {"egg in cup",
       cup,
       egg,
       Vec3::UnitZ(),
       [](double t) {
         return RelativePlacement{so3::exp(Vec3(0.2 * std::sin(3 * t), 2 * t, 0)),
                                  Vec3(0.3 * std::sin(4 * t), 0.2 * t, 0.3)};
       },
       {0, 0},
       {pi, 0}}};
  for (const Motion& m : motions) {
    std::array<Solution, 3> ways;
    const std::optional<CommonNormal> start = refine(m.pair(0, 0), m.near_1, m.near_2);
    ASSERT_TRUE(start) << m.name;
    for (Solution& way : ways) way.c << start->one.u, start->one.v, start->two.u, start->two.v;
    for (int i = 0; i <= steps; ++i) {
      const double t = 0.02 * i;
      if (i == 1)
        for (Solution& way : ways) way.iterations = way.evaluations = 0;
      std::array<int, 3> before{};
      for (std::size_t k = 0; k < 3; ++k) before[k] = std::exchange(ways[k].iterations, 0);
      alternate(m, t, ways[0]);
      nest(m, t, ways[1]);
      couple(m, t, ways[2]);
      for (std::size_t k = 0; k < 3; ++k) ways[k].iterations += before[k] + 1;
      EXPECT_NEAR(ways[0].z, ways[1].z, 1e-12) << m.name << " " << t;
      EXPECT_NEAR(ways[0].z, ways[2].z, 1e-12) << m.name << " " << t;
    }
    static constexpr std::array<const char*, 3> names{"alternating", "nested", "coupled"};
    for (std::size_t k = 0; k < 3; ++k)
      RecordProperty(m.name + ", " + names[k], std::to_string(ways[k].iterations) + " iterations, " +
                                                   std::to_string(ways[k].evaluations) + " evaluations");
  }
}

}  // namespace
}  // namespace trammel::surface_contact
