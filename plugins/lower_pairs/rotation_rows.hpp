#pragma once

#include "rotation_laws.hpp"
#include "sides.hpp"

namespace trammel::lower_pairs {

/// The equations of a rotation law between two markers: residual, tangent and rates. The law's coordinate stands in
/// block `angle_block` and row `angle_row`, its multiplier in block `multiplier_block` and row `row`.
template <class Law, int width>
struct RotationRows {
  static constexpr int equations = Law::equations, coordinates = Law::coordinates;
  static constexpr bool has_coordinates = coordinates > 0;
  using Terms = typename Law::Terms;

  const LocalState& x;
  const Mat3& R_AB;
  Side<width>&a, &b;
  int angle_block, angle_row, multiplier_block, row;

  /// Adds everything that `out` asks for but the rows of the markers, and but the tangent where `with_tangent` is false;
  /// returns the relative moment of B^T lambda, in B's components.
  Vec3 add(LocalSystem& out, Terms& terms, bool with_tangent = true) const {
    const Request& request = out.request;
    Law::rotation(R_AB, has_coordinates ? x.value(angle_block) : nullptr,
                  request.tangent || request.rates || request.bias, terms);
    const Eigen::Map<const Eigen::Matrix<double, equations, 1>> lambda(x.value(multiplier_block));
    const auto G = terms.G.template leftCols<3>();
    const Vec3 m = G.transpose() * lambda;

    auto r = out.residual();
    r.template segment<equations>(row) = terms.C;
    if constexpr (has_coordinates)
      r.template segment<coordinates>(angle_row) +=
          terms.G.template rightCols<coordinates>().transpose() * lambda;

    if (request.tangent && (with_tangent || request.rates)) {
      if (a.columns > 0) a.T = -(R_AB.transpose().lazyProduct(a.rotation(a.motion.J)));
      if (b.columns > 0) b.T = b.rotation(b.motion.J);
      if (with_tangent) add_tangent(terms, lambda, m, out);
    }
    if (request.rates || request.bias) add_rates(terms, out);
    return m;
  }

 private:
  void add_tangent(const Terms& terms, const Eigen::Matrix<double, equations, 1>& lambda, const Vec3& m,
                   LocalSystem& out) const {
    auto K = out.K();
    typename Terms::Hessian H = lambda[0] * terms.H[0];
    for (int i = 1; i < equations; ++i) H += lambda[i] * terms.H[static_cast<std::size_t>(i)];
    const Mat3 m_cross = skew(m);
    // The gradient's derivative on the group is H + m~/2; in A's rows the moment turns with the relative rotation.
    const Mat3 S_B = H.template topLeftCorner<3, 3>() + 0.5 * m_cross;
    const Mat3 S_A = S_B - m_cross;
    for (const Side<width>* s : {&a, &b}) {
      if (s->columns == 0) continue;
      const RowsOf<equations, width> B = terms.G.template leftCols<3>() * s->T;
      K.template block<equations, width>(row, s->dense, equations, s->columns) = B;
      K.template block<width, equations>(s->dense, row, s->columns, equations) = B.transpose();
      const Turning<width> S_T_A = S_A * s->T, S_T_B = S_B * s->T;
      if (a.columns > 0)
        K.template block<width, width>(a.dense, s->dense, a.columns, s->columns) += a.T.transpose() * S_T_A;
      if (b.columns > 0)
        K.template block<width, width>(b.dense, s->dense, b.columns, s->columns) += b.T.transpose() * S_T_B;
      if constexpr (has_coordinates) {
        const RowsOf<coordinates, width> h = H.template bottomLeftCorner<coordinates, 3>() * s->T;
        K.template block<coordinates, width>(angle_row, s->dense, coordinates, s->columns) = h;
        K.template block<width, coordinates>(s->dense, angle_row, s->columns, coordinates) = h.transpose();
      }
    }
    if constexpr (has_coordinates) {
      const auto G_c = terms.G.template rightCols<coordinates>();
      K.template block<coordinates, coordinates>(angle_row, angle_row) =
          H.template bottomRightCorner<coordinates, coordinates>();
      K.template block<equations, coordinates>(row, angle_row) = G_c;
      K.template block<coordinates, equations>(angle_row, row) = G_c.transpose();
    }
  }

  void add_rates(const Terms& terms, LocalSystem& out) const {
    const Mat3 R_BA = R_AB.transpose();
    const Vec3 w_A = R_BA * a.motion.twist.template tail<3>();
    const Vec3 w = b.motion.twist.template tail<3>() - w_A;
    typename Terms::Variation xi;
    xi.template head<3>() = w;
    if constexpr (has_coordinates)
      xi.template tail<coordinates>() =
          Eigen::Map<const Eigen::Matrix<double, coordinates, 1>>(x.rate(angle_block));
    const auto G = terms.G.template leftCols<3>();

    if (out.request.rates) {
      out.rate().template segment<equations>(row) += terms.rate(xi);
      if (out.request.tangent) {
        Eigen::Matrix<double, equations, Terms::variables> by_z;
        for (int i = 0; i < equations; ++i) {
          by_z.row(i) = xi.transpose() * terms.H[static_cast<std::size_t>(i)];
          by_z.row(i).template head<3>() += 0.5 * w.cross(Vec3(G.row(i).transpose())).transpose();
        }
        // The relative angular velocity itself changes as the relative rotation does.
        by_z.template leftCols<3>() -= G * skew(w_A);
        auto gradient = out.rate_gradient();
        for (const Side<width>* s : {&a, &b})
          if (s->columns > 0)
            gradient.template block<equations, width>(row, s->dense, equations, s->columns) +=
                by_z.template leftCols<3>() * s->T;
        if constexpr (width != 3) {
          if (a.columns > 0)
            gradient.block(row, a.dense, equations, a.columns) -=
                G * (R_BA * a.rotation(a.motion.twist_gradient));
          if (b.columns > 0)
            gradient.block(row, b.dense, equations, b.columns) += G * b.rotation(b.motion.twist_gradient);
        }
        if constexpr (has_coordinates)
          gradient.template block<equations, coordinates>(row, angle_row) +=
              by_z.template rightCols<coordinates>();
      }
    }
    if (out.request.bias) {
      typename Terms::Variation alpha = Terms::Variation::Zero();
      alpha.template head<3>() =
          b.motion.bias.template tail<3>() - R_BA * a.motion.bias.template tail<3>() + w.cross(w_A);
      out.bias().template segment<equations>(row) += terms.second_rate(xi, alpha);
    }
  }
};

/// Relative moment of B^T lambda of a law, in B's components: for reports.
template <class Law>
Vec3 relative_moment(const Mat3& R_AB, const double* angle, const double* multiplier) {
  typename Law::Terms terms;
  Law::rotation(R_AB, angle, false, terms);
  return terms.G.template leftCols<3>().transpose() *
         Eigen::Map<const Eigen::Matrix<double, Law::equations, 1>>(multiplier);
}

}  // namespace trammel::lower_pairs
