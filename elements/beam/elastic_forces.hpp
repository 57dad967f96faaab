#pragma once

#include "helicoid.hpp"

namespace trammel::beam {

/// Elastic and viscous law of one element: section forces (N, M) = stiffness (e - reference) + damping de/dt
/// with the strain e = h / length = (Gamma, kappa), Gamma including e_1. All in section components. `C`: of one element double, of
/// several Lanes.
template <class C>
struct ElasticLawOf {
  C length{0};  ///< reference arc length [m]
  Vec6T<C> reference = Vec6T<C>::Zero();
  Mat6T<C> stiffness = Mat6T<C>::Zero();  ///< symmetric
  Mat6T<C> damping = Mat6T<C>::Zero();    ///< symmetric
  bool damped = false;

  template <class S>
  Vec6T<S> strain(const HelicoidOf<S>& helicoid) const {
    return helicoid.h() / S(length) - reference.template cast<S>();
  }
  template <class S>
  Vec6T<S> strain_rate(const HelicoidOf<S>& g, const NodeMotionOf<S>& n1, const NodeMotionOf<S>& n2) const {
    return g.rate(n1.R_WS.transpose() * n1.v_WS, n1.w_WS_S, n2.R_WS.transpose() * n2.v_WS, n2.w_WS_S) /
           S(length);
  }
  template <class S>
  Vec6T<S> section_force(const HelicoidOf<S>& g, const NodeMotionOf<S>& n1, const NodeMotionOf<S>& n2) const {
    Vec6T<S> force = stiffness.template cast<S>() * strain(g);
    if (damped) force.noalias() += damping.template cast<S>() * strain_rate(g, n1, n2);
    return force;
  }
};

using ElasticLaw = ElasticLawOf<double>;

/// The internal forces of one element and their exact tangents.
///
/// Rows and columns are (position 1, rotation 1, position 2, rotation 2): positions along world increments,
/// rotations along R <- R exp(dtheta~) of the section triads.
template <class S, class C = double>
class ElasticForcesOf {
 public:
  ElasticForcesOf(const ElasticLawOf<C>& law, const NodeMotionOf<S>& n1, const NodeMotionOf<S>& n2)
      : law_(law), n1_(n1), n2_(n2), g_(n1, n2) {
    const Vec6T<S> force = law.section_force(g_, n1, n2);
    n_ = force.template head<3>();
    m_ = force.template tail<3>();
    // dh = (A (dp_2 - dp_1) + B2 dtheta_2 - B1 dtheta_1, A2 dtheta_2 - A1 dtheta_1), with one A for both
    // nodes: T^-1(theta) R_2^T = T^-1(-theta) R_1^T.
    A_.noalias() = g_.A2 * n2.R_WS.transpose();
  }

  const HelicoidOf<S>& helicoid() const { return g_; }
  /// Section forces (N, M), constant along the element.
  Vec6T<S> section_force() const {
    Vec6T<S> force;
    force << n_, m_;
    return force;
  }

  template <class Vector>
  void add_residual(Vector& r) const {
    const Vec3T<S> f = A_.transpose() * n_;
    r.template segment<3>(0) -= f;
    r.template segment<3>(3) -= g_.B1.transpose() * n_ + g_.A1.transpose() * m_;
    r.template segment<3>(6) += f;
    r.template segment<3>(9) += g_.B2.transpose() * n_ + g_.A2.transpose() * m_;
  }

  /// Writes K = dr/dq (all of it).
  template <class Matrix>
  void set_K(Matrix& K) const {
    Mat6T<S> by_h = by_length(law_.stiffness);
    if (law_.damped) {
      const Mat6T<S> H = g_.rate_gradient(n1_.R_WS.transpose() * n1_.v_WS, n1_.w_WS_S,
                                          n2_.R_WS.transpose() * n2_.v_WS, n2_.w_WS_S);
      by_h.noalias() += by_length(law_.damping).lazyProduct(H);
    }
    const Mat3T<S> E = g_.dA(n_);
    const Mat3T<S> half_n = 0.5 * skew(n_);
    const Mat3T<S> half_m = 0.5 * skew(m_);
    const Mat3T<S> F = g_.dA(m_) + g_.dB(n_);

    Rows p = weighted(A_, nullptr, by_h);
    p.by_theta.noalias() += n2_.R_WS * (E + half_n);
    Rows r2 = weighted(g_.B2, &g_.A2, by_h);
    r2.by_u += E + half_n;
    r2.by_theta += F + half_m;
    Rows r1 = weighted(g_.B1, &g_.A1, by_h);
    r1.by_u += E - half_n;
    r1.by_theta += F - half_m;

    put(K, p, r1, r2);
    // f = R_2 (A2^T n) turns with R_2.
    const Mat3T<S> turn = n2_.R_WS * skew(Vec3T<S>(g_.A2.transpose() * n_));
    K.template block<3, 3>(6, 9) -= turn;
    K.template block<3, 3>(0, 9) += turn;
    if (law_.damped) add_velocity_turn(K);
  }

  /// Writes D = dr/dv (all of it); zero without damping.
  template <class Matrix>
  void set_D(Matrix& D) const {
    if (!law_.damped) {
      D.setZero();
      return;
    }
    const Mat6T<S> by_h = by_length(law_.damping);
    put(D, weighted(A_, nullptr, by_h), weighted(g_.B1, &g_.A1, by_h), weighted(g_.B2, &g_.A2, by_h));
  }

  using StrainGradient = Eigen::Matrix<S, 6, 12>;
  /// d(h)/dq of h = length (strain + reference).
  StrainGradient helicoid_gradient() const {
    StrainGradient G = StrainGradient::Zero();
    G.template block<3, 3>(0, 0) = -A_;
    G.template block<3, 3>(0, 3) = -g_.B1;
    G.template block<3, 3>(0, 6) = A_;
    G.template block<3, 3>(0, 9) = g_.B2;
    G.template block<3, 3>(3, 3) = -g_.A1;
    G.template block<3, 3>(3, 9) = g_.A2;
    return G;
  }
  /// d(section force)/dq.
  StrainGradient section_force_gradient() const {
    const StrainGradient G = helicoid_gradient();
    StrainGradient by_q = by_length(law_.stiffness) * G;
    if (!law_.damped) return by_q;
    const Vec3T<S> v1 = n1_.R_WS.transpose() * n1_.v_WS, v2 = n2_.R_WS.transpose() * n2_.v_WS;
    StrainGradient of_rate = g_.rate_gradient(v1, n1_.w_WS_S, v2, n2_.w_WS_S) * G;
    of_rate.template block<3, 3>(0, 3) -= g_.A1 * skew(v1);
    of_rate.template block<3, 3>(0, 9) += g_.A2 * skew(v2);
    by_q += by_length(law_.damping) * of_rate;
    return by_q;
  }

 private:
  Mat6T<S> by_length(const Mat6T<C>& law) const { return (law / law_.length).template cast<S>(); }

  /// A row block of dr/dh.
  struct Rows {
    Mat3T<S> by_u, by_theta;
  };

  static Rows weighted(const Mat3T<S>& along_u, const Mat3T<S>* along_theta, const Mat6T<S>& by_h) {
    Rows rows;
    rows.by_u.noalias() = along_u.transpose() * by_h.template topLeftCorner<3, 3>();
    rows.by_theta.noalias() = along_u.transpose() * by_h.template topRightCorner<3, 3>();
    if (along_theta != nullptr) {
      rows.by_u.noalias() += along_theta->transpose() * by_h.template bottomLeftCorner<3, 3>();
      rows.by_theta.noalias() += along_theta->transpose() * by_h.template bottomRightCorner<3, 3>();
    }
    return rows;
  }

  /// Multiplies the rows of dr/dh by dh/dq; rows `p` and `r2` count for node 2, `r1` with a minus for node 1.
  template <class Matrix>
  void put(Matrix& K, const Rows& p, const Rows& r1, const Rows& r2) const {
    const auto put_row = [&](int row, const Rows& rows, double sign) {
      const Mat3T<S> by_p = sign * (rows.by_u * A_);
      K.template block<3, 3>(row, 0) = -by_p;
      K.template block<3, 3>(row, 3).noalias() = -sign * (rows.by_u * g_.B1 + rows.by_theta * g_.A1);
      K.template block<3, 3>(row, 6) = by_p;
      K.template block<3, 3>(row, 9).noalias() = sign * (rows.by_u * g_.B2 + rows.by_theta * g_.A2);
    };
    put_row(6, p, 1.0);
    K.template middleRows<3>(0) = -K.template middleRows<3>(6);
    put_row(3, r1, -1.0);
    put_row(9, r2, 1.0);
  }

  /// With the block velocities fixed, R^T v turns by (R^T v)~ dtheta, and the viscous forces with it.
  template <class Matrix>
  void add_velocity_turn(Matrix& K) const {
    const Mat6T<S> by_h = by_length(law_.damping);
    const Mat3T<S> t1 = g_.A1 * skew(Vec3T<S>(n1_.R_WS.transpose() * n1_.v_WS));
    const Mat3T<S> t2 = g_.A2 * skew(Vec3T<S>(n2_.R_WS.transpose() * n2_.v_WS));
    const auto add_row = [&](int row, const Rows& rows, double sign) {
      K.template block<3, 3>(row, 3) -= sign * (rows.by_u * t1);
      K.template block<3, 3>(row, 9) += sign * (rows.by_u * t2);
    };
    const Rows p = weighted(A_, nullptr, by_h);
    add_row(0, p, -1.0);
    add_row(3, weighted(g_.B1, &g_.A1, by_h), -1.0);
    add_row(6, p, 1.0);
    add_row(9, weighted(g_.B2, &g_.A2, by_h), 1.0);
  }

  const ElasticLawOf<C>& law_;
  const NodeMotionOf<S>& n1_;
  const NodeMotionOf<S>& n2_;
  HelicoidOf<S> g_;
  Mat3T<S> A_;
  Vec3T<S> n_, m_;
};

using ElasticForces = ElasticForcesOf<double>;

}  // namespace trammel::beam
