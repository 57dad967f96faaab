#pragma once

#include "rotation_laws.hpp"
#include "sides.hpp"

namespace trammel::lower_pairs {

/// v x each column of M.
inline Mat3 cross_columns(const Vec3& v, const Mat3& M) {
  Mat3 result;
  for (int j = 0; j < 3; ++j) result.col(j) = v.cross(M.col(j));
  return result;
}

/// p x each row of M: -M p~.
inline Mat3 cross_rows(const Vec3& p, const Mat3& M) {
  Mat3 result;
  result.col(0) = M.col(2) * p[1] - M.col(1) * p[2];
  result.col(1) = M.col(0) * p[2] - M.col(2) * p[0];
  result.col(2) = M.col(1) * p[0] - M.col(0) * p[1];
  return result;
}

/// The tangent of a sliding joint between frames, or a frame and the ground: the equations p_AB_A in the components from
/// `first_row` on, with the force lambda in the axes of A, and those of a rotation law.
///
/// With Z the stiffness by the rotation of marker B, in its own axes, that by the rotation of A is -Z R_BA, and all
/// other blocks are Z turned, and products of two vectors: W_A, W_B take the rotations of the frames to the markers' axes,
/// and U = R_BA W_A. The blocks (A, B) and (B, A) are transposes, since only m~/2 is not symmetric.
template <int rows, int first_row, class Law>
struct RigidTangent {
  using Terms = typename Law::Terms;
  static constexpr int equations = Law::equations, coordinates = Law::coordinates;

  const LocalState& x;
  const Side<3>&a, &b;
  const Mat3& R_AB;
  const Vec3& p_AB_A;
  const Vec3& lambda;
  int force_row, angle_row, moment_row;

  /// `terms` is null where the rotation block is shared; else `multipliers` are the law's, and m their relative moment.
  void add(const Terms* terms, const double* multipliers, const Vec3& m, MatrixMap K) const {
    const Mat3 R_BA = R_AB.transpose();
    const Vec3 force_B = R_BA * lambda;
    const Vec3 arm_B = b.marker.R_FM().transpose() * b.marker.p_FM_F();
    Mat3 Z = force_B * arm_B.transpose();  // arm~ force~, of the force on B about its frame's origin
    Z.diagonal().array() -= arm_B.dot(force_B);
    typename Terms::Hessian H;
    if (terms != nullptr) {
      H = multipliers[0] * terms->H[0];
      for (int i = 1; i < equations; ++i) H += multipliers[i] * terms->H[static_cast<std::size_t>(i)];
      Z += H.template topLeftCorner<3, 3>() + 0.5 * skew(m);
    }

    const Mat3 R_AW = a.motion.R_WM.transpose();
    for (const Side<3>* s : {&a, &b})
      if (s->columns > 0)
        put_both<rows>(s->sign * R_AW.template middleRows<rows>(first_row), force_row, s->column, K);
    const Mat3 W_B = b.marker.R_FM().transpose();
    if (b.columns > 0) {
      const Mat3 V = cross_rows(b.marker.p_FM_F(), R_AB * W_B);
      put_both<rows>(V.template middleRows<rows>(first_row), force_row, b.dense, K);
      const Mat3 Z_W = Z * W_B;
      K.template block<3, 3>(b.dense, b.dense) = W_B.transpose() * Z_W;
      if (terms != nullptr) put_law(*terms, H, W_B, b.dense, K);
    }
    if (a.columns > 0) {
      const Mat3& N = a.marker.R_FM();
      const Mat3 U = R_BA * N.transpose();
      const Mat3 Z_U = Z * U;
      const Vec3 lever = p_AB_A + N.transpose() * a.marker.p_FM_F();  // from the origin of A's frame to B
      put_both<rows>(cross_columns(lever, N.transpose()).template middleRows<rows>(first_row), force_row,
                     a.dense, K);
      // lambda~ lever~ - (R_AB arm_B)~ lambda~ - (R_AB m)~, in the axes of A's frame.
      const Vec3 f = N * lambda, l = N * lever, arm = N * (R_AB * arm_B);
      Mat3 K_A = U.transpose() * Z_U + l * f.transpose() - f * arm.transpose() - skew(Vec3(N * (R_AB * m)));
      K_A.diagonal().array() += f.dot(arm - l);
      K.template block<3, 3>(a.dense, a.dense) = K_A;
      const Mat3 turning = cross_columns(a.motion.R_WM * lambda, x.rotation(a.first_block + 1));
      put_both<3>(turning, a.column, a.dense, K);
      if (b.columns > 0) {
        put_both<3>(-turning, b.column, a.dense, K);
        put_both<3>(-(W_B.transpose() * Z_U), b.dense, a.dense, K);
      }
      if (terms != nullptr) put_law(*terms, H, -U, a.dense, K);
    }
    if constexpr (coordinates > 0) {
      if (terms == nullptr) return;
      const auto G = terms->G.template rightCols<coordinates>();
      K.template block<coordinates, coordinates>(angle_row, angle_row) =
          H.template bottomRightCorner<coordinates, coordinates>();
      K.template block<equations, coordinates>(moment_row, angle_row) = G;
      K.template block<coordinates, equations>(angle_row, moment_row) = G.transpose();
    }
  }

 private:
  /// A block and its transpose opposite.
  template <int n, class Block>
  static void put_both(const Block& expression, int row, int column, MatrixMap& K) {
    const Eigen::Matrix<double, n, 3> block = expression;
    K.template block<n, 3>(row, column) = block;
    K.template block<3, n>(column, row) = block.transpose();
  }
  /// The law's rows in the columns of a rotation that turns the relative one by T.
  void put_law(const Terms& terms, const typename Terms::Hessian& H, const Mat3& T, int column,
               MatrixMap& K) const {
    const Eigen::Matrix<double, equations, 3> B = terms.G.template leftCols<3>() * T;
    K.template block<equations, 3>(moment_row, column) = B;
    K.template block<3, equations>(column, moment_row) = B.transpose();
    if constexpr (coordinates > 0) {
      const Eigen::Matrix<double, coordinates, 3> h = H.template bottomLeftCorner<coordinates, 3>() * T;
      K.template block<coordinates, 3>(angle_row, column) = h;
      K.template block<3, coordinates>(column, angle_row) = h.transpose();
    }
  }
};

}  // namespace trammel::lower_pairs
