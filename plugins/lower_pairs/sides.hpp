#pragma once

#include "trammel/local_system.hpp"
#include "trammel/marker.hpp"
#include "trammel/state.hpp"

namespace trammel::lower_pairs {

template <int width>
using Turning =
    Eigen::Matrix<double, 3, width, Eigen::ColMajor, 3, width == Eigen::Dynamic ? max_marker_dofs : width>;

/// `rows` rows in the dense columns of a side.
template <int rows, int width>
using RowsOf = Eigen::Matrix<double, rows, width, rows == 1 ? Eigen::RowMajor : Eigen::ColMajor, rows,
                             width == Eigen::Dynamic ? max_marker_dofs : width>;

/// One marker as the rows of a joint see it. Where both markers are rigid (width 3) only the three columns of its
/// rotation are dense, and those of its position are the identity.
template <int width>
struct Side {
  const Marker& marker;
  const MarkerMotion& motion;
  int first_block;
  int column;  ///< of the marker's first unknown
  double sign;
  int dense;         ///< first dense column
  int columns;       ///< how many
  Turning<width> T;  ///< relative rotation by the dense columns

  Side(const Marker& m, const MarkerMotion& at, int block, int first_column, double s)
      : marker(m), motion(at), first_block(block), column(first_column), sign(s) {
    dense = width == 3 ? column + 3 : column;
    columns = width == 3 ? (motion.dofs == 6 ? 3 : 0) : motion.dofs;
  }
  bool has_plain_position() const { return width == 3 && columns > 0; }
  auto translation(const MarkerJacobian& J) const { return part(J, 0); }
  auto rotation(const MarkerJacobian& J) const { return part(J, 3); }

 private:
  auto part(const MarkerJacobian& J, int row) const {
    if constexpr (width == 3)
      return J.template block<3, 3>(row, 3);
    else
      return J.middleRows<3>(row);
  }
};

/// Adds the rows (force in world components; moment in marker components) of r = B^T lambda at a marker.
template <int width>
void add_rows(const Side<width>& s, const Vec6& row, LocalSystem& out) {
  if (s.motion.dofs == 0) return;
  auto r = out.residual();
  if constexpr (width == 3) {
    r.template segment<3>(s.column) += row.head<3>();
    if (s.columns > 0)
      r.template segment<3>(s.dense) += s.translation(s.motion.J).transpose().lazyProduct(row.head<3>()) +
                                        s.rotation(s.motion.J).transpose().lazyProduct(row.tail<3>());
  } else {
    r.segment(s.column, s.motion.dofs).noalias() += s.motion.J.transpose() * row;
  }
}

/// Adds the turning of the forces on a marker with what carries it, d(J^T w)/dq: `wrench` is (force in world
/// components; moment in marker components).
template <int width>
void turn_wrench(const LocalState& x, const Side<width>& s, const Vec6& wrench, LocalSystem& out) {
  if constexpr (width == 3) {
    if (s.columns == 0 || s.marker.at_frame_origin()) return;
    const auto R_WF = x.rotation(s.first_block + 1);
    out.K().template block<3, 3>(s.dense, s.dense).noalias() +=
        skew(s.marker.p_FM_F()) * skew(R_WF.transpose() * wrench.head<3>());
  } else {
    if (s.columns == 0) return;
    s.marker.add_second_order(x, s.first_block, s.motion, wrench,
                              out.K().block(s.column, s.column, s.motion.dofs, s.motion.dofs));
  }
}

}  // namespace trammel::lower_pairs
