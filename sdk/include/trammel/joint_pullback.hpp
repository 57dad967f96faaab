#pragma once

#include "trammel/joint_assembly.hpp"
#include "trammel/joint_equations.hpp"
#include "trammel/lie.hpp"

namespace trammel::detail {

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

/// Numbers in the dense columns of a marker.
template <int rows, int width>
using InColumns = std::conditional_t<width == Eigen::Dynamic, ByMarker<rows>,
                                     Eigen::Matrix<double, rows, width == Eigen::Dynamic ? 1 : width,
                                                   rows == 1 ? Eigen::RowMajor : Eigen::ColMajor>>;

/// One marker as the rows of a joint see it. Where both markers are rigid (width 3) only the three columns of its
/// rotation are dense, and those of its position are the identity.
template <int width>
struct MarkerColumns {
  const Marker& marker;
  const MarkerMotion& motion;
  int block;   ///< its first
  int column;  ///< of its first unknown
  double sign;
  int dense, columns;          ///< first dense column, and how many
  bool swings;                 ///< its origin moves along dense columns
  InColumns<3, width> D, T{};  ///< displacement and rotation of B relative to A, by the dense columns

  MarkerColumns(const Marker& m, const MarkerMotion& at, int first_block, int first_column, double s)
      : marker(m), motion(at), block(first_block), column(first_column), sign(s) {
    dense = width == 3 ? column + 3 : column;
    columns = width == 3 ? (motion.dofs == 6 ? 3 : 0) : motion.dofs;
    swings = columns > 0 && !m.at_frame_origin();
  }
  auto translation(const MarkerJacobian& J) const { return part(J, 0); }
  auto rotation(const MarkerJacobian& J) const { return part(J, 3); }
  /// R_WF of the frame that a rigid marker is fixed in.
  auto R_WF(const LocalState& x) const { return x.rotation(block + 1); }

 private:
  auto part(const MarkerJacobian& J, int row) const {
    if constexpr (width == 3)
      return J.template block<3, 3>(row, 3);
    else
      return J.middleRows<3>(row);
  }
};

/// Takes a joint's equations to the unknowns of what carries its markers: the residual, its tangent, and the equations'
/// rates, with the sparsity that is declared. `width` is 3 where both markers are rigid (or points, or the ground),
/// whose poses are all that the residual and the tangent need; else Eigen::Dynamic, with motions at the level `jacobian`
/// at least. Rates need MotionLevel::velocity, their gradient and the bias MotionLevel::full.
///
/// The rotation's stiffness Z by the rotation of marker B, in its own axes, is the Hessian of the exponential chart and m~/2
/// (m the relative moment); that by the rotation of A is -Z R_BA, and all other blocks are Z turned. Equations of the
/// displacement in the axes of A turn their forces with A. In the world (p_WB - p_WA = 0) they are sparser: the rows are
/// +-1 in the positions, and only levers have a geometric stiffness; that holds on the constraint only what is objective.
template <Displacement kind, int width, int displacements = Eigen::Dynamic, int rotations = Eigen::Dynamic,
          const JointStructure* constant = nullptr>
class JointPullback {
  static constexpr bool rigid = width == 3;
  static constexpr bool in_world = kind == Displacement::in_world, any = kind == Displacement::any;
  using Side = MarkerColumns<width>;
  using Columns = InColumns<3, width>;
  using RowOfColumns = InColumns<1, width>;
  using Row3 = Eigen::Matrix<double, 1, 3>;

 public:
  JointPullback(const JointSite& site, const LocalState& x, const RelativePose& at,
                const JointTermsView& terms, const JointStructure& structure, const JointRows& rows,
                LocalSystem& out)
      : x_(x),
        at_(at),
        eq_(terms, structure, rows),
        rows_(rows),
        out_(out),
        a_(site.A, at.A, 0, 0, -1),
        b_(site.B, at.B, site.A.block_count(), at.A.dofs, 1),
        R_AW_(at.A.R_WM.transpose()),
        c_(rows_.coordinate_row),
        turns_(any || eq_.nr() > 0),
        has_rotation_rows_(any || (rotations != 0 && rows_.rotation)),
        wrench_(eq_.wrench()) {}

  void add() {
    residual();
    const Request& request = out_.request;
    if (request.tangent) {
      set_columns();
      tangent();
    }
    if (request.rates || request.bias) rates<true>();
  }
  /// The residual, and the rates where they are asked for; no derivatives.
  void add_residual() {
    residual();
    if (out_.request.rates) rates<false>();
  }

 private:
  void residual() {
    auto r = out_.residual();
    eq_.for_each_row([&](int i, double, int row) { r[row] = eq_.terms.C[i]; }, !in_world);
    eq_.for_each_row_with_coordinates([&](int i, double lambda, int) {
      eq_.for_each_coordinate(i, [&](int k) { r[c_ + k] += lambda * eq_.by_coordinate(i, k); });
    });
    if constexpr (in_world) {
      const Vec3 p = p_AB_W(at_.A, at_.B);
      if (rows_.displacement)
        for (int i = 0; i < eq_.nd(); ++i) r[rows_.displacement.row + i] = p[eq_.first() + i];
    }
    const Vec3 force = in_world ? wrench_.f : Vec3(at_.A.R_WM * wrench_.f);
    Vec3 moment_on_A = Vec3::Zero();
    if (turns_) moment_on_A -= at_.R_AB * wrench_.m;
    if constexpr (!in_world) moment_on_A -= at_.p_AB_A.cross(wrench_.f);
    add_rows(a_, -force, moment_on_A, turns_ || !in_world, r);
    add_rows(b_, force, wrench_.m, turns_, r);
  }

  void add_rows(const Side& s, const Vec3& force, const Vec3& moment, bool has_moment, VectorMap& r) const {
    if (s.motion.dofs == 0) return;
    if constexpr (rigid) {
      r.segment<3>(s.column) += force;
      if (s.columns == 0) return;
      if (s.swings)
        r.segment<3>(s.dense) += s.marker.p_FM_F().cross(s.R_WF(x_).transpose().lazyProduct(force));
      if (has_moment) r.segment<3>(s.dense) += s.marker.R_FM().lazyProduct(moment);
    } else {
      auto rows = r.segment(s.column, s.motion.dofs);
      rows.noalias() += s.motion.J.template topRows<3>().transpose() * force;
      if (has_moment) rows.noalias() += s.motion.J.template bottomRows<3>().transpose() * moment;
    }
  }

  void set_columns() {
    const Mat3 R_BA = at_.R_AB.transpose();
    if constexpr (rigid) {
      const Mat3 R_MF_A = a_.marker.R_FM().transpose(), R_MF_B = b_.marker.R_FM().transpose();
      if (turns_ || !in_world) {
        if (a_.columns > 0) a_.T = -R_BA.lazyProduct(R_MF_A);
        if (b_.columns > 0) b_.T = R_MF_B;
      }
      if constexpr (in_world) {
        for (Side* s : {&a_, &b_})
          if (s->swings) s->D = cross_rows(s->sign * s->marker.p_FM_F(), s->R_WF(x_));
      } else {
        if (a_.columns > 0) {
          // From the origin of A's frame to B.
          lever_ = at_.p_AB_A + R_MF_A * a_.marker.p_FM_F();
          a_.D = cross_columns(lever_, R_MF_A);
        }
        if (b_.columns > 0) b_.D = cross_rows(b_.marker.p_FM_F(), at_.R_AB * R_MF_B);
      }
    } else {
      if (turns_ || !in_world) {
        if (a_.columns > 0) a_.T = -R_BA.lazyProduct(a_.rotation(a_.motion.J));
        if (b_.columns > 0) b_.T = b_.rotation(b_.motion.J);
      }
      if constexpr (in_world) {
        for (Side* s : {&a_, &b_}) s->D = s->sign * s->translation(s->motion.J);
      } else {
        if (a_.columns > 0)
          a_.D = skew(at_.p_AB_A).lazyProduct(a_.rotation(a_.motion.J)) -
                 R_AW_.lazyProduct(a_.translation(a_.motion.J));
        if (b_.columns > 0) b_.D = R_AW_.lazyProduct(b_.translation(b_.motion.J));
      }
    }
  }
  bool moves(const Side& s) const { return rigid && in_world ? s.swings : s.columns > 0; }

  /// A block and its transpose opposite.
  template <int n = 3, class Block>
  static void put_both(const Block& expression, int row, int column, MatrixMap& K) {
    const InColumns<n, 3> block = expression;
    K.block<n, 3>(row, column) = block;
    K.block<3, n>(column, row) = block.transpose();
  }
  /// A row, and the column opposite.
  template <class Row>
  static void put_both_row(const Row& block, int row, int column, MatrixMap& K) {
    for (int j = 0; j < block.size(); ++j) K(row, column + j) = K(column + j, row) = block[j];
  }
  template <class Row>
  static void add_both_row(const Row& block, int row, int column, MatrixMap& K) {
    for (int j = 0; j < block.size(); ++j) {
      K(row, column + j) += block[j];
      K(column + j, row) += block[j];
    }
  }
  /// The row `by` times a matrix of the dense columns.
  template <class Row, class Matrix>
  static RowOfColumns times(const Row& by, const Matrix& columns) {
    return by[0] * columns.row(0) + by[1] * columns.row(1) + by[2] * columns.row(2);
  }

  void tangent() {
    auto K = out_.K();
    for (const Side* s : {&a_, &b_}) {
      if (s->motion.dofs == 0) continue;
      add_displacement_rows(*s, K);
      if (s->columns == 0 && !any) continue;
      if constexpr (any)
        add_any_rows(*s, K);
      else if (rotations != 0 && rows_.rotation)
        add_rotation_rows(*s, K);
    }
    eq_.for_each_row_with_coordinates([&](int i, double lambda, int row) {
      eq_.for_each_coordinate(i, [&](int k) { K(row, c_ + k) = K(c_ + k, row) = eq_.by_coordinate(i, k); });
      if (out_.request.stiffness)
        eq_.for_each_curved(i, [&](int k) {
          eq_.for_each_curved(i, [&](int l) { K(c_ + k, c_ + l) += lambda * *eq_.second(i, 6 + k, 6 + l); });
        });
    });
    if (!out_.request.stiffness) return;
    if constexpr (rigid)
      add_rigid_stiffness(K);
    else
      add_stiffness(K);
    if constexpr (any)
      if (!eq_.terms.is_linear_in_displacement) add_any_stiffness(K);
  }

  void add_displacement_rows(const Side& s, MatrixMap& K) const {
    const RowsAt& at = rows_.displacement;
    if (!at) return;
    if constexpr (rigid && in_world)
      for (int i = 0; i < eq_.nd(); ++i)
        K(at.row + i, s.column + eq_.first() + i) = K(s.column + eq_.first() + i, at.row + i) = s.sign;
    if constexpr (rigid && displacements > 0) {
      const auto rows_from = [&](const Mat3& M) { return M.middleRows<displacements>(eq_.first()); };
      if constexpr (!in_world) put_both<displacements>(s.sign * rows_from(R_AW_), at.row, s.column, K);
      if (moves(s)) put_both<displacements>(rows_from(s.D), at.row, s.dense, K);
    } else {
      for (int i = 0; i < eq_.nd(); ++i) {
        if constexpr (rigid && !in_world)
          put_both_row(s.sign * R_AW_.row(eq_.first() + i), at.row + i, s.column, K);
        if (moves(s)) put_both_row(s.D.row(eq_.first() + i), at.row + i, s.dense, K);
      }
    }
  }

  void add_rotation_rows(const Side& s, MatrixMap& K) const {
    if constexpr (rigid && rotations > 0) {
      using ByRows = Eigen::Matrix<double, rotations, 3, Eigen::RowMajor>;
      const Eigen::Map<const ByRows, 0, Eigen::OuterStride<>> by(
          eq_.terms.G + displacements * eq_.variables + 3, Eigen::OuterStride<>(eq_.variables));
      put_both<rotations>(by.lazyProduct(s.T), rows_.rotation.row, s.dense, K);
    } else {
      for (int i = 0; i < eq_.nr(); ++i)
        put_both_row(times(eq_.by_rotation(eq_.nd() + i), s.T), rows_.rotation.row + i, s.dense, K);
    }
    if (!out_.request.stiffness) return;
    eq_.for_each_curved_rotation(
        [&](int k, const Row3& h) { put_both_row(times(h, s.T), c_ + k, s.dense, K); });
  }

  /// The relative rotation's stiffness by the rotation of B, in its axes.
  Mat3 rotational_stiffness() const {
    Mat3 Z = 0.5 * skew(wrench_.m);
    const double* lambda = any ? rows_.any.lambda : rows_.rotation.lambda;
    const int count = any ? eq_.terms.equations : eq_.nr();
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l <= k; ++l) {
        double h = 0;
        for (int i = 0; i < count; ++i) h += lambda[i] * *eq_.second(eq_.nd() + i, 3 + k, 3 + l);
        Z(k, l) += h;
        if (l < k) Z(l, k) += h;
      }
    return Z;
  }

  void add_rigid_stiffness(MatrixMap& K) const {
    if constexpr (in_world)
      add_rigid_stiffness_in_world(K);
    else
      add_rigid_stiffness_in_A(K);
  }

  void add_rigid_stiffness_in_world(MatrixMap& K) const {
    const Vec3 &force = wrench_.f, &moment = wrench_.m;
    if (rows_.displacement)
      for (const Side* s : {&a_, &b_}) {
        if (!s->swings) continue;
        // p~ (R_WF^T f)~
        const Vec3 f = s->R_WF(x_).transpose().lazyProduct(s->sign * force), p = s->marker.p_FM_F();
        auto block = K.block<3, 3>(s->dense, s->dense);
        block = f * p.transpose();
        block.diagonal().array() -= p.dot(f);
      }
    if (!has_rotation_rows_) return;
    const Mat3 Z = rotational_stiffness();
    if (b_.columns > 0) {
      const Mat3 Z_W = Z * b_.T;
      K.block<3, 3>(b_.dense, b_.dense) += b_.T.transpose() * Z_W;
    }
    if (a_.columns > 0) {
      const Mat3 Z_T = Z * a_.T;
      K.block<3, 3>(a_.dense, a_.dense) +=
          a_.T.transpose() * Z_T - skew(Vec3(a_.marker.R_FM() * (at_.R_AB * moment)));
      if (b_.columns > 0) put_both(b_.T.transpose() * Z_T, b_.dense, a_.dense, K);
    }
  }

  void add_rigid_stiffness_in_A(MatrixMap& K) const {
    const Vec3 &force = wrench_.f, &moment = wrench_.m;
    const Vec3 force_B = at_.R_AB.transpose() * force;
    const Vec3 arm_B = b_.marker.R_FM().transpose() * b_.marker.p_FM_F();
    Mat3 Z = force_B * arm_B.transpose();  // arm~ force~, of the force on B about its frame's origin
    Z.diagonal().array() -= arm_B.dot(force_B);
    if (has_rotation_rows_) Z += rotational_stiffness();
    if (b_.columns > 0) {
      const Mat3 Z_W = Z * b_.T;
      K.block<3, 3>(b_.dense, b_.dense) = b_.T.transpose() * Z_W;
    }
    if (a_.columns == 0) return;
    const Mat3& N = a_.marker.R_FM();
    const Mat3 Z_T = Z * a_.T;
    // lambda~ lever~ - (R_AB arm_B)~ lambda~ - (R_AB m)~, in the axes of A's frame.
    const Vec3 f = N * force, l = N * lever_, arm = N * (at_.R_AB * arm_B);
    Mat3 K_A = a_.T.transpose() * Z_T + l * f.transpose() - f * arm.transpose() -
               skew(Vec3(N * (at_.R_AB * moment)));
    K_A.diagonal().array() += f.dot(arm - l);
    K.block<3, 3>(a_.dense, a_.dense) = K_A;
    const Mat3 turning = cross_columns(at_.A.R_WM * force, a_.R_WF(x_));
    put_both(turning, a_.column, a_.dense, K);
    if (b_.motion.dofs > 0) put_both(-turning, b_.column, a_.dense, K);
    if (b_.columns > 0) put_both(b_.T.transpose() * Z_T, b_.dense, a_.dense, K);
  }

  void add_stiffness(MatrixMap& K) const {
    if constexpr (!in_world) {
      if (a_.columns > 0) {
        // The force turns with A: f . d p_AB_A has second variations -(d p_AB_A) . (f x dtheta_A).
        const auto W = a_.rotation(a_.motion.J);
        const Columns F = skew(wrench_.f).lazyProduct(W);
        for (const Side* s : {&a_, &b_}) {
          if (s->columns == 0) continue;
          K.block(s->dense, a_.dense, s->columns, a_.columns) -= s->D.transpose().lazyProduct(F);
          K.block(a_.dense, s->dense, a_.columns, s->columns) -= F.transpose().lazyProduct(s->D);
        }
        K.block(a_.dense, a_.dense, a_.columns, a_.columns) -=
            W.transpose().lazyProduct(Columns(skew(at_.p_AB_A).lazyProduct(F)));
      }
    }
    if (has_rotation_rows_) {
      // In A's rows the moment turns with the relative rotation.
      const Mat3 S_B = rotational_stiffness(), S_A = S_B.transpose();
      for (const Side* row : {&a_, &b_})
        for (const Side* s : {&a_, &b_}) {
          if (row->columns == 0 || s->columns == 0) continue;
          const Columns turned = (row == &a_ ? S_A : S_B).lazyProduct(s->T);
          K.block(row->dense, s->dense, row->columns, s->columns) += row->T.transpose().lazyProduct(turned);
        }
    }
    const JointWrenches on = wrenches_on_markers(at_, wrench_, in_world);
    for (const Side* s : {&a_, &b_})
      if (s->columns > 0)
        s->marker.add_second_order(x_, s->block, s->motion, s == &a_ ? on.on_A : on.on_B,
                                   K.block(s->column, s->column, s->columns, s->columns));
  }

  void add_any_rows(const Side& s, MatrixMap& K) const {
    const auto put = [&](const Row3& by_p, const Row3& by_turn, int row) {
      if constexpr (rigid) add_both_row(Row3(s.sign * by_p.lazyProduct(R_AW_)), row, s.column, K);
      if (s.columns > 0) add_both_row(times(by_p, s.D) + times(by_turn, s.T), row, s.dense, K);
    };
    const JointTermsView& terms = eq_.terms;
    for (int i = 0; i < terms.equations; ++i)
      put(eq_.by_displacement(i), eq_.by_rotation(i), rows_.any.row + i);
    if (!out_.request.stiffness) return;
    for (int k = 0; k < terms.coordinates; ++k) {
      Row3 by_p = Row3::Zero(), by_turn = Row3::Zero();
      for (int i = 0; i < terms.equations; ++i) {
        by_p += rows_.any.lambda[i] * eq_.second_row(i, k, 0);
        by_turn += rows_.any.lambda[i] * eq_.second_row(i, k, 3);
      }
      put(by_p, by_turn, c_ + k);
    }
  }

  /// Second derivatives by the displacement.
  void add_any_stiffness(MatrixMap& K) const {
    Mat3 H_pp = Mat3::Zero(), H_pt = Mat3::Zero();
    for (int i = 0; i < eq_.terms.equations; ++i) {
      H_pp += rows_.any.lambda[i] * eq_.second_block(i, 0, 0);
      H_pt += rows_.any.lambda[i] * eq_.second_block(i, 0, 3);
    }
    for (const Side* s : {&a_, &b_}) {
      if (s->columns > 0) {
        const Columns on_p = H_pp.lazyProduct(s->D) + H_pt.lazyProduct(s->T),
                      on_t = H_pt.transpose().lazyProduct(s->D);
        for (const Side* row : {&a_, &b_}) {
          if (row->columns > 0)
            K.block<width, width>(row->dense, s->dense, row->columns, s->columns) +=
                row->D.transpose().lazyProduct(on_p) + row->T.transpose().lazyProduct(on_t);
          if constexpr (rigid)
            if (row->motion.dofs > 0) {
              const Mat3 block = row->sign * R_AW_.transpose().lazyProduct(on_p);
              K.block<3, 3>(row->column, s->dense) += block;
              K.block<3, 3>(s->dense, row->column) += block.transpose();
            }
        }
      }
      if constexpr (rigid) {
        if (s->motion.dofs == 0) continue;
        const Mat3 turned = H_pp.lazyProduct(R_AW_);
        for (const Side* row : {&a_, &b_})
          if (row->motion.dofs > 0)
            K.block<3, 3>(row->column, s->column) +=
                row->sign * s->sign * R_AW_.transpose().lazyProduct(turned);
      }
    }
  }

  /// Rates of the equations; `differentiated`: with their gradient and the bias, where these are asked for.
  template <bool differentiated>
  void rates() {
    const Vec3 w_A = at_.A.twist.template tail<3>();
    const bool reads_rotation = turns_ || !in_world;
    const Vec3 w_A_B = reads_rotation ? Vec3(at_.R_AB.transpose() * w_A) : w_A;
    Vec3 dv = at_.B.twist.template head<3>() - at_.A.twist.template head<3>();
    Vec3 u = dv;
    if constexpr (!in_world) {
      dv = R_AW_ * dv;
      u = dv + at_.p_AB_A.cross(w_A);
    }
    const Vec3 w = at_.B.twist.template tail<3>() - w_A_B;
    const double* c_rate = rows_.coordinate_rates;

    if (out_.request.rates) {
      auto rate = out_.rate();
      eq_.for_each_row([&](int i, double, int row) {
        double sum = 0;
        if constexpr (any)
          sum = eq_.by_displacement(i).dot(u) + eq_.by_rotation(i).dot(w) + eq_.terms.C_t[i];
        else if (i < eq_.nd())
          sum = u[eq_.first() + i];
        else if (eq_.turns(i))
          sum = eq_.by_rotation(i).dot(w);
        eq_.for_each_coordinate(i, [&](int k) { sum += eq_.by_coordinate(i, k) * c_rate[k]; });
        rate[row] = sum;
      });
      if constexpr (differentiated)
        if (out_.request.tangent) add_rate_gradient(u, w, dv, w_A, w_A_B);
    }
    if constexpr (differentiated)
      if (out_.request.bias) add_bias(u, w, dv, w_A, w_A_B);
  }

  void add_bias(const Vec3& u, const Vec3& w, const Vec3& dv, const Vec3& w_A, const Vec3& w_A_B) {
    const bool reads_rotation = turns_ || !in_world;
    const double* c_rate = rows_.coordinate_rates;
    Vec3 by_u = at_.B.bias.template head<3>() - at_.A.bias.template head<3>();
    const Vec3 alpha_A = at_.A.bias.template tail<3>();
    if constexpr (!in_world) by_u = R_AW_ * by_u - w_A.cross(dv + u) - alpha_A.cross(at_.p_AB_A);
    Vec3 by_w = at_.B.bias.template tail<3>() + w.cross(w_A_B);
    if (reads_rotation) by_w -= at_.R_AB.transpose() * alpha_A;
    auto bias = out_.bias();
    eq_.for_each_row([&](int i, double, int row) {
      double sum = 0;
      if constexpr (any) {
        sum = eq_.by_displacement(i).dot(by_u) + eq_.terms.C_tt[i] + u.dot(eq_.second_block(i, 0, 0) * u) +
              2 * u.dot(eq_.second_block(i, 0, 3) * w);
        const double* G_t = eq_.terms.G_t + i * eq_.variables;
        for (int k = 0; k < 3; ++k) sum += 2 * (G_t[k] * u[k] + G_t[3 + k] * w[k]);
        for (int k = 0; k < eq_.nc; ++k) sum += 2 * c_rate[k] * (G_t[6 + k] + eq_.second_row(i, k, 0).dot(u));
      } else if (i < eq_.nd()) {
        sum = by_u[eq_.first() + i];
      }
      if (eq_.turns(i)) {
        sum += eq_.by_rotation(i).dot(by_w) + w.dot(eq_.second_block(i, 3, 3) * w);
        eq_.for_each_curved(i, [&](int k) { sum += 2 * c_rate[k] * eq_.second_row(i, k, 3).dot(w); });
      }
      eq_.for_each_curved(i, [&](int k) {
        eq_.for_each_curved(i, [&](int l) { sum += c_rate[k] * *eq_.second(i, 6 + k, 6 + l) * c_rate[l]; });
      });
      bias[row] = sum;
    });
  }

  void add_rate_gradient(const Vec3& u, const Vec3& w, const Vec3& dv, const Vec3& w_A, const Vec3& w_A_B) {
    auto gradient = out_.rate_gradient();
    const Mat3 spin_A = skew(w_A), spin_A_B = skew(w_A_B);
    for (const Side* s : {&a_, &b_}) {
      if (s->motion.dofs == 0) continue;
      // Derivatives of the relative velocity and angular velocity by the dense columns.
      Columns by_u, by_w;
      const Mat3 by_position = -s->sign * spin_A.lazyProduct(R_AW_);
      if (s->columns > 0) {
        if constexpr (in_world) {
          by_u = s->sign * s->translation(s->motion.twist_gradient);
        } else {
          by_u = s->sign * R_AW_.lazyProduct(s->translation(s->motion.twist_gradient)) -
                 spin_A.lazyProduct(s->D);
          if (s == &a_) {
            by_u += skew(dv).lazyProduct(s->rotation(s->motion.J));
            if constexpr (!rigid) by_u += skew(at_.p_AB_A).lazyProduct(s->rotation(s->motion.twist_gradient));
          }
        }
        if (turns_) {
          by_w = -spin_A_B.lazyProduct(s->T);
          if constexpr (!rigid) {
            if (s == &a_)
              by_w -= at_.R_AB.transpose().lazyProduct(s->rotation(s->motion.twist_gradient));
            else
              by_w += s->rotation(s->motion.twist_gradient);
          }
        }
      }
      add_rate_gradient_of(*s, u, w, by_position, by_u, by_w, gradient);
    }
    const double* c_rate = rows_.coordinate_rates;
    eq_.for_each_row([&](int i, double, int row) {
      eq_.for_each_curved(i, [&](int k) {
        double sum = 0;
        if (eq_.turns(i)) sum += eq_.second_row(i, k, 3).dot(w);
        if constexpr (any) sum += eq_.second_row(i, k, 0).dot(u) + eq_.terms.G_t[i * eq_.variables + 6 + k];
        eq_.for_each_curved(i, [&](int l) { sum += *eq_.second(i, 6 + k, 6 + l) * c_rate[l]; });
        gradient(row, c_ + k) = sum;
      });
    });
  }

  void add_rate_gradient_of(const Side& s, const Vec3& u, const Vec3& w, const Mat3& by_position,
                            const Columns& by_u, const Columns& by_w, MatrixMap& gradient) const {
    const double* c_rate = rows_.coordinate_rates;
    const auto dense = [&](int row) { return gradient.template block<1, width>(row, s.dense, 1, s.columns); };
    eq_.for_each_row([&](int i, double, int row) {
      if constexpr (any) {
        Row3 by_p = u.transpose() * eq_.second_block(i, 0, 0) + w.transpose() * eq_.second_block(i, 3, 0);
        by_p += Eigen::Map<const Row3>(eq_.terms.G_t + i * eq_.variables);
        for (int k = 0; k < eq_.nc; ++k) by_p += c_rate[k] * eq_.second_row(i, k, 0);
        if constexpr (rigid)
          gradient.template block<1, 3>(row, s.column) =
              s.sign * by_p.lazyProduct(R_AW_) + eq_.by_displacement(i).lazyProduct(by_position);
        if (s.columns > 0) dense(row) += times(by_p, s.D) + times(eq_.by_displacement(i), by_u);
      } else if (i < eq_.nd()) {
        if constexpr (rigid && !in_world)
          gradient.template block<1, 3>(row, s.column) = by_position.row(eq_.first() + i);
        if (s.columns > 0) dense(row) = by_u.row(eq_.first() + i);
      }
      if (!eq_.turns(i) || s.columns == 0) return;
      Row3 by_turn = w.transpose() * eq_.second_block(i, 3, 3);
      by_turn += 0.5 * w.cross(Vec3(eq_.by_rotation(i).transpose())).transpose();
      eq_.for_each_curved(i, [&](int k) { by_turn += c_rate[k] * eq_.second_row(i, k, 3); });
      if constexpr (any) {
        by_turn += u.transpose() * eq_.second_block(i, 0, 3);
        by_turn += Eigen::Map<const Row3>(eq_.terms.G_t + i * eq_.variables + 3);
      }
      dense(row) += times(by_turn, s.T) + times(eq_.by_rotation(i), by_w);
    });
  }

  const LocalState& x_;
  const RelativePose& at_;
  const JointEquations<kind, displacements, rotations, constant> eq_;
  const JointRows& rows_;
  LocalSystem& out_;
  Side a_, b_;
  const Mat3 R_AW_;
  const int c_;  ///< row of the first coordinate
  const bool turns_, has_rotation_rows_;
  const RelativeWrench wrench_;
  Vec3 lever_;
};

}  // namespace trammel::detail
