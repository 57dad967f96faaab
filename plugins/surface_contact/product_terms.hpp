#pragma once

#include <array>

#include "trammel/joint.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// A vector that is fixed in a surface's axes.
inline SurfaceVector<2> constant(const Vec3& v) {
  SurfaceVector<2> out;
  out.d.fill(Vec3::Zero());
  out.d[0] = v;
  return out;
}

/// Adds a . R_AB b to an equation, a = a(u1, v1) in A, b = b(u2, v2) in B, with its derivatives by (p_AB_A, rotation, u1, v1, u2,
/// v2). The second derivatives are in the exponential chart.
template <int order_a, int order_b, class Terms>
void add_product(const Mat3& R_AB, const SurfaceVector<order_a>& a, const SurfaceVector<order_b>& b,
                 bool second, int row, Terms& out) {
  std::array<Vec3, 6> r;  // a in the axes of B
  for (std::size_t k = 0; k < (second ? 6U : 3U); ++k) r[k] = R_AB.transpose() * a.d[k];
  const double value = r[0].dot(b.d[0]);
  out.C[row] += value;
  auto G = out.G.row(row);
  G.template segment<3>(3) += b.d[0].cross(r[0]).transpose();
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(1 + k);
    G[6 + k] += r[at].dot(b.d[0]);
    G[8 + k] += r[0].dot(b.d[at]);
  }
  if (!second) return;
  auto& H = out.H[static_cast<std::size_t>(row)];
  H.template block<3, 3>(3, 3) += 0.5 * (r[0] * b.d[0].transpose() + b.d[0] * r[0].transpose());
  H.template block<3, 3>(3, 3).diagonal().array() -= value;
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(1 + k);
    const Vec3 by_one = b.d[0].cross(r[at]), by_two = b.d[at].cross(r[0]);
    H.template block<3, 1>(3, 6 + k) += by_one;
    H.template block<1, 3>(6 + k, 3) += by_one.transpose();
    H.template block<3, 1>(3, 8 + k) += by_two;
    H.template block<1, 3>(8 + k, 3) += by_two.transpose();
    for (int l = 0; l < 2; ++l) {
      const auto to = static_cast<std::size_t>(1 + l), both = static_cast<std::size_t>(3 + k + l);
      H(6 + k, 6 + l) += r[both].dot(b.d[0]);
      H(8 + k, 8 + l) += r[0].dot(b.d[both]);
      const double mixed = r[at].dot(b.d[to]);
      H(6 + k, 8 + l) += mixed;
      H(8 + l, 6 + k) += mixed;
    }
  }
}

/// Adds p_AB_A + R_AB q - s to the first three equations, q = q(u2, v2) in B, s = s(u1, v1) in A, with derivatives by
/// (p_AB_A, rotation, u1, v1, u2, v2); second ones in the exponential chart.
template <int order_s, int order_q, class Terms>
void add_closure(const Mat3& R_AB, const Vec3& p_AB_A, const SurfaceVector<order_s>& s,
                 const SurfaceVector<order_q>& q, bool second, Terms& out) {
  std::array<Vec3, 6> moved;  // q in the axes of A
  for (std::size_t k = 0; k < (second ? 6U : 3U); ++k) moved[k] = R_AB * q.d[k];
  out.C.template head<3>() += p_AB_A + moved[0] - s.d[0];
  for (int i = 0; i < 3; ++i) {
    const Vec3 r = R_AB.row(i);
    auto G = out.G.row(i);
    G[i] += 1;
    G.template segment<3>(3) += q.d[0].cross(r).transpose();
    for (int k = 0; k < 2; ++k) {
      const auto at = static_cast<std::size_t>(1 + k);
      G[6 + k] -= s.d[at][i];
      G[8 + k] += moved[at][i];
    }
    if (!second) continue;
    auto& H = out.H[static_cast<std::size_t>(i)];
    H.template block<3, 3>(3, 3) += 0.5 * (r * q.d[0].transpose() + q.d[0] * r.transpose());
    H.template block<3, 3>(3, 3).diagonal().array() -= moved[0][i];
    for (int k = 0; k < 2; ++k) {
      const Vec3 mixed = q.d[static_cast<std::size_t>(1 + k)].cross(r);
      H.template block<3, 1>(3, 8 + k) += mixed;
      H.template block<1, 3>(8 + k, 3) += mixed.transpose();
      for (int l = 0; l < 2; ++l) {
        const auto both = static_cast<std::size_t>(3 + k + l);
        H(6 + k, 6 + l) -= s.d[both][i];
        H(8 + k, 8 + l) += moved[both][i];
      }
    }
  }
}

/// Adds a . (p_AB_A - s) to an equation, a = a(u1, v1) and s = s(u1, v1) in A.
template <int order_a, int order_s, class Terms>
void add_offset(const Vec3& p_AB_A, const SurfaceVector<order_a>& a, const SurfaceVector<order_s>& s,
                bool second, int row, Terms& out) {
  const Vec3 d = p_AB_A - s.d[0];
  out.C[row] += a.d[0].dot(d);
  auto G = out.G.row(row);
  G.template segment<3>(0) += a.d[0].transpose();
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(1 + k);
    G[6 + k] += a.d[at].dot(d) - a.d[0].dot(s.d[at]);
  }
  if (!second) return;
  auto& H = out.H[static_cast<std::size_t>(row)];
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(1 + k);
    H.template block<3, 1>(0, 6 + k) += a.d[at];
    H.template block<1, 3>(6 + k, 0) += a.d[at].transpose();
    for (int l = 0; l < 2; ++l) {
      const auto to = static_cast<std::size_t>(1 + l), both = static_cast<std::size_t>(3 + k + l);
      H(6 + k, 6 + l) +=
          a.d[both].dot(d) - a.d[at].dot(s.d[to]) - a.d[to].dot(s.d[at]) - a.d[0].dot(s.d[both]);
    }
  }
}

}  // namespace trammel::surface_contact
