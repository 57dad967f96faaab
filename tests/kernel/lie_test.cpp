#include "trammel/lie.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <unsupported/Eigen/AutoDiff>

#include "trammel/jet.hpp"

// References, from most to least independent of the code under test: power series of matrices in extended
// precision (derivatives as the upper right block of f([[A, dA], [0, A]])), central differences, complex
// steps.

namespace trammel {
namespace {

using Real = long double;
using MatR = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vec6R = Eigen::Matrix<Real, 6, 1>;

constexpr double pi = std::numbers::pi;

const std::vector<double> angles = {0.0, 1e-9, 1e-5, 1e-3, 0.1, 0.15, 1.0, 1.01, 3.0, pi - 1e-6, pi};
const std::vector<double> beyond_pi = {3.4, 3.47, 5.0};

class LieGroups : public ::testing::Test {
 protected:
  Vec3 random_vector() {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    return {uniform(random_), uniform(random_), uniform(random_)};
  }
  Vec3 random_rotation(double angle) { return angle * random_vector().normalized(); }
  Vec6 random_six() {
    Vec6 h;
    h << random_vector(), random_vector();
    return h;
  }
  Vec6 random_twist(double angle) {
    Vec6 h;
    h << random_vector(), random_rotation(angle);
    return h;
  }

  /// Calls check with several random twists of every angle.
  void for_twists(const std::function<void(const Vec6&)>& check, bool also_beyond_pi = true) {
    auto run = [&](double angle) {
      SCOPED_TRACE(angle);
      for (int i = 0; i < 5; ++i) check(random_twist(angle));
    };
    for (double angle : angles) run(angle);
    if (!also_beyond_pi) return;
    for (double angle : beyond_pi) run(angle);
  }

  std::mt19937 random_{7};
};

template <class A, class B>
double distance(const A& a, const B& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

/// sum_n sign^n A^n / (n + shift)!: the exponential (+1, 0) or the right tangent operator (-1, 1).
MatR series(const MatR& A, int sign, int shift) {
  MatR term = MatR::Identity(A.rows(), A.cols());
  MatR sum = term;
  for (int n = 1; n < 80; ++n) {
    term = (term * A * static_cast<Real>(sign) / static_cast<Real>(n + shift)).eval();
    sum += term;
  }
  return sum;
}

MatR exponential(const MatR& A) { return series(A, 1, 0); }
MatR tangent(const MatR& A) { return series(A, -1, 1); }

/// d f(A)[dA] by the block identity.
MatR derivative(MatR (*f)(const MatR&), const MatR& A, const MatR& dA) {
  const auto n = A.rows();
  MatR block = MatR::Zero(2 * n, 2 * n);
  block.topLeftCorner(n, n) = A;
  block.bottomRightCorner(n, n) = A;
  block.topRightCorner(n, n) = dA;
  return f(block).topRightCorner(n, n);
}

MatR bracket(const Vec6& h) { return se3::ad(h.cast<Real>().eval()); }

/// d(F(h) b)/dh column by column in extended precision, F = T, T^-1, or their transposes.
Mat6 reference_derivative(const Vec6& h, const Vec6& b, bool inverse, bool transpose) {
  const MatR A = bracket(h);
  const MatR T_inverse = tangent(A).inverse();
  MatR result(6, 6);
  for (int i = 0; i < 6; ++i) {
    MatR dF = derivative(tangent, A, bracket(Vec6::Unit(i)));
    if (inverse) dF = (-(T_inverse * dF * T_inverse)).eval();
    if (transpose) dF = dF.transpose().eval();
    result.col(i) = dF * b.cast<Real>();
  }
  return result.cast<double>();
}

template <int Rows, class F>
Eigen::Matrix<double, Rows, Rows> central_differences(const F& f, const Eigen::Matrix<double, Rows, 1>& x) {
  Eigen::Matrix<double, Rows, Rows> result;
  const double e = 1e-5;
  for (int i = 0; i < Rows; ++i) {
    const Eigen::Matrix<double, Rows, 1> d = e * Eigen::Matrix<double, Rows, 1>::Unit(i);
    result.col(i) = (f((x + d).eval()) - f((x - d).eval())) / (2.0 * e);
  }
  return result;
}

TEST_F(LieGroups, skew_is_the_cross_product_and_axial_its_inverse) {
  const Vec3 a = random_vector();
  const Vec3 b = random_vector();
  EXPECT_LT(distance(skew(a) * b, a.cross(b)), 1e-16);
  EXPECT_LT(distance(cross(a, b), a.cross(b)), 1e-16);
  EXPECT_EQ(distance(axial(skew(a)), a), 0.0);
  EXPECT_EQ(axial(Mat3(a * a.transpose())).norm(), 0.0);
}

TEST_F(LieGroups, stumpff_functions_are_accurate_to_rounding_on_both_sides_of_every_threshold) {
  // The reference sums the series in extended precision.
  for (double x :
       {0.0, 1e-18, 1e-6, 0.0199, 0.02, 0.0201, 0.5, 1.0, 1.0001, 4.0, pi * pi, 12.0, 12.001, 30.0}) {
    const auto C = lie::stumpff<8>(x);
    for (int k = 0; k <= 8; ++k) {
      Real term = 1;
      for (int i = 2; i <= k; ++i) term /= i;
      const Real scale = term;
      Real sum = 0;
      for (int j = 0; j < 60; ++j) {
        sum += term;
        term *= -static_cast<Real>(x) / ((2 * j + k + 1) * (2 * j + k + 2));
      }
      EXPECT_NEAR(C[static_cast<std::size_t>(k)] / static_cast<double>(scale),
                  static_cast<double>(sum / scale), 1e-15 * (1.0 + x / 10.0))
          << "C_" << k << "(" << x << ")";
    }
  }
}

TEST_F(LieGroups, exponential_matches_its_power_series) {
  for_twists([&](const Vec6& h) {
    const Vec3 theta = h.tail<3>();
    const MatR A = skew(theta.cast<Real>().eval());
    EXPECT_LT(distance(so3::exp(theta), exponential(A).cast<double>()), 1e-15);
    EXPECT_LT(distance(so3::exp_quaternion(theta).toRotationMatrix(), exponential(A).cast<double>()), 2e-15);
    EXPECT_NEAR(so3::exp_quaternion(theta).norm(), 1.0, 1e-15);
    MatR hat = MatR::Zero(4, 4);
    hat.topLeftCorner(3, 3) = A;
    hat.topRightCorner(3, 1) = h.head<3>().cast<Real>();
    const MatR X = exponential(hat);
    EXPECT_LT(distance(se3::exp(h).R, X.topLeftCorner(3, 3).cast<double>()), 1e-15);
    EXPECT_LT(distance(se3::exp(h).p, X.topRightCorner(3, 1).cast<double>()), 1e-15);
    EXPECT_LT(distance(se3::Ad(se3::exp(h)), exponential(bracket(h)).cast<double>()), 4e-15);
  });
}

TEST_F(LieGroups, exponential_holds_for_many_turns) {
  for (double angle : {6.0, 2.0 * pi, 7.5, 40.0}) {
    const Vec3 axis = random_vector().normalized();
    const Eigen::AngleAxisd turn(angle, axis);
    EXPECT_LT(distance(so3::exp(Vec3(angle * axis)), turn.toRotationMatrix()), 1e-14) << angle;
    EXPECT_LT(distance(so3::exp_quaternion(Vec3(angle * axis)).toRotationMatrix(), turn.toRotationMatrix()),
              1e-14);
  }
}

TEST_F(LieGroups, logarithm_inverts_the_exponential_up_to_half_a_turn) {
  for (double angle : angles) {
    if (angle == pi) continue;
    SCOPED_TRACE(angle);
    for (int i = 0; i < 20; ++i) {
      const Vec6 h = random_twist(angle);
      const Vec3 theta = h.tail<3>();
      // Small rotations keep their relative accuracy.
      const double tolerance = 2e-15 * std::max(angle, 1e-300);
      EXPECT_LE(distance(so3::log(so3::exp_quaternion(theta)), theta), tolerance);
      EXPECT_LE(distance(so3::log(so3::exp(theta)), theta), 1e-15 + tolerance);
      EXPECT_LE(distance(se3::log(se3::exp(h)), h), 1e-14);
      Quaternion q = so3::exp_quaternion(theta);
      q.coeffs() *= -1.0;
      EXPECT_LE(distance(so3::log(q), theta), tolerance);
    }
  }
}

TEST_F(LieGroups, logarithm_is_accurate_at_half_a_turn) {
  std::vector<Vec3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), Vec3(0.6, -0.8, 0.0),
                            Vec3(0.0, 0.6, 0.8)};
  for (int i = 0; i < 20; ++i) axes.push_back(random_vector().normalized());
  for (const Vec3& axis : axes) {
    const Mat3 R = 2.0 * axis * axis.transpose() - Mat3::Identity();
    const Vec3 theta = so3::log(R);
    EXPECT_NEAR(theta.norm(), pi, 1e-15);
    EXPECT_LT(std::min(distance(theta, pi * axis), distance(theta, -pi * axis)), 4e-15);
    EXPECT_LT(distance(so3::exp(theta), R), 2e-15);
    for (double gap : {1e-15, 1e-12, 1e-9, 1e-6}) {
      const Vec3 near = (pi - gap) * axis;
      EXPECT_LT(distance(so3::log(so3::exp(near)), near), 4e-15) << gap;
    }
  }
}

TEST_F(LieGroups, finds_the_quaternion_of_a_rotation_matrix_in_all_branches) {
  for (int i = 0; i < 200; ++i) {
    const Quaternion q = so3::exp_quaternion(random_rotation(pi * i / 200.0));
    const Quaternion back = so3::quaternion(q.toRotationMatrix());
    EXPECT_NEAR(std::abs(q.dot(back)), 1.0, 1e-15);
    EXPECT_LT(distance(back.toRotationMatrix(), q.toRotationMatrix()), 1e-15);
  }
}

TEST_F(LieGroups, composes_poses_and_their_adjoints) {
  const Vec6 a = random_twist(1.3);
  const Vec6 b = random_twist(2.1);
  const Pose X = se3::exp(a);
  const Pose Y = se3::exp(b);
  const Pose one = X * X.inverse();
  EXPECT_LT(distance(one.R, Mat3::Identity()), 1e-15);
  EXPECT_LT(one.p.norm(), 1e-15);
  const Vec3 q = random_vector();
  EXPECT_LT(distance((X * Y) * q, X * (Y * q)), 1e-15);
  EXPECT_LT(distance(se3::Ad(X) * se3::Ad(Y), se3::Ad(X * Y)), 2e-15);
  EXPECT_LT(distance(se3::Ad(X.inverse()), se3::Ad_inverse(X)), 1e-15);
  // X exp(b) X^-1 = exp(Ad(X) b)
  const Vec6 turned = se3::Ad(X) * b;
  EXPECT_LT(distance((X * Y * X.inverse()).p, se3::exp(turned).p), 4e-15);
  EXPECT_LT(distance((X * Y * X.inverse()).R, se3::exp(turned).R), 4e-15);
  EXPECT_LT((se3::ad(a) * b + se3::ad(b) * a).norm(), 1e-15);
}

TEST_F(LieGroups, tangent_operators_match_their_power_series) {
  for_twists([&](const Vec6& h) {
    const MatR T = tangent(bracket(h));
    const MatR T_inverse = T.inverse();
    const Vec3 theta = h.tail<3>();
    EXPECT_LT(distance(so3::T(theta), T.topLeftCorner(3, 3).cast<double>()), 1e-15);
    EXPECT_LT(distance(se3::T(h), T.cast<double>()), 1e-15);
    EXPECT_LT(distance(so3::T_inverse(theta), T_inverse.topLeftCorner(3, 3).cast<double>()), 4e-15);
    EXPECT_LT(distance(se3::T_inverse(h), T_inverse.cast<double>()), 1e-14);
    EXPECT_LT(distance(se3::T(h) * se3::T_inverse(h), Mat6::Identity()), 1e-14);
    EXPECT_LT(distance(so3::T(theta) * so3::T_inverse(theta), Mat3::Identity()), 4e-15);
    // Left operator against right: T(-h) = Ad(exp h) T(h).
    EXPECT_LT(distance(se3::T(Vec6(-h)), se3::Ad(se3::exp(h)) * se3::T(h)), 1e-14);
  });
}

TEST_F(LieGroups, tangent_operator_is_the_derivative_of_the_exponential) {
  for_twists([&](const Vec6& h) {
    const Pose X = se3::exp(h);
    Mat6 differences;
    Mat6 complex_steps;
    const double e = 1e-5;
    for (int i = 0; i < 6; ++i) {
      const Vec6 d = e * Vec6::Unit(i);
      const Mat3 dR = (se3::exp(Vec6(h + d)).R - se3::exp(Vec6(h - d)).R) / (2.0 * e);
      const Vec3 dp = (se3::exp(Vec6(h + d)).p - se3::exp(Vec6(h - d)).p) / (2.0 * e);
      differences.col(i) << X.R.transpose() * dp, axial(Mat3(X.R.transpose() * dR));
      Vec6T<std::complex<double>> hc = h.cast<std::complex<double>>();
      hc[i] += std::complex<double>(0.0, 1e-30);
      const auto Xc = se3::exp(hc);
      complex_steps.col(i) << X.R.transpose() * Vec3(Xc.p.imag() / 1e-30),
          axial(Mat3(X.R.transpose() * Mat3(Xc.R.imag() / 1e-30)));
    }
    EXPECT_LT(distance(se3::T(h), differences), 1e-9);
    EXPECT_LT(distance(se3::T(h), complex_steps), 4e-15);
  });
}

TEST_F(LieGroups, derivative_operators_match_extended_precision) {
  for_twists([&](const Vec6& h) {
    const Vec6 b = random_six();
    EXPECT_LT(distance(se3::dT(h, b), reference_derivative(h, b, false, false)), 2e-15);
    EXPECT_LT(distance(se3::dT_transpose(h, b), reference_derivative(h, b, false, true)), 2e-15);
    // The inverse grows as the angle comes near to a whole turn.
    const double scale = 1.0 / std::pow(1.0 - h.tail<3>().norm() / (2.0 * pi), 3.0);
    EXPECT_LT(distance(se3::dT_inverse(h, b), reference_derivative(h, b, true, false)), 4e-15 * scale);
    EXPECT_LT(distance(se3::dT_inverse_transpose(h, b), reference_derivative(h, b, true, true)),
              4e-15 * scale);

    const Vec3 theta = h.tail<3>();
    const Vec3 c = b.tail<3>();
    Vec6 h0 = h;
    Vec6 b0 = b;
    h0.head<3>().setZero();
    b0.head<3>().setZero();
    auto corner = [&](bool inverse, bool transpose) {
      return Mat3(reference_derivative(h0, b0, inverse, transpose).bottomRightCorner<3, 3>());
    };
    EXPECT_LT(distance(so3::dT(theta, c), corner(false, false)), 1e-15);
    EXPECT_LT(distance(so3::dT_transpose(theta, c), corner(false, true)), 1e-15);
    EXPECT_LT(distance(so3::dT_inverse(theta, c), corner(true, false)), 4e-15 * scale);
    EXPECT_LT(distance(so3::dT_inverse_transpose(theta, c), corner(true, true)), 4e-15 * scale);
  });
}

TEST_F(LieGroups, derivative_operators_match_central_differences) {
  for_twists(
      [&](const Vec6& h) {
        const Vec6 b = random_six();
        auto differences = [&](auto&& F) {
          return central_differences<6>([&](const Vec6& x) { return Vec6(F(x) * b); }, h);
        };
        EXPECT_LT(distance(se3::dT(h, b), differences([](const Vec6& x) { return se3::T(x); })), 1e-9);
        EXPECT_LT(
            distance(se3::dT_inverse(h, b), differences([](const Vec6& x) { return se3::T_inverse(x); })),
            1e-9);
        EXPECT_LT(distance(se3::dT_transpose(h, b),
                           differences([](const Vec6& x) { return Mat6(se3::T(x).transpose()); })),
                  1e-9);
        EXPECT_LT(distance(se3::dT_inverse_transpose(h, b),
                           differences([](const Vec6& x) { return Mat6(se3::T_inverse(x).transpose()); })),
                  1e-9);
      },
      false);
}

TEST_F(LieGroups, complex_steps_pass_through_the_logarithm) {
  for (double angle : {0.0, 1e-9, 1e-3, 0.1, 0.3, 1.0, 2.0, 3.0, pi - 1e-6}) {
    SCOPED_TRACE(angle);
    const Vec6 h = random_twist(angle);
    const Mat6 T_inverse = se3::T_inverse(h);
    for (int i = 0; i < 6; ++i) {
      Vec6T<std::complex<double>> step = Vec6T<std::complex<double>>::Zero();
      step[i] = std::complex<double>(0.0, 1e-30);
      const auto X = se3::exp(h.cast<std::complex<double>>().eval()) * se3::exp(step);
      EXPECT_LT(distance(Vec6(se3::log(X).imag() / 1e-30), T_inverse.col(i)), 2e-14);
    }
  }
}

using Dual = Eigen::AutoDiffScalar<Vec3>;
using Dual2 = Eigen::AutoDiffScalar<Eigen::Matrix<Dual, 3, 1>>;

/// theta with first and second derivative slots seeded.
Vec3T<Dual2> seeded(const Vec3& theta) {
  Vec3T<Dual2> x;
  for (int i = 0; i < 3; ++i) {
    x[i].value() = Dual(theta[i], Vec3::Unit(i));
    for (int j = 0; j < 3; ++j) x[i].derivatives()[j] = Dual(i == j ? 1.0 : 0.0, Vec3::Zero());
  }
  return x;
}

double second(const Dual2& f, int i, int j) { return f.derivatives()[i].derivatives()[j]; }

TEST_F(LieGroups, nested_differentiation_is_exact_at_zero_and_elsewhere) {
  for (double angle : {0.0, 1e-9, 1e-5, 1e-3, 0.1, 1.0, 3.0, pi - 1e-6, 3.47, 5.0}) {
    SCOPED_TRACE(angle);
    const Vec3 theta = random_rotation(angle);
    const Vec3 b = random_vector();
    const Vec3T<Dual2> x = seeded(theta);
    const Mat3T<Dual2> R = so3::exp(x);
    const Mat3T<Dual2> T = so3::T(x);
    const Mat3T<Dual2> T_inverse = so3::T_inverse(x);
    const Mat3 dT = so3::dT(theta, b);
    // Second derivative by the block identity applied twice.
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(distance(R.unaryExpr([&](const Dual2& f) { return f.derivatives()[i].value(); }).eval(),
                         so3::exp(theta) * skew(Vec3(so3::T(theta).col(i)))),
                4e-15);
      for (int j = 0; j < 3; ++j) {
        MatR A = MatR::Zero(6, 6);
        A.topLeftCorner(3, 3) = A.bottomRightCorner(3, 3) = skew(theta.cast<Real>().eval());
        A.topRightCorner(3, 3) = skew(Vec3::Unit(i).cast<Real>().eval());
        MatR dA = MatR::Zero(6, 6);
        dA.topLeftCorner(3, 3) = dA.bottomRightCorner(3, 3) = skew(Vec3::Unit(j).cast<Real>().eval());
        auto second_of = [&](const Mat3T<Dual2>& F) {
          return Mat3(F.unaryExpr([&](const Dual2& f) { return second(f, i, j); }));
        };
        auto reference = [&](MatR (*f)(const MatR&)) {
          return Mat3(derivative(f, A, dA).topRightCorner(3, 3).cast<double>());
        };
        EXPECT_LT(distance(second_of(R), reference(exponential)), 4e-15);
        EXPECT_LT(distance(second_of(T), reference(tangent)), 2e-15);
        // d2(T T^-1) = 0
        auto first_of = [&](const Mat3T<Dual2>& F, int k) {
          return Mat3(F.unaryExpr([&](const Dual2& f) { return f.derivatives()[k].value(); }));
        };
        const Mat3 product = second_of(T) * so3::T_inverse(theta) + so3::T(theta) * second_of(T_inverse) +
                             first_of(T, i) * first_of(T_inverse, j) +
                             first_of(T, j) * first_of(T_inverse, i);
        const double scale = 1.0 / std::pow(1.0 - angle / (2.0 * pi), 3.0);
        EXPECT_LT(product.cwiseAbs().maxCoeff(), 1e-14 * scale);
      }
    }
    const Vec3T<Dual2> Tb = T * b.cast<Dual2>();
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(Tb[i].derivatives()[k].value(), dT(i, k), 1e-15);
      }
    }
  }
}

TEST_F(LieGroups, differentiates_the_logarithm_twice) {
  for (double angle : {0.0, 1e-9, 1e-5, 1e-3, 0.1, 0.19, 0.21, 1.0, 2.0, 3.0, pi - 1e-6}) {
    SCOPED_TRACE(angle);
    const Vec3 theta = random_rotation(angle);
    const Vec3T<Dual2> x = seeded(theta);
    for (const Vec3T<Dual2>& back : {so3::log(so3::exp_quaternion(x)), so3::log(so3::exp(x))}) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(back[i].value().value(), theta[i], 4e-15);
        for (int j = 0; j < 3; ++j) {
          EXPECT_NEAR(back[i].derivatives()[j].value(), i == j ? 1.0 : 0.0, 1e-14);
          for (int k = 0; k < 3; ++k) EXPECT_NEAR(second(back[i], j, k), 0.0, 4e-14);
        }
      }
    }
  }
}

TEST_F(LieGroups, differentiates_automatically_on_SE3) {
  using Dual6 = Eigen::AutoDiffScalar<Vec6>;
  for (double angle : angles) {
    SCOPED_TRACE(angle);
    const Vec6 h = random_twist(angle);
    const Vec6 b = random_six();
    Vec6T<Dual6> x;
    for (int i = 0; i < 6; ++i) x[i] = Dual6(h[i], Vec6::Unit(i));
    const Vec6T<Dual6> Tb = se3::T(x) * b.cast<Dual6>();
    const Vec6T<Dual6> T_inverse_b = se3::T_inverse(x) * b.cast<Dual6>();
    const Mat6 dT = se3::dT(h, b);
    const Mat6 dT_inverse = se3::dT_inverse(h, b);
    for (int i = 0; i < 6; ++i) {
      EXPECT_LT(distance(Tb[i].derivatives(), dT.row(i).transpose()), 2e-15);
      EXPECT_LT(distance(T_inverse_b[i].derivatives(), dT_inverse.row(i).transpose()), 2e-14);
    }
  }
}

TEST_F(LieGroups, jets_give_angular_velocity_and_acceleration) {
  for (double angle : angles) {
    SCOPED_TRACE(angle);
    const Vec3 theta = random_rotation(angle);
    const Vec3 rate = random_vector();
    const Vec3 second_rate = random_vector();
    Vec3T<Jet> x;
    for (int i = 0; i < 3; ++i) x[i] = Jet(theta[i], rate[i], second_rate[i]);
    const Mat3T<Jet> R = so3::exp(x);
    const Mat3 first = R.unaryExpr([](const Jet& f) { return f.first; });
    const Mat3 second = R.unaryExpr([](const Jet& f) { return f.second; });
    const Mat3 R0 = so3::exp(theta);
    EXPECT_LT(distance(axial(Mat3(R0.transpose() * first)), so3::T(theta) * rate), 4e-15);
    // The skew part of R^T R'' is the angular acceleration.
    EXPECT_LT(distance(axial(Mat3(R0.transpose() * second)),
                       so3::T(theta) * second_rate + so3::dT(theta, rate) * rate),
              1e-14);
    if (angle == pi) continue;
    const Vec3T<Jet> back = so3::log(R);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(back[i].value, theta[i], 4e-15);
      EXPECT_NEAR(back[i].first, rate[i], 2e-14);
      EXPECT_NEAR(back[i].second, second_rate[i], 1e-13);
    }
  }
}

}  // namespace
}  // namespace trammel
