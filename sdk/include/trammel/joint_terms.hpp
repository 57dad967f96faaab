#pragma once

#include <array>
#include <concepts>

#include "trammel/joint_structure.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// The arguments of a joint's equations: the pose of marker B relative to marker A (R_AB; p_AB_A [m], in the axes
/// of A), the coordinates c of the joint in their own units, and the time t [s]. `S`: double, or Lanes for several joints at once.
template <int coordinates, class S = double>
struct RelativeState {
  Mat3T<S> R_AB;
  Vec3T<S> p_AB_A;
  Eigen::Matrix<S, coordinates, 1> c;
  double t = 0;
};

/// The equations C of a joint and their derivatives by z = (zeta; c). zeta = (d p_AB_A; dtheta) are six numbers:
/// the increment of p_AB_A in the axes of A [m], and the increment of the rotation in the axes of B [rad], R_AB <-
/// R_AB exp(dtheta~). c are the coordinates of the joint. `S` as in RelativeState.
template <int equations, int coordinates, class S = double>
struct JointTerms {
  static constexpr int variables = 6 + coordinates;
  using Vector = Eigen::Matrix<S, equations, 1>;
  using Gradient = Eigen::Matrix<S, equations, variables, Eigen::RowMajor>;
  using Hessian = Eigen::Matrix<S, variables, variables>;

  Vector C = Vector::Zero();
  Gradient G = Gradient::Zero();  ///< dC/dz
  /// Second derivatives of each equation in the exponential chart, R_AB exp(x~) at x = 0: symmetric.
  std::array<Hessian, equations> H;
  // First and second derivative of C, and derivative of G, by the explicit time. Zero if the equations do not
  // contain t.
  Vector C_t = Vector::Zero(), C_tt = Vector::Zero();
  Gradient G_t = Gradient::Zero();

  /// Sets everything to zero; H only if `second`.
  explicit JointTerms(bool second = true) {
    if (second) H.fill(Hessian::Zero());
  }
  struct NotSet {};
  /// Sets nothing, for speed.
  explicit JointTerms(NotSet) : C(), G(), C_t(), C_tt(), G_t() {}

  JointTermsView view() const requires std::same_as<S, double> {
    static_assert(sizeof H == sizeof(double) * equations * variables * variables);
    return {equations,        coordinates, C.data(),    G.data(),
            H.front().data(), C_t.data(),  C_tt.data(), G_t.data()};
  }
};

}  // namespace trammel
