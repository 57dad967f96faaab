#pragma once

#include <cmath>
#include <utility>

#include "trammel/joint.hpp"
#include "trammel/lie.hpp"

/// The generic constraints of the Dymore user's manual, chapter "Formulation and finite element implementation of
/// constraint elements", as functions of the relative motion. g_ab = R_AB(a, b), indices from 0.
///
/// Variations are dtheta, R_AB <- R_AB exp(dtheta~), and d p_AB_A. Second derivatives are those of the exponential
/// chart, which are symmetric; along group increments the gradient m changes by them and m~/2.
namespace trammel::lower_pairs {

/// g_ab and its gradient by dtheta, e_b x (R_AB^T e_a) = -h_ab in B's axes (eq. 5a).
template <class S>
struct CosineTerm {
  S g;
  Vec3T<S> gradient;

  CosineTerm(const Mat3T<S>& R_AB, int a, int b) : g(R_AB(a, b)) {
    gradient[b] = S(0.0);
    gradient[(b + 1) % 3] = -R_AB(a, (b + 2) % 3);
    gradient[(b + 2) % 3] = R_AB(a, (b + 1) % 3);
  }
};

/// Adds factor times the Hessian of g_ab.
template <class S, class Target>
void add_cosine_hessian(const Mat3T<S>& R_AB, int a, int b, S factor, Target&& H) {
  const Vec3T<S> half = S(0.5) * factor * R_AB.row(a).transpose();
  H.col(b) += half;
  H.row(b) += half.transpose();
  H.diagonal().array() -= factor * R_AB(a, b);
}

/// Second derivatives of equation `row` by the rotation, at zero.
template <int equations, int coordinates, class S>
auto zeroed_hessian(int row, JointTerms<equations, coordinates, S>& out) {
  auto H = out.H[static_cast<std::size_t>(row)].template block<3, 3>(3, 3);
  H.setZero();
  return H;
}

/// Constraint I, vanishing relative rotation: g_ab = 0 in equation `row` (eqs. 8 to 13). It also holds half a turn
/// away. Sets what depends on the rotation.
template <int equations, int coordinates, class S>
void vanishing_rotation(const Mat3T<S>& R_AB, int a, int b, bool second, int row,
                        JointTerms<equations, coordinates, S>& out) {
  const CosineTerm<S> term(R_AB, a, b);
  out.C[row] = term.g;
  out.G.row(row).template segment<3>(3) = term.gradient.transpose();
  if (second) add_cosine_hessian(R_AB, a, b, S(1.0), zeroed_hessian(row, out));
}

inline std::pair<double, double> sin_cos(double angle) { return {std::sin(angle), std::cos(angle)}; }

/// Constraint III, definition of the relative rotation phi about e_c: g_aa sin phi + g_ab cos phi = 0 in equation
/// `row` for (a, b, c) cyclic, with phi the coordinate `k` (eqs. 18 to 21). It also holds half a turn away, where
/// `turn_side` is negative.
template <int equations, int coordinates, class S>
void relative_rotation(const Mat3T<S>& R_AB, int c, S phi, bool second, int row, int k,
                       JointTerms<equations, coordinates, S>& out) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  const auto [s, co] = sin_cos(phi);
  const CosineTerm<S> aa(R_AB, a, a), ab(R_AB, a, b);
  out.C[row] = aa.g * s + ab.g * co;
  out.G.row(row).template segment<3>(3) = (s * aa.gradient + co * ab.gradient).transpose();
  out.G(row, 6 + k) = aa.g * co - ab.g * s;
  if (!second) return;
  auto turns = zeroed_hessian(row, out);
  add_cosine_hessian(R_AB, a, a, s, turns);
  add_cosine_hessian(R_AB, a, b, co, turns);
  auto& H = out.H[static_cast<std::size_t>(row)];
  const Vec3T<S> mixed = co * aa.gradient - s * ab.gradient;
  H.template block<3, 1>(3, 6 + k) = mixed;
  H.template block<1, 3>(6 + k, 3) = mixed.transpose();
  H(6 + k, 6 + k) = -out.C[row];
}

/// tau of eq. (19): 1 on the branch that constraint III means, -1 half a turn away.
inline double turn_side(const Mat3& R_AB, int c, double phi) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  return R_AB(a, a) * std::cos(phi) - R_AB(a, b) * std::sin(phi);
}

// Constraints II and IV, vanishing relative displacement and its definition: e_a . u = 0 and e_c . u - Delta = 0 (eqs. 14 to
// 17, 22 to 25). As functions of the relative motion they are components of p_AB_A, less the coordinate: linear. The
// assembly takes them to what carries the markers: the gradient of eqs. (15) and (23), the stiffness of eqs. (17) and (25).

}  // namespace trammel::lower_pairs
