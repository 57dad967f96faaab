#pragma once

#include <array>
#include <cmath>

#include "trammel/lie.hpp"
#include "trammel/linear_algebra.hpp"

/// The generic constraints of the Dymore user's manual, chapter "Formulation and finite element implementation of
/// constraint elements", as functions of the relative motion. g_ab = R_AB(a, b), indices from 0.
///
/// Variations are dtheta, R_AB <- R_AB exp(dtheta~), and d p_AB_A. Second derivatives are those of the exponential
/// chart, which are symmetric; along group increments the gradient m changes by them and m~/2.
namespace trammel::lower_pairs {

/// Equations in the relative rotation R_AB and coordinates c, with derivatives by z = (dtheta; c).
template <int equations, int coordinates>
struct RotationTerms {
  static constexpr int equation_count = equations;
  static constexpr int coordinate_count = coordinates;
  static constexpr int variables = 3 + coordinates;
  using Vector = Eigen::Matrix<double, equations, 1>;
  using Variation = Eigen::Matrix<double, variables, 1>;
  using Hessian = Eigen::Matrix<double, variables, variables>;

  Vector C;
  Eigen::Matrix<double, equations, variables> G;
  std::array<Hessian, static_cast<std::size_t>(equations)> H;

  /// Velocity level: rate of the equations at the rates z_dot = (w_AB_B; c_dot).
  Vector rate(const Variation& z_dot) const { return G * z_dot; }
  /// Acceleration level: second rate, with the rates of w_AB_B and c_dot.
  Vector second_rate(const Variation& z_dot, const Variation& z_ddot) const {
    Vector y = G * z_ddot;
    for (int i = 0; i < equations; ++i) y[i] += z_dot.dot(H[static_cast<std::size_t>(i)] * z_dot);
    return y;
  }
  /// Geometric stiffness: derivative along group increments of the forces G^T lambda, in the rows and columns of z.
  Hessian stiffness(const Vector& lambda) const {
    Hessian K = Hessian::Zero();
    for (int i = 0; i < equations; ++i) K += lambda[i] * H[static_cast<std::size_t>(i)];
    K.template topLeftCorner<3, 3>() += 0.5 * skew(Vec3(G.template leftCols<3>().transpose() * lambda));
    return K;
  }
};

/// g_ab and its gradient by dtheta, e_b x (R_AB^T e_a) = -h_ab in B's axes (eq. 5a).
struct CosineTerm {
  double g;
  Vec3 gradient;

  CosineTerm(const Mat3& R_AB, int a, int b)
      : g(R_AB(a, b)), gradient(Vec3::Unit(b).cross(R_AB.row(a).transpose())) {}
};

/// Adds factor times the Hessian of g_ab.
template <class Target>
void add_cosine_hessian(const Mat3& R_AB, int a, int b, double factor, Target&& H) {
  const Vec3 half = 0.5 * factor * R_AB.row(a).transpose();
  H.col(b) += half;
  H.row(b) += half.transpose();
  H.diagonal().array() -= factor * R_AB(a, b);
}

/// Constraint I, vanishing relative rotation: g_ab = 0 in equation `row` (eqs. 8 to 13). It also holds half a turn
/// away.
template <int equations, int coordinates>
void vanishing_rotation(const Mat3& R_AB, int a, int b, bool second, int row,
                        RotationTerms<equations, coordinates>& out) {
  const CosineTerm term(R_AB, a, b);
  out.C[row] = term.g;
  out.G.row(row).setZero();
  out.G.row(row).template head<3>() = term.gradient.transpose();
  if (!second) return;
  auto& H = out.H[static_cast<std::size_t>(row)];
  H.setZero();
  add_cosine_hessian(R_AB, a, b, 1, H.template topLeftCorner<3, 3>());
}

/// Constraint III, definition of the relative rotation phi about e_c: g_aa sin phi + g_ab cos phi = 0 in equation
/// `row` for (a, b, c) cyclic, with phi the coordinate `k` (eqs. 18 to 21). It also holds half a turn away, where
/// `turn_side` is negative.
template <int equations, int coordinates>
void relative_rotation(const Mat3& R_AB, int c, double phi, bool second, int row, int k,
                       RotationTerms<equations, coordinates>& out) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  const double s = std::sin(phi), co = std::cos(phi);
  const CosineTerm aa(R_AB, a, a), ab(R_AB, a, b);
  out.C[row] = aa.g * s + ab.g * co;
  out.G.row(row).setZero();
  out.G.row(row).template head<3>() = (s * aa.gradient + co * ab.gradient).transpose();
  out.G(row, 3 + k) = aa.g * co - ab.g * s;
  if (!second) return;
  auto& H = out.H[static_cast<std::size_t>(row)];
  H.setZero();
  add_cosine_hessian(R_AB, a, a, s, H.template topLeftCorner<3, 3>());
  add_cosine_hessian(R_AB, a, b, co, H.template topLeftCorner<3, 3>());
  const Vec3 mixed = co * aa.gradient - s * ab.gradient;
  H.template block<3, 1>(0, 3 + k) = mixed;
  H.template block<1, 3>(3 + k, 0) = mixed.transpose();
  H(3 + k, 3 + k) = -out.C[row];
}

/// tau of eq. (19): 1 on the branch that constraint III means, -1 half a turn away.
inline double turn_side(const Mat3& R_AB, int c, double phi) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  return R_AB(a, a) * std::cos(phi) - R_AB(a, b) * std::sin(phi);
}

/// Constraints II and IV, vanishing relative displacement and its definition: e_a . u = 0 and e_c . u - Delta = 0
/// (eqs. 14 to 17, 22 to 25). As functions of the relative motion they are components of p_AB_A, less the coordinate:
/// linear, with d p_AB_A = R_WA^T (dp_WB - dp_WA) + p_AB_A~ dtheta_A. SlidingJoint takes them to what carries the
/// markers: the gradient of eqs. (15) and (23), the stiffness of eqs. (17) and (25).
struct Displacement {
  /// Second rate of p_AB_A where the accelerations of the markers are given: y = R_WA^T (v_B - v_A), w = w_WA_A.
  static Vec3 second_rate(const Mat3& R_WA, const Vec3& p_AB_A, const Vec3& y, const Vec3& w,
                          const Vec3& a_WA, const Vec3& alpha_A, const Vec3& a_WB) {
    return R_WA.transpose() * (a_WB - a_WA) + p_AB_A.cross(alpha_A) - w.cross(y) +
           (y + p_AB_A.cross(w)).cross(w);
  }
  /// Moment on marker A, in its axes, of the multipliers lambda (in A's axes): the couple of the offset.
  static Vec3 couple(const Vec3& p_AB_A, const Vec3& lambda) { return lambda.cross(p_AB_A); }
};

}  // namespace trammel::lower_pairs
