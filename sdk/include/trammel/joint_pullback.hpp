#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "trammel/joint_site.hpp"
#include "trammel/lie.hpp"
#include "trammel/local_system.hpp"

namespace trammel {

/// JointTerms of any size, as the assembly of a joint reads them; n = 6 + coordinates. Matrices by rows.
struct JointTermsView {
  int equations, coordinates;
  const double* C;           ///< equations
  const double* G;           ///< equations x n
  const double* H;           ///< equations, each n x n, symmetric; read where tangents or bias are asked for
  const double *C_t, *C_tt;  ///< equations
  const double* G_t;         ///< equations x n
  bool is_linear_in_displacement = false;  ///< H has no entries in the rows and columns of the displacement

  int variables() const { return 6 + coordinates; }
  /// The relative wrench G_zeta^T lambda: (force in A's components; moment in B's).
  TRAMMEL_API Vec6 wrench(const double* lambda) const;
};

/// What one equation of a joint depends on. The assembly reads nothing else of it, and adds nothing else.
struct RowSparsity {
  static constexpr int none = -1, any = -2;

  /// 0 to 2: the equation is this component of the displacement, plus a function of the coordinates. `none`: it does
  /// not depend on the displacement. `any`: nothing is known of it.
  int displacement = any;
  bool rotation = true;        ///< it depends on R_AB
  unsigned coordinates = ~0U;  ///< bit k: it depends on coordinate k
  unsigned curved = ~0U;       ///< bit k: it has second derivatives by coordinate k

  /// Component k of the displacement, plus a function of `coordinates`, linear in all that are not `curved`.
  static constexpr RowSparsity of_displacement(int k, unsigned coordinates = 0, unsigned curved = 0) {
    return {k, false, coordinates, curved};
  }
  /// A function of the relative rotation and of `coordinates`.
  static constexpr RowSparsity of_rotation(unsigned coordinates = 0) {
    return {none, true, coordinates, coordinates};
  }
  /// A function of `coordinates` alone, linear in all that are not `curved`.
  static constexpr RowSparsity of_coordinates(unsigned coordinates, unsigned curved = 0) {
    return {none, false, coordinates, curved};
  }
};

/// The pose of marker B relative to A, with the motions of both.
struct RelativePose {
  const MarkerMotion& A;
  const MarkerMotion& B;
  Mat3 R_AB;
  Vec3 p_AB_A;
};

/// Multipliers of consecutive equations, and the row of the first in the local system. Without multipliers the equations
/// are not evaluated.
struct RowsAt {
  const double* lambda = nullptr;
  int row = 0;
  explicit operator bool() const { return lambda != nullptr; }
};

/// The rows of a joint in its local system, by what they depend on.
struct JointRows {
  RowsAt displacement, rotation,
      tie;     ///< of components of the displacement, of the rotation, of coordinates alone
  RowsAt any;  ///< of which nothing is known
  int coordinate_row = 0;
  const double* coordinate_rates = nullptr;
};

namespace detail {

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

/// Calls f with the constants 0 to n - 1.
template <int n, class F>
void unrolled(F&& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f(std::integral_constant<int, i>{}), ...); }
  (std::make_integer_sequence<int, n>{});
}

template <class Constant>
inline constexpr int constant = std::remove_cvref_t<Constant>::value;

/// How many of a joint's equations from `first` on are of one kind.
template <std::size_t n, class Kind>
constexpr int leading_rows(const std::array<RowSparsity, n>& rows, int first, Kind kind) {
  int count = 0;
  for (auto i = static_cast<std::size_t>(first); i < n && kind(rows[i]); ++i) ++count;
  return count;
}

/// The structure of the equations of a joint J that declares its `sparsity`: components of the displacement that follow
/// each other (in the axes of the world where J `meets`), then equations of the rotation, then of the coordinates alone.
template <class J>
struct JointShape {
  static constexpr int equations = J::equation_count;
  static constexpr int coordinates = J::coordinate_count;
  static constexpr bool in_world = J::meets;
  static constexpr bool any = false;
  static constexpr const RowSparsity& row(int i) { return J::sparsity[static_cast<std::size_t>(i)]; }

  static constexpr int displacements =
      leading_rows(J::sparsity, 0, [](const RowSparsity& r) { return r.displacement >= 0 && !r.rotation; });
  static constexpr int rotations = leading_rows(J::sparsity, displacements, [](const RowSparsity& r) {
    return r.displacement == RowSparsity::none && r.rotation;
  });
  static constexpr int ties = leading_rows(J::sparsity, displacements + rotations, [](const RowSparsity& r) {
    return r.displacement == RowSparsity::none && !r.rotation;
  });
  static constexpr int first = displacements > 0 ? row(0).displacement : 0;

  static_assert(displacements + rotations + ties == equations,
                "equations of components of the displacement come first, then those of the rotation, then "
                "those of the coordinates alone");
  static_assert([] {
    for (int i = 0; i < displacements; ++i)
      if (row(i).displacement != first + i) return false;
    return first + displacements <= 3;
  }());

  /// Coordinates that any of the equations from `from` on, `count` of them, has second derivatives by.
  static constexpr unsigned curved(int from, int count) {
    unsigned mask = 0;
    for (int i = from; i < from + count; ++i) mask |= row(i).curved & row(i).coordinates;
    return mask;
  }
};

/// Any number of equations of which nothing is known.
struct AnyShape {
  static constexpr int equations = 0, coordinates = 0, displacements = 0, rotations = 0, ties = 0, first = 0;
  static constexpr bool in_world = false, any = true;
};

/// Numbers in the dense columns of a marker.
template <int rows, int width>
using InColumns = Eigen::Matrix<double, rows, width, rows == 1 ? Eigen::RowMajor : Eigen::ColMajor, rows,
                                width == Eigen::Dynamic ? MarkerJacobian::MaxColsAtCompileTime : width>;

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
  /// Of a rigid marker: R_WF.
  auto R_WF(const LocalState& x) const { return x.rotation(block + 1); }

 private:
  auto part(const MarkerJacobian& J, int row) const {
    if constexpr (width == 3)
      return J.template block<3, 3>(row, 3);
    else
      return J.middleRows<3>(row);
  }
};

}  // namespace detail

/// Takes a joint's equations to the unknowns of what carries its markers: the residual, its tangent, and the equations'
/// rates, with the sparsity that Shape declares. `width` is 3 where both markers are rigid (or points, or the ground),
/// whose poses are all that the residual and the tangent need; else Eigen::Dynamic, with motions at the level `jacobian`
/// at least. Rates need MotionLevel::velocity, their gradient and the bias MotionLevel::full.
///
/// The rotation's stiffness Z by the rotation of marker B, in its own axes, is the Hessian of the exponential chart and m~/2
/// (m the relative moment); that by the rotation of A is -Z R_BA, and all other blocks are Z turned. Equations of the
/// displacement in the axes of A turn their forces with A. In the world (p_WB - p_WA = 0) they are sparser: the rows are
/// +-1 in the positions, and only levers have a geometric stiffness; that holds on the constraint only what is objective.
template <class Shape, int width>
class JointPullback {
  static constexpr bool rigid = width == 3;
  static constexpr bool in_world = Shape::in_world, any = Shape::any;
  static constexpr int nd = Shape::displacements, nr = Shape::rotations, nt = Shape::ties;
  static constexpr int first = Shape::first;
  static constexpr int nc = Shape::coordinates;
  static constexpr bool turns = nr > 0 || any;  // rotation rows, or rows of any kind
  using Side = detail::MarkerColumns<width>;
  using Columns = detail::InColumns<3, width>;
  using Row3 = Eigen::Matrix<double, 1, 3>;
  using RowOfColumns = detail::InColumns<1, width>;
  using Strided3 = Eigen::Map<const Mat3, 0, Eigen::OuterStride<>>;

 public:
  JointPullback(const JointSite& site, const LocalState& x, const RelativePose& at,
                const JointTermsView& terms, const JointRows& rows, LocalSystem& out)
      : x_(x),
        at_(at),
        terms_(terms),
        rows_(rows),
        out_(out),
        a_(site.A, at.A, 0, 0, -1),
        b_(site.B, at.B, site.A.block_count(), at.A.dofs, 1),
        R_AW_(at.A.R_WM.transpose()),
        c_(rows.coordinate_row) {
    f_.setZero();
    m_.setZero();
    if constexpr (nd > 0)
      if (rows_.displacement)
        f_.template segment<nd>(first) =
            Eigen::Map<const Eigen::Matrix<double, nd, 1>>(rows_.displacement.lambda);
    if constexpr (nr > 0)
      if (rows_.rotation)
        for (int i = 0; i < nr; ++i) m_ += rows_.rotation.lambda[i] * by_rotation(nd + i).transpose();
    if constexpr (any)
      for (int i = 0; i < terms_.equations; ++i) {
        f_ += rows_.any.lambda[i] * by_displacement(i).transpose();
        m_ += rows_.any.lambda[i] * by_rotation(i).transpose();
      }
  }

  void add() {
    residual();
    const Request& request = out_.request;
    if (request.tangent) {
      set_columns();
      tangent();
    }
    if (request.rates || request.bias) rates();
  }

  /// The rows of r = B^T lambda at marker A and at B: (force in world components; moment in marker components).
  Vec6 on_A() const {
    Vec6 row;
    row.head<3>() = -force_W();
    row.tail<3>() = moment_on_A();
    return row;
  }
  Vec6 on_B() const {
    Vec6 row;
    row.head<3>() = force_W();
    row.tail<3>() = m_;
    return row;
  }

 private:
  int variables() const {
    if constexpr (any)
      return terms_.variables();
    else
      return 6 + nc;
  }
  int coordinate_count() const {
    if constexpr (any)
      return terms_.coordinates;
    else
      return nc;
  }
  Eigen::Map<const Row3> by_displacement(int i) const {
    return Eigen::Map<const Row3>(terms_.G + i * variables());
  }
  Eigen::Map<const Row3> by_rotation(int i) const {
    return Eigen::Map<const Row3>(terms_.G + i * variables() + 3);
  }
  double by_coordinate(int i, int k) const { return terms_.G[i * variables() + 6 + k]; }
  /// The block of equation i's second derivatives from (row, column) on, by rows of `variables`.
  const double* second(int i, int row, int column) const {
    return terms_.H + (i * variables() + row) * variables() + column;
  }
  Strided3 second_block(int i, int row, int column) const {
    return Strided3(second(i, column, row), Eigen::OuterStride<>(variables()));  // symmetric
  }
  Eigen::Map<const Row3> second_row(int i, int k, int column) const {
    return Eigen::Map<const Row3>(second(i, 6 + k, column));
  }

  RowsAt rows_of(int i) const {
    const auto from = [](const RowsAt& rows, int k) {
      return rows ? RowsAt{rows.lambda + k, rows.row + k} : RowsAt{};
    };
    if (i < nd) return from(rows_.displacement, i);
    if (i < nd + nr) return from(rows_.rotation, i - nd);
    return from(rows_.tie, i - nd - nr);
  }
  /// Calls f(i, lambda, row) for the equations that are evaluated; i is a constant where the shape is known.
  template <class F>
  void for_each_row(F&& f) const {
    if constexpr (any) {
      for (int i = 0; i < terms_.equations; ++i) f(i, rows_.any.lambda[i], rows_.any.row + i);
    } else {
      detail::unrolled<nd + nr + nt>([&](auto i) {
        if (const RowsAt at = rows_of(i)) f(i, *at.lambda, at.row);
      });
    }
  }
  /// Calls f(k) for the coordinates that equation i depends on, or has second derivatives by.
  template <bool curved = false, class I, class F>
  void for_each_coordinate(I i, F&& f) const {
    if constexpr (any) {
      for (int k = 0; k < terms_.coordinates; ++k) f(k);
    } else {
      detail::unrolled<nc>([&](auto k) {
        constexpr RowSparsity row = Shape::row(I::value);
        constexpr unsigned mask = row.coordinates & (curved ? row.curved : ~0U);
        if constexpr (((mask >> detail::constant<decltype(k)>)&1U) != 0) f(k);
      });
    }
    (void)i;
  }

  Vec3 force_W() const { return in_world ? f_ : Vec3(at_.A.R_WM * f_); }
  Vec3 moment_on_A() const {
    Vec3 m = Vec3::Zero();
    if constexpr (turns) m -= at_.R_AB * m_;
    if constexpr (!in_world) m -= at_.p_AB_A.cross(f_);
    return m;
  }

  void residual() {
    auto r = out_.residual();
    if constexpr (nd > 0) {
      if (rows_.displacement) {
        if constexpr (in_world)
          r.template segment<nd>(rows_.displacement.row) = p_AB_W(at_.A, at_.B).template segment<nd>(first);
        else
          r.template segment<nd>(rows_.displacement.row) =
              Eigen::Map<const Eigen::Matrix<double, nd, 1>>(terms_.C);
      }
    }
    for_each_row([&](auto i, double lambda, int row) {
      if (any || i >= nd) r[row] = terms_.C[i];
      for_each_coordinate(i, [&](auto k) { r[c_ + k] += lambda * by_coordinate(i, k); });
    });
    const Vec3 force = force_W();
    add_rows(a_, -force, moment_on_A(), turns || !in_world, r);
    add_rows(b_, force, m_, turns, r);
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
      if (turns || !in_world) {
        if (a_.columns > 0) a_.T = -R_BA.lazyProduct(R_MF_A);
        if (b_.columns > 0) b_.T = R_MF_B;
      }
      if constexpr (in_world) {
        for (Side* s : {&a_, &b_})
          if (s->swings) s->D = detail::cross_rows(s->sign * s->marker.p_FM_F(), s->R_WF(x_));
      } else {
        if (a_.columns > 0) {
          // From the origin of A's frame to B.
          lever_ = at_.p_AB_A + R_MF_A * a_.marker.p_FM_F();
          a_.D = detail::cross_columns(lever_, R_MF_A);
        }
        if (b_.columns > 0) b_.D = detail::cross_rows(b_.marker.p_FM_F(), at_.R_AB * R_MF_B);
      }
    } else {
      if (a_.columns > 0) a_.T = -R_BA.lazyProduct(a_.rotation(a_.motion.J));
      if (b_.columns > 0) b_.T = b_.rotation(b_.motion.J);
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
  template <int n, int m, class Block>
  static void put_both(const Block& expression, int row, int column, MatrixMap& K) {
    const detail::InColumns<n, m> block = expression;
    K.block<n, m>(row, column, n, block.cols()) = block;
    K.block<m, n>(column, row, block.cols(), n) = block.transpose();
  }
  template <int n, int m, class Block>
  static void add_both(const Block& expression, int row, int column, MatrixMap& K) {
    const detail::InColumns<n, m> block = expression;
    K.block<n, m>(row, column, n, block.cols()) += block;
    K.block<m, n>(column, row, block.cols(), n) += block.transpose();
  }
  template <int n>
  auto rotation_rows() const {
    return Eigen::Map<const Eigen::Matrix<double, n, 3, Eigen::RowMajor>, 0, Eigen::OuterStride<6 + nc>>(
        terms_.G + nd * (6 + nc) + 3);
  }

  void tangent() {
    auto K = out_.K();
    for (const Side* s : {&a_, &b_}) {
      if (s->motion.dofs == 0) continue;
      if constexpr (nd > 0)
        if (rows_.displacement) {
          const int row = rows_.displacement.row;
          if constexpr (rigid && in_world) {
            for (int i = 0; i < nd; ++i)
              K(row + i, s->column + first + i) = K(s->column + first + i, row + i) = s->sign;
          } else if constexpr (rigid) {
            put_both<nd, 3>(s->sign * R_AW_.template middleRows<nd>(first), row, s->column, K);
          }
          if (moves(*s)) put_both<nd, width>(s->D.template middleRows<nd>(first), row, s->dense, K);
        }
      if (s->columns == 0 && !any) continue;
      if constexpr (nr > 0)
        if (rows_.rotation) {
          put_both<nr, width>(rotation_rows<nr>().lazyProduct(s->T), rows_.rotation.row, s->dense, K);
          detail::unrolled<nc>([&](auto k) {
            if constexpr (((Shape::curved(nd, nr) >> detail::constant<decltype(k)>)&1U) != 0) {
              Row3 h = Row3::Zero();
              detail::unrolled<nr>([&](auto i) {
                if constexpr (((Shape::row(nd + detail::constant<decltype(i)>).curved >>
                                detail::constant<decltype(k)>)&1U) != 0)
                  h += rows_.rotation.lambda[i] * second_row(nd + i, k, 3);
              });
              put_both<1, width>(h.lazyProduct(s->T), c_ + k, s->dense, K);
            }
          });
        }
      if constexpr (any) add_any_rows(*s, K);
    }
    for_each_row([&](auto i, double lambda, int row) {
      for_each_coordinate(i, [&](auto k) { K(row, c_ + k) = K(c_ + k, row) = by_coordinate(i, k); });
      for_each_coordinate<true>(i, [&](auto k) {
        for_each_coordinate<true>(i, [&](auto l) { K(c_ + k, c_ + l) += lambda * *second(i, 6 + k, 6 + l); });
      });
    });
    if constexpr (rigid)
      add_rigid_stiffness(K);
    else
      add_stiffness(K);
    if constexpr (any)
      if (!terms_.is_linear_in_displacement) add_any_stiffness(K);
  }

  /// The relative rotation's stiffness by the rotation of B, in its axes.
  Mat3 rotational_stiffness() const {
    Mat3 Z = 0.5 * skew(m_);
    const double* lambda = any ? rows_.any.lambda : rows_.rotation.lambda;
    const int count = any ? terms_.equations : nr;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l <= k; ++l) {
        double h = 0;
        for (int i = 0; i < count; ++i) h += lambda[i] * *second(nd + i, 3 + k, 3 + l);
        Z(k, l) += h;
        if (l < k) Z(l, k) += h;
      }
    return Z;
  }
  bool has_rotation_rows() const { return any || rows_.rotation; }

  void add_rigid_stiffness(MatrixMap& K) const {
    if constexpr (in_world) {
      if (rows_.displacement)
        for (const Side* s : {&a_, &b_}) {
          if (!s->swings) continue;
          // p~ (R_WF^T f)~
          const Vec3 f = s->R_WF(x_).transpose().lazyProduct(s->sign * f_), p = s->marker.p_FM_F();
          auto block = K.block<3, 3>(s->dense, s->dense);
          block = f * p.transpose();
          block.diagonal().array() -= p.dot(f);
        }
      if constexpr (nr > 0) {
        if (!rows_.rotation) return;
        const Mat3 Z = rotational_stiffness();
        if (b_.columns > 0) {
          const Mat3 Z_W = Z * b_.T;
          K.block<3, 3>(b_.dense, b_.dense) += b_.T.transpose() * Z_W;
        }
        if (a_.columns > 0) {
          const Mat3 Z_T = Z * a_.T;
          K.block<3, 3>(a_.dense, a_.dense) +=
              a_.T.transpose() * Z_T - skew(Vec3(a_.marker.R_FM() * (at_.R_AB * m_)));
          if (b_.columns > 0) put_both<3, 3>(b_.T.transpose() * Z_T, b_.dense, a_.dense, K);
        }
      }
    } else {
      const Vec3 force_B = at_.R_AB.transpose() * f_;
      const Vec3 arm_B = b_.marker.R_FM().transpose() * b_.marker.p_FM_F();
      Mat3 Z = force_B * arm_B.transpose();  // arm~ force~, of the force on B about its frame's origin
      Z.diagonal().array() -= arm_B.dot(force_B);
      if (has_rotation_rows()) Z += rotational_stiffness();
      if (b_.columns > 0) {
        const Mat3 Z_W = Z * b_.T;
        K.block<3, 3>(b_.dense, b_.dense) = b_.T.transpose() * Z_W;
      }
      if (a_.columns == 0) return;
      const Mat3& N = a_.marker.R_FM();
      const Mat3 Z_T = Z * a_.T;
      // lambda~ lever~ - (R_AB arm_B)~ lambda~ - (R_AB m)~, in the axes of A's frame.
      const Vec3 f = N * f_, l = N * lever_, arm = N * (at_.R_AB * arm_B);
      Mat3 K_A =
          a_.T.transpose() * Z_T + l * f.transpose() - f * arm.transpose() - skew(Vec3(N * (at_.R_AB * m_)));
      K_A.diagonal().array() += f.dot(arm - l);
      K.block<3, 3>(a_.dense, a_.dense) = K_A;
      const Mat3 turning = detail::cross_columns(at_.A.R_WM * f_, a_.R_WF(x_));
      put_both<3, 3>(turning, a_.column, a_.dense, K);
      if (b_.motion.dofs > 0) put_both<3, 3>(-turning, b_.column, a_.dense, K);
      if (b_.columns > 0) put_both<3, 3>(b_.T.transpose() * Z_T, b_.dense, a_.dense, K);
    }
  }

  void add_stiffness(MatrixMap& K) const {
    if constexpr (!in_world) {
      if (a_.columns > 0) {
        // The force turns with A: f . d p_AB_A has second variations -(d p_AB_A) . (f x dtheta_A).
        const auto W = a_.rotation(a_.motion.J);
        const Columns F = skew(f_).lazyProduct(W);
        for (const Side* s : {&a_, &b_}) {
          if (s->columns == 0) continue;
          K.block(s->dense, a_.dense, s->columns, a_.columns) -= s->D.transpose().lazyProduct(F);
          K.block(a_.dense, s->dense, a_.columns, s->columns) -= F.transpose().lazyProduct(s->D);
        }
        K.block(a_.dense, a_.dense, a_.columns, a_.columns) -=
            W.transpose().lazyProduct(Columns(skew(at_.p_AB_A).lazyProduct(F)));
      }
    }
    if (has_rotation_rows()) {
      // In A's rows the moment turns with the relative rotation.
      const Mat3 S_B = rotational_stiffness(), S_A = S_B.transpose();
      for (const Side* row : {&a_, &b_})
        for (const Side* s : {&a_, &b_}) {
          if (row->columns == 0 || s->columns == 0) continue;
          const Columns turned = (row == &a_ ? S_A : S_B).lazyProduct(s->T);
          K.block(row->dense, s->dense, row->columns, s->columns) += row->T.transpose().lazyProduct(turned);
        }
    }
    for (const Side* s : {&a_, &b_})
      if (s->columns > 0)
        s->marker.add_second_order(x_, s->block, s->motion, s == &a_ ? on_A() : on_B(),
                                   K.block(s->column, s->column, s->columns, s->columns));
  }

  void add_any_rows(const Side& s, MatrixMap& K) const {
    const auto put = [&](const Row3& by_p, const Row3& by_turn, int row) {
      if constexpr (rigid) add_both<1, 3>(s.sign * by_p.lazyProduct(R_AW_), row, s.column, K);
      if (s.columns > 0)
        add_both<1, width>(by_p.lazyProduct(s.D) + by_turn.lazyProduct(s.T), row, s.dense, K);
    };
    for (int i = 0; i < terms_.equations; ++i) put(by_displacement(i), by_rotation(i), rows_.any.row + i);
    for (int k = 0; k < terms_.coordinates; ++k) {
      Row3 by_p = Row3::Zero(), by_turn = Row3::Zero();
      for (int i = 0; i < terms_.equations; ++i) {
        by_p += rows_.any.lambda[i] * second_row(i, k, 0);
        by_turn += rows_.any.lambda[i] * second_row(i, k, 3);
      }
      put(by_p, by_turn, c_ + k);
    }
  }

  /// Second derivatives by the displacement.
  void add_any_stiffness(MatrixMap& K) const {
    Mat3 H_pp = Mat3::Zero(), H_pt = Mat3::Zero();
    for (int i = 0; i < terms_.equations; ++i) {
      H_pp += rows_.any.lambda[i] * second_block(i, 0, 0);
      H_pt += rows_.any.lambda[i] * second_block(i, 0, 3);
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
            if (row->motion.dofs > 0)
              add_both<3, 3>(row->sign * R_AW_.transpose().lazyProduct(on_p), row->column, s->dense, K);
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

  /// Rates of the equations, their gradient, and the bias.
  void rates() {
    const Vec3 w_A = at_.A.twist.template tail<3>();
    const Vec3 w_A_B = at_.R_AB.transpose() * w_A;
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
      for_each_row([&](auto i, double, int row) {
        double sum = 0;
        if constexpr (any)
          sum = by_displacement(i).dot(u) + by_rotation(i).dot(w) + terms_.C_t[i];
        else if constexpr (detail::constant<decltype(i)> < nd)
          sum = u[first + i];
        else if constexpr (detail::constant<decltype(i)> < nd + nr)
          sum = by_rotation(i).dot(w);
        for_each_coordinate(i, [&](auto k) { sum += by_coordinate(i, k) * c_rate[k]; });
        rate[row] = sum;
      });
      if (out_.request.tangent) add_rate_gradient(u, w, dv, w_A, w_A_B);
    }
    if (!out_.request.bias) return;
    Vec3 by_u = at_.B.bias.template head<3>() - at_.A.bias.template head<3>();
    const Vec3 alpha_A = at_.A.bias.template tail<3>();
    if constexpr (!in_world) by_u = R_AW_ * by_u - w_A.cross(dv + u) - alpha_A.cross(at_.p_AB_A);
    const Vec3 by_w = at_.B.bias.template tail<3>() - at_.R_AB.transpose() * alpha_A + w.cross(w_A_B);
    auto bias = out_.bias();
    for_each_row([&](auto i, double, int row) {
      double sum = 0;
      if constexpr (any) {
        sum = by_displacement(i).dot(by_u) + terms_.C_tt[i] + u.dot(second_block(i, 0, 0) * u) +
              2 * u.dot(second_block(i, 0, 3) * w);
        const double* G_t = terms_.G_t + i * variables();
        for (int k = 0; k < 3; ++k) sum += 2 * (G_t[k] * u[k] + G_t[3 + k] * w[k]);
        for_each_coordinate(
            i, [&](auto k) { sum += 2 * c_rate[k] * (G_t[6 + k] + second_row(i, k, 0).dot(u)); });
      } else if constexpr (detail::constant<decltype(i)> < nd) {
        sum = by_u[first + i];
      }
      if constexpr (of_rotation<decltype(i)>()) {
        sum += by_rotation(i).dot(by_w) + w.dot(second_block(i, 3, 3) * w);
        for_each_coordinate<true>(i, [&](auto k) { sum += 2 * c_rate[k] * second_row(i, k, 3).dot(w); });
      }
      for_each_coordinate<true>(i, [&](auto k) {
        for_each_coordinate<true>(i,
                                  [&](auto l) { sum += c_rate[k] * *second(i, 6 + k, 6 + l) * c_rate[l]; });
      });
      bias[row] = sum;
    });
  }
  template <class I>
  static constexpr bool of_rotation() {
    if constexpr (any)
      return true;
    else
      return detail::constant<I> >= nd && detail::constant<I> < nd + nr;
  }

  void add_rate_gradient(const Vec3& u, const Vec3& w, const Vec3& dv, const Vec3& w_A, const Vec3& w_A_B) {
    const double* c_rate = rows_.coordinate_rates;
    auto gradient = out_.rate_gradient();
    const Mat3 spin_A = skew(w_A), spin_A_B = skew(w_A_B);
    for (const Side* s : {&a_, &b_}) {
      if (s->motion.dofs == 0) continue;
      // Of the relative velocity and the relative angular velocity, by the dense columns.
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
        if constexpr (turns) {
          by_w = -spin_A_B.lazyProduct(s->T);
          if constexpr (!rigid) {
            if (s == &a_)
              by_w -= at_.R_AB.transpose().lazyProduct(s->rotation(s->motion.twist_gradient));
            else
              by_w += s->rotation(s->motion.twist_gradient);
          }
        }
      }
      for_each_row([&](auto i, double, int row) {
        if constexpr (any) {
          Row3 by_p = u.transpose() * second_block(i, 0, 0) + w.transpose() * second_block(i, 3, 0);
          by_p += Eigen::Map<const Row3>(terms_.G_t + i * variables());
          for_each_coordinate(i, [&](auto k) { by_p += c_rate[k] * second_row(i, k, 0); });
          if constexpr (rigid)
            gradient.template block<1, 3>(row, s->column) =
                s->sign * by_p.lazyProduct(R_AW_) + by_displacement(i).lazyProduct(by_position);
          if (s->columns > 0)
            gradient.template block<1, width>(row, s->dense, 1, s->columns) +=
                by_p.lazyProduct(s->D) + by_displacement(i).lazyProduct(by_u);
        } else if constexpr (detail::constant<decltype(i)> < nd) {
          if constexpr (rigid && !in_world)
            gradient.template block<1, 3>(row, s->column) = by_position.row(first + i);
          if (s->columns > 0)
            gradient.template block<1, width>(row, s->dense, 1, s->columns) = by_u.row(first + i);
        }
        if constexpr (of_rotation<decltype(i)>()) {
          if (s->columns == 0) return;
          Row3 by_turn = w.transpose() * second_block(i, 3, 3);
          by_turn += 0.5 * w.cross(Vec3(by_rotation(i).transpose())).transpose();
          for_each_coordinate<true>(i, [&](auto k) { by_turn += c_rate[k] * second_row(i, k, 3); });
          if constexpr (any) {
            by_turn += u.transpose() * second_block(i, 0, 3);
            by_turn += Eigen::Map<const Row3>(terms_.G_t + i * variables() + 3);
          }
          gradient.template block<1, width>(row, s->dense, 1, s->columns) +=
              by_turn.lazyProduct(s->T) + by_rotation(i).lazyProduct(by_w);
        }
      });
    }
    for_each_row([&](auto i, double, int row) {
      for_each_coordinate<true>(i, [&](auto k) {
        double sum = 0;
        if constexpr (of_rotation<decltype(i)>()) sum += second_row(i, k, 3).dot(w);
        if constexpr (any) sum += second_row(i, k, 0).dot(u) + terms_.G_t[i * variables() + 6 + k];
        for_each_coordinate<true>(i, [&](auto l) { sum += *second(i, 6 + k, 6 + l) * c_rate[l]; });
        gradient(row, c_ + k) = sum;
      });
    });
  }

  const LocalState& x_;
  const RelativePose& at_;
  const JointTermsView& terms_;
  const JointRows& rows_;
  LocalSystem& out_;
  Side a_, b_;
  const Mat3 R_AW_;
  const int c_;  ///< row of the first coordinate
  Vec3 f_,
      m_;  ///< relative force (in the axes of A, or of the world) and moment (in those of B) of the multipliers
  Vec3 lever_;
};

}  // namespace trammel
