#include <gtest/gtest.h>

#include <random>

#include <Eigen/LU>

#include "joint_case.hpp"

/// The acceleration level of the spherical joint and the hinge against the hand-differentiated equations of J. Kamman's
/// notes "Connecting Joints - Part I", eqs. (2), (3), (7) to (10): in inertial and in body components, with the hinge
/// vectors of either body. On the constraint manifold all give one motion.
namespace trammel {
namespace {

using testing::JointCase;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Rows J a = right in a = (a_G1, w1' rate, a_G2, w2' rate), angular accelerations in body axes.
struct Rows {
  Matrix J;
  Vector right;
};

/// Two bodies, centres G1 and G2, that meet in a joint: q from G1 to it, r from it to G2.
struct Pair {
  Mat3 R1, R2;      ///< body to world
  Vec3 q, r, f, g;  ///< in the world; f, g perpendicular to the hinge
  Vec3 w1, w2;      ///< in the world
  Vec3 p1, p2, v1, v2;

  explicit Pair(std::uint64_t seed, bool hinge, const Vec3& axis) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto draw = [&] { return Vec3(number(random), number(random), number(random)); };
    R1 = so3::exp(3 * draw());
    R2 = so3::exp(3 * draw());
    q = R1 * arm();
    r = -(R2 * arm());
    p1 = draw();
    p2 = p1 + q + r;
    v1 = draw();
    w1 = 3 * draw();
    w2 = hinge ? Vec3(w1 + 4 * number(random) * axis.normalized()) : Vec3(3 * draw());
    v2 = v1 + w1.cross(q) + w2.cross(r);
    f = axis.unitOrthogonal();
    g = axis.normalized().cross(f);
  }

  /// Eqs. (2), (7), (8) with f, g fixed in body 1 or 2.
  Rows inertial(bool hinge, int carrier) const {
    Rows rows{Matrix::Zero(hinge ? 5 : 3, 12), Vector::Zero(hinge ? 5 : 3)};
    rows.J.topRows<3>() << -Mat3::Identity(), skew(q) * R1, Mat3::Identity(), skew(r) * R2;
    rows.right.head<3>() = -(w1.cross(q).cross(w1) + w2.cross(r).cross(w2));
    if (!hinge) return rows;
    const Vec3 w = carrier == 1 ? w1 : w2;
    for (int i = 0; i < 2; ++i) {
      const Vec3 h = i == 0 ? f : g;
      rows.J.block<1, 3>(3 + i, 3) = -h.transpose() * R1;
      rows.J.block<1, 3>(3 + i, 9) = h.transpose() * R2;
      rows.right[3 + i] = -w.cross(h).dot(w2 - w1);
    }
    return rows;
  }

  /// Eqs. (3), (9), (10), and their twins with f, g fixed in body 2.
  Rows body(bool hinge, int carrier) const {
    Rows rows{Matrix::Zero(hinge ? 5 : 3, 12), Vector::Zero(hinge ? 5 : 3)};
    const Vec3 q1 = R1.transpose() * q, r2 = R2.transpose() * r, u1 = R1.transpose() * w1,
               u2 = R2.transpose() * w2;
    rows.J.topRows<3>() << -Mat3::Identity(), R1 * skew(q1), Mat3::Identity(), R2 * skew(r2);
    rows.right.head<3>() = -(R1 * skew(u1) * skew(q1) * u1 + R2 * skew(u2) * skew(r2) * u2);
    if (!hinge) return rows;
    const Mat3 R12 = R1.transpose() * R2;
    for (int i = 0; i < 2; ++i) {
      const Vec3 h = i == 0 ? f : g;
      if (carrier == 1) {
        const Vec3 h1 = R1.transpose() * h;
        rows.J.block<1, 3>(3 + i, 3) = -h1.transpose();
        rows.J.block<1, 3>(3 + i, 9) = h1.transpose() * R12;
        rows.right[3 + i] = h1.dot(skew(u1) * R12 * u2);
      } else {
        const Vec3 h2 = R2.transpose() * h;
        rows.J.block<1, 3>(3 + i, 3) = -h2.transpose() * R12.transpose();
        rows.J.block<1, 3>(3 + i, 9) = h2.transpose();
        rows.right[3 + i] = -h2.dot(skew(u2) * R12.transpose() * u1);
      }
    }
    return rows;
  }
};

Vector accelerations(const Rows& rows, const Vector& forces) {
  const auto m = rows.J.rows();
  Matrix K = Matrix::Zero(12 + m, 12 + m);
  K.diagonal().head<12>() << 2, 2, 2, 0.3, 0.5, 0.7, 1, 1, 1, 0.2, 0.4, 0.3;
  K.bottomLeftCorner(m, 12) = rows.J;
  K.topRightCorner(12, m) = rows.J.transpose();
  Vector b(12 + m);
  b << forces, rows.right;
  return Vector(K.fullPivLu().solve(b)).head<12>();
}

void expect_one_motion(bool hinge) {
  const Vec3 axis(1, -2, 0.5);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Pair pair(seed, hinge, axis);
    JointCase c(pair.R1, pair.p1, pair.R2, pair.p2);
    const std::string between = "{between: [bodies.a_arm, bodies.b_arm], share: no";
    TestState s = hinge ? c.joint("revolute", between + ", axis: [1, -2, 0.5], coordinate: no}")
                        : c.joint("spherical", between + "}");
    const Vec3 u1 = pair.R1.transpose() * pair.w1, u2 = pair.R2.transpose() * pair.w2;
    Eigen::Map<Vector>(s.state().rate.data(), 12) << pair.v1, u1, pair.v2, u2;
    const Evaluation e = evaluate(c.range(), 0, s, {true, true, true});
    const int m = hinge ? 5 : 3;
    ASSERT_EQ(s.dofs(), 12 + m);
    EXPECT_LT(e.residual.tail(m).norm(), 1e-12);
    EXPECT_LT(e.rate.tail(m).norm(), 1e-12);
    const Rows own{e.K.bottomLeftCorner(m, 12), -e.bias.tail(m)};
    Vector forces(12);
    forces << 1, -2, 3, 0.5, 0.1, -0.7, 2, 0.4, -1, 0.3, -0.2, 0.8;
    const Vector a = accelerations(own, forces);
    for (const int carrier : {1, 2})
      for (const Rows& rows : {pair.inertial(hinge, carrier), pair.body(hinge, carrier)})
        EXPECT_LT((accelerations(rows, forces) - a).norm(), 1e-12 * a.norm()) << seed << " " << carrier;
  }
}

TEST(LowerPairLevels, spherical_gives_kammans_accelerations) { expect_one_motion(false); }
TEST(LowerPairLevels, revolute_gives_kammans_accelerations) { expect_one_motion(true); }

}  // namespace
}  // namespace trammel
