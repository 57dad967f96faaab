#pragma once

#include "trammel/lie/stumpff.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::lie {

/// The isotropic operator F(theta) = A 1 + B theta theta^T + G theta~ with A, B, G functions of x =
/// |theta|^2, and their derivatives: A1 = 2 dA/dx, A2 = 2 dA1/dx, so that d(A) = A1 theta^T dtheta; likewise
/// B1, B2, G1, G2. The exponential, the tangent operator, its inverse and the transposes of all three have
/// this form. Whoever makes one fills in as many derivatives as are needed; the others stay 0.
template <class S>
struct Isotropic {
  S A = S(0.0), B = S(0.0), G = S(0.0);
  S A1 = S(0.0), B1 = S(0.0), G1 = S(0.0);
  S A2 = S(0.0), B2 = S(0.0), G2 = S(0.0);

  /// F^T = F(-theta).
  Isotropic transposed() const {
    Isotropic result = *this;
    result.G = -G;
    result.G1 = -G1;
    result.G2 = -G2;
    return result;
  }

  /// F(theta), 3x3.
  Mat3T<S> value(const Vec3T<S>& theta) const {
    const Vec3T<S> Bt = B * theta;
    const Vec3T<S> Gt = G * theta;
    Mat3T<S> F = Bt * theta.transpose() + skew(Gt);
    F.diagonal().array() += A;
    return F;
  }

  /// d/de F(theta + e u) at e = 0, 3x3.
  Mat3T<S> along(const Vec3T<S>& theta, const Vec3T<S>& u) const {
    const S s = dot(theta, u);
    const Vec3T<S> left = S(s * B1) * theta + B * u;
    const Vec3T<S> Bt = B * theta;
    const Vec3T<S> turn = S(s * G1) * theta + G * u;
    Mat3T<S> F = left * theta.transpose() + Bt * u.transpose() + skew(turn);
    F.diagonal().array() += S(s * A1);
    return F;
  }

  /// d(F(theta) b)/dtheta, 3x3.
  Mat3T<S> derivative(const Vec3T<S>& theta, const Vec3T<S>& b) const {
    const S r = dot(theta, b);
    const Vec3T<S> on_theta = slope(theta, b, r);
    const Vec3T<S> Bt = B * theta;
    const Vec3T<S> Gb = G * b;
    Mat3T<S> F = on_theta * theta.transpose() + Bt * b.transpose() - skew(Gb);
    F.diagonal().array() += S(B * r);
    return F;
  }

  /// d(derivative(theta, b) u)/dtheta with b and u fixed, 3x3.
  Mat3T<S> second_derivative(const Vec3T<S>& theta, const Vec3T<S>& b, const Vec3T<S>& u) const {
    const S r = dot(theta, b);
    const S s = dot(theta, u);
    const S m = dot(u, b);
    const Vec3T<S> txb = cross(theta, b);
    const Vec3T<S> uxb = cross(u, b);
    const S on_t = S(S(S(s * r) * B2) + S(B1 * m));
    const Vec3T<S> on_theta = S(s * A2) * b + on_t * theta + S(s * G2) * txb + S(B1 * r) * u + G1 * uxb;
    const Vec3T<S> on_u = slope(theta, b, r);
    const Vec3T<S> on_b = S(B1 * s) * theta + B * u;
    const Vec3T<S> turn = S(G1 * s) * b;
    Mat3T<S> F = on_theta * theta.transpose() + on_u * u.transpose() + on_b * b.transpose() - skew(turn);
    F.diagonal().array() += S(S(S(B1 * r) * s) + S(B * m));
    return F;
  }

 private:
  Vec3T<S> slope(const Vec3T<S>& theta, const Vec3T<S>& b, const S& r) const {
    return A1 * b + S(B1 * r) * theta + G1 * cross(theta, b);
  }
};

/// The rotation matrix as an isotropic operator of its rotation vector; value only.
template <class S>
Isotropic<S> exp_operator(const Vec3T<S>& theta) {
  const auto C = stumpff<2>(S(dot(theta, theta)));
  Isotropic<S> F;
  F.A = C[0];
  F.B = C[2];
  F.G = C[1];
  return F;
}

/// The right tangent operator T = C_1 1 + C_3 theta theta^T - C_2 theta~; derivatives up to Order (0, 1 or
/// 2).
template <int Order, class S>
Isotropic<S> tangent_operator(const Vec3T<S>& theta) {
  static_assert(Order >= 0 && Order <= 2);
  const auto C = stumpff<3 + 2 * Order>(S(dot(theta, theta)));
  Isotropic<S> F;
  F.A = C[1];
  F.B = C[3];
  F.G = -C[2];
  if constexpr (Order >= 1) {
    const S D2 = S(S(2.0) * C[4] - C[3]);
    const S D3 = S(S(3.0) * C[5] - C[4]);
    F.A1 = S(C[3] - C[2]);
    F.B1 = D3;
    F.G1 = -D2;
    if constexpr (Order >= 2) {
      const S D4 = S(S(4.0) * C[6] - C[5]);
      const S D5 = S(S(5.0) * C[7] - C[6]);
      F.A2 = S(D3 - D2);
      F.B2 = S(S(3.0) * D5 - D4);
      F.G2 = S(D3 - S(S(2.0) * D4));
    }
  }
  return F;
}

/// The inverse of the right tangent operator, T^-1 = (1 - k x) 1 + k theta theta^T + theta~/2 with k = (C_3 -
/// 2 C_4)/(2 C_2) = (1 - (a/2) cot(a/2))/a^2; singular at a = 2 pi. Derivatives up to Order (0, 1 or 2).
template <int Order, class S>
Isotropic<S> inverse_tangent_operator(const Vec3T<S>& theta) {
  static_assert(Order >= 0 && Order <= 2);
  const S x = dot(theta, theta);
  const auto C = stumpff<4 + 2 * Order>(x);
  const S scale = S(S(0.5) / C[2]);
  const S k = S(S(C[3] - S(S(2.0) * C[4])) * scale);
  Isotropic<S> F;
  F.A = S(S(1.0) - S(k * x));
  F.B = k;
  F.G = S(0.5);
  if constexpr (Order >= 1) {
    // D_k = 2 dC_k/dx and E_k = 2 dD_k/dx turn 2 C_2 k = C_3 - 2 C_4 into the derivatives k1, k2 of k.
    const S D2 = S(S(2.0) * C[4] - C[3]);
    const S D3 = S(S(3.0) * C[5] - C[4]);
    const S D4 = S(S(4.0) * C[6] - C[5]);
    const S k1 = S(S(S(D3 - S(S(2.0) * D4)) - S(S(2.0) * S(k * D2))) * scale);
    F.A1 = S(S(S(-2.0) * k) - S(x * k1));
    F.B1 = k1;
    F.G1 = S(0.0);
    if constexpr (Order >= 2) {
      const S D5 = S(S(5.0) * C[7] - C[6]);
      const S D6 = S(S(6.0) * C[8] - C[7]);
      const S E2 = S(S(2.0) * D4 - D3);
      const S E3 = S(S(3.0) * D5 - D4);
      const S E4 = S(S(4.0) * D6 - D5);
      const S right = S(S(E3 - S(S(2.0) * E4)) - S(S(S(2.0) * S(k * E2)) + S(S(4.0) * S(k1 * D2))));
      const S k2 = S(right * scale);
      F.A2 = S(S(S(-4.0) * k1) - S(x * k2));
      F.B2 = k2;
      F.G2 = S(0.0);
    }
  }
  return F;
}

}  // namespace trammel::lie
