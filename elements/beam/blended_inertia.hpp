#pragma once

#include <array>

#include "helicoid.hpp"

namespace trammel::beam {

/// Mass per length of a section, about the origin of its triad and in its components.
struct SectionMass {
  double density = 0;           ///< rho A [kg/m]
  Vec3 first = Vec3::Zero();    ///< rho A times the centre of mass [kg]
  Mat3 inertia = Mat3::Zero();  ///< rotary inertia about the origin [kg m]

  /// Second moments of mass, integral of rho y y^T over the section: inertia = tr(S) I - S.
  Mat3 second() const { return 0.5 * inertia.trace() * Mat3::Identity() - inertia; }
};

/// Inertia of one element: constants of the reference element.
///
/// Every material point moves as the linear blend of the two rigid motions that the end triads would give it,
///
///     x(s, y) = sum_i N_i(s) (p_i + R_i y_i),    i = 1, 2,
///
/// with y_i its constant offset from node i less the chord, so that the reference shape (curved, twisted,
/// tapered) is met exactly and every rigid motion has its exact momentum. The kinetic energy that follows is
/// a quadratic form of nodal accelerations with constant coefficients for the translations; all gyroscopic
/// terms are those of this interpolation, so linear and angular momentum are conserved by the semi-discrete
/// equations. `C`: of one element double, of several Lanes.
template <class C>
struct BlendedMassOf {
  std::array<C, 3> mass{};                        ///< integral of N_i N_j rho: (1,1), (1,2), (2,2)
  std::array<std::array<Vec3T<C>, 2>, 2> first;   ///< [i][j]: integral of N_i N_j rho y_i
  std::array<std::array<Mat3T<C>, 2>, 2> second;  ///< [i][j]: integral of N_i N_j rho y_j y_i^T
  bool offset = false;                            ///< some `first` is not zero

  BlendedMassOf() {
    for (auto& row : first) row.fill(Vec3T<C>::Zero());
    for (auto& row : second) row.fill(Mat3T<C>::Zero());
  }
};

/// That of one element.
struct BlendedMass : BlendedMassOf<double> {
  /// Adds the mass ds * section at weight N_2 = xi. `R_iS`, `c_i`: triad and origin of the section in node
  /// i's components, the origin measured from the chord point p_1 + xi (p_2 - p_1).
  void add(double xi, double ds, const SectionMass& section, const std::array<Mat3, 2>& R_iS,
           const std::array<Vec3, 2>& c_i) {
    const std::array<double, 2> N{1 - xi, xi};
    const Mat3 S = section.second();
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const double w = N[i] * N[j] * ds;
        const Vec3 f_i = R_iS[i] * section.first;
        const Vec3 f_j = R_iS[j] * section.first;
        first[i][j] += w * (f_i + section.density * c_i[i]);
        second[i][j] += w * (R_iS[j] * S * R_iS[i].transpose() + f_j * c_i[i].transpose() +
                             c_i[j] * f_i.transpose() + section.density * c_i[j] * c_i[i].transpose());
        if (j >= i) mass[i + j] += w * section.density;
      }
    }
  }

  /// Drops first moments that are rounding of zero, so that the usual beam takes the short way.
  void finish(double length) {
    double largest = 0;
    for (const auto& row : first)
      for (const Vec3& f : row) largest = std::max(largest, f.cwiseAbs().maxCoeff());
    offset = largest > 1e-14 * length * (mass[0] + mass[2]);
    if (!offset)
      for (auto& row : first) row.fill(Vec3::Zero());
  }

  /// Mass that node i carries in a uniform field, and its first moment about the node in the node's
  /// components.
  double nodal_mass(std::size_t i) const { return mass[2 * i] + mass[1]; }
  Vec3 nodal_first(std::size_t i) const { return first[i][0] + first[i][1]; }
};

/// The inertia forces of one element and their exact tangents; rows and columns as in ElasticForces.
template <class Number, class C = double>
class InertiaForcesOf {
 public:
  InertiaForcesOf(const BlendedMassOf<C>& mass, const NodeMotionOf<Number>& n1,
                  const NodeMotionOf<Number>& n2)
      : mass_(mass), n_{&n1, &n2} {
    R_12_.noalias() = n1.R_WS.transpose() * n2.R_WS;
  }

  template <class Vector>
  void add_residual(Vector& r) const {
    const std::array<Mat3T<Number>, 2> A{turning(0), turning(1)};
    const Vec3T<Number>& a1 = n_[0]->a_WS;
    const Vec3T<Number>& a2 = n_[1]->a_WS;
    Vec3T<Number> f1 = mass_.mass[0] * a1 + mass_.mass[1] * a2;
    Vec3T<Number> f2 = mass_.mass[1] * a1 + mass_.mass[2] * a2;
    const Mat3T<Number> C12 = R_12_ * A[1];
    const Mat3T<Number> C21 = R_12_.transpose() * A[0];
    Vec3T<Number> m1 = moment(A[0] * second(0, 0) + C12 * second(0, 1));
    Vec3T<Number> m2 = moment(A[1] * second(1, 1) + C21 * second(1, 0));
    if (mass_.offset) {
      const Vec3T<Number> b11 = n_[0]->R_WS * (A[0] * first(0, 0));
      const Vec3T<Number> b12 = n_[1]->R_WS * (A[1] * first(1, 0));
      const Vec3T<Number> b21 = n_[0]->R_WS * (A[0] * first(0, 1));
      const Vec3T<Number> b22 = n_[1]->R_WS * (A[1] * first(1, 1));
      f1 += b11 + b12;
      f2 += b21 + b22;
      const Mat3T<Number>& R1 = n_[0]->R_WS;
      const Mat3T<Number>& R2 = n_[1]->R_WS;
      m1 += first(0, 0).cross(R1.transpose() * a1) + first(0, 1).cross(R1.transpose() * a2);
      m2 += first(1, 0).cross(R2.transpose() * a1) + first(1, 1).cross(R2.transpose() * a2);
    }
    r.template segment<3>(0) += f1;
    r.template segment<3>(3) += m1;
    r.template segment<3>(6) += f2;
    r.template segment<3>(9) += m2;
  }

  /// Adds dr/dq to K and dr/dv to D, and writes M = dr/da (all of it).
  template <class Matrix>
  void add_tangents(Matrix& K, Matrix& D, Matrix& M) const {
    M.setZero();
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const int pi = static_cast<int>(6 * i);
        const int pj = static_cast<int>(6 * j);
        M.template block<3, 3>(pi, pj).diagonal().setConstant(mass_.mass[i + j]);
        if (i == j)
          add_own_moments(i, D, M);
        else
          add_cross_moments(i, j, K, D, M);
        if (mass_.offset) add_offset(i, j, K, D, M);
      }
    }
  }

  /// Kinetic energy [J].
  Number energy() const {
    const NodeMotionOf<Number>&n1 = *n_[0], &n2 = *n_[1];
    const Mat3T<Number> w1 = skew(n1.w_WS_S), w2 = skew(n2.w_WS_S);
    Number twice = mass_.mass[0] * n1.v_WS.squaredNorm() + mass_.mass[2] * n2.v_WS.squaredNorm() +
                   2 * mass_.mass[1] * n1.v_WS.dot(n2.v_WS) + own_rotation(0) + own_rotation(1);
    // Both mixed terms are the trace of R_2 w_2~ S w_1~^T R_1^T, S the integral of N_1 N_2 rho y_2 y_1^T.
    twice += 2 * R_12_.cwiseProduct(Mat3T<Number>(w1 * (w2 * second(0, 1)).transpose())).sum();
    if (!mass_.offset) return 0.5 * twice;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        twice += 2 * n_[j]->v_WS.dot(n_[i]->R_WS * n_[i]->w_WS_S.cross(first(i, j)));
    return 0.5 * twice;
  }

  /// Linear momentum, and angular momentum about the world's origin, in world components.
  std::pair<Vec3T<Number>, Vec3T<Number>> momentum() const {
    Vec3T<Number> linear = Vec3T<Number>::Zero();
    Vec3T<Number> angular = Vec3T<Number>::Zero();
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const Mat3T<Number>& R_i = n_[i]->R_WS;
        const Mat3T<Number> W_j = n_[j]->R_WS * skew(n_[j]->w_WS_S);
        const Vec3T<Number> share = mass_.mass[i + j] * n_[j]->v_WS + W_j * first(j, i);
        linear += share;
        angular += n_[i]->p_WS.cross(share) + (R_i * first(i, j)).cross(n_[j]->v_WS) +
                   moment(W_j * second(i, j) * R_i.transpose());
      }
    }
    return {linear, angular};
  }

 private:
  Vec3T<Number> first(std::size_t i, std::size_t j) const {
    return mass_.first[i][j].template cast<Number>();
  }
  auto second(std::size_t i, std::size_t j) const { return mass_.second[i][j].template cast<Number>(); }
  /// integral of y x (C y') for C S = C (integral of y' y^T): twice the axial vector.
  static Vec3T<Number> moment(const Mat3T<Number>& CS) {
    return {CS(2, 1) - CS(1, 2), CS(0, 2) - CS(2, 0), CS(1, 0) - CS(0, 1)};
  }

  /// wdot~ + w~ w~ of node i.
  Mat3T<Number> turning(std::size_t i) const {
    const Vec3T<Number>& w = n_[i]->w_WS_S;
    Mat3T<Number> A = w * w.transpose() + skew(n_[i]->wdot_WS_S);
    A.diagonal().array() -= w.squaredNorm();
    return A;
  }

  /// Twice the kinetic energy of the turning of node i alone.
  Number own_rotation(std::size_t i) const {
    const Mat3T<Number> S = second(i, i);
    const Vec3T<Number>& w = n_[i]->w_WS_S;
    return S.trace() * w.squaredNorm() - w.dot(S * w);
  }

  /// tr(S) I - S.
  static Mat3T<Number> complement(const Mat3T<Number>& S) {
    return S.trace() * Mat3T<Number>::Identity() - S;
  }

  /// Node i with itself: the Euler equations of its contribution, J wdot + w x J w.
  template <class Matrix>
  void add_own_moments(std::size_t i, Matrix& D, Matrix& M) const {
    const int t = static_cast<int>(6 * i) + 3;
    const Mat3T<Number> J = complement(second(i, i));
    const Vec3T<Number>& w = n_[i]->w_WS_S;
    M.template block<3, 3>(t, t) += J;
    D.template block<3, 3>(t, t) += skew(w) * J - skew(Vec3T<Number>(J * w));
  }

  /// Moment on node i by the turning of node j.
  template <class Matrix>
  void add_cross_moments(std::size_t i, std::size_t j, Matrix& K, Matrix& D, Matrix& M) const {
    const int ti = static_cast<int>(6 * i) + 3;
    const int tj = static_cast<int>(6 * j) + 3;
    const Mat3T<Number> R = i == 0 ? R_12_ : Mat3T<Number>(R_12_.transpose());
    const Mat3T<Number> S = second(i, j);
    const Vec3T<Number>& w = n_[j]->w_WS_S;
    const Mat3T<Number> A = turning(j);
    const Mat3T<Number> SR = S * R;
    // y_i x R (a x y_j) = R (tr(S R) I - S R) a.
    M.template block<3, 3>(ti, tj).noalias() += R * complement(SR);
    const Mat3T<Number> ASR = A * SR;
    K.template block<3, 3>(ti, tj).noalias() += R * complement(ASR);
    K.template block<3, 3>(ti, ti) -= complement(R * A * S);
    Mat3T<Number> G = complement(skew(w) * SR) + skew(Vec3T<Number>(SR.transpose() * w));
    G -= moment(SR) * w.transpose();
    D.template block<3, 3>(ti, tj).noalias() += R * G;
  }

  /// Terms of the first moments: force on i by the turning of j, moment on i by the acceleration of j.
  template <class Matrix>
  void add_offset(std::size_t i, std::size_t j, Matrix& K, Matrix& D, Matrix& M) const {
    const int pi = static_cast<int>(6 * i);
    const int pj = static_cast<int>(6 * j);
    const int ti = pi + 3;
    const int tj = pj + 3;
    const Mat3T<Number>& R_i = n_[i]->R_WS;
    const Mat3T<Number>& R_j = n_[j]->R_WS;
    const Vec3T<Number>& w = n_[j]->w_WS_S;
    const Vec3T<Number> f_j = first(j, i);
    const Vec3T<Number> f_i = first(i, j);
    M.template block<3, 3>(pi, tj) -= R_j * skew(f_j);
    M.template block<3, 3>(ti, pj).noalias() += skew(f_i) * R_i.transpose();
    K.template block<3, 3>(pi, tj) -= R_j * skew(Vec3T<Number>(turning(j) * f_j));
    K.template block<3, 3>(ti, ti) += skew(f_i) * skew(Vec3T<Number>(R_i.transpose() * n_[j]->a_WS));
    D.template block<3, 3>(pi, tj) -= R_j * (skew(Vec3T<Number>(w.cross(f_j))) + skew(w) * skew(f_j));
  }

  const BlendedMassOf<C>& mass_;
  std::array<const NodeMotionOf<Number>*, 2> n_;
  Mat3T<Number> R_12_;
};

using InertiaForces = InertiaForcesOf<double>;

}  // namespace trammel::beam
