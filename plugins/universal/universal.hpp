#pragma once

#include <array>
#include <cmath>
#include <utility>

#include "trammel/constraint.hpp"
#include "trammel/glyph.hpp"
#include "trammel/parameters.hpp"

namespace trammel::universal {

/// Two bodies on the perpendicular bars of a cross: A turns about e3 of its triad, B about e3 of its own. With g_ab =
/// R_AB(a, b):
///
///     p_AB_A = 0,   g_33 = 0,
///     g_13 sin(angle_1) - g_23 cos(angle_1) = 0   (the cross in A, about A's bar),
///     g_31 sin(angle_2) + g_32 cos(angle_2) = 0   (B in the cross, about B's bar).
///
/// The last two are constraint III of the Dymore manual with the bars in place of the equal triads.
class Universal : public Constraint<Universal, 6, 2> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, true, true};
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<RowSparsity, 6> sparsity{
      RowSparsity::of_displacement(0), RowSparsity::of_displacement(1), RowSparsity::of_displacement(2),
      RowSparsity::of_rotation(),      RowSparsity::of_rotation(1U),    RowSparsity::of_rotation(2U)};
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"angle_1", "rad", Measure::angle()}, {"angle_2", "rad", Measure::angle()}}};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Mat3T<S>& g = x.R_AB;
    C.template head<3>() = x.p_AB_A;
    C[3] = g(2, 2);
    C[4] = g(0, 2) * sin(x.c[0]) - g(1, 2) * cos(x.c[0]);
    C[5] = g(2, 0) * sin(x.c[1]) + g(2, 1) * cos(x.c[1]);
  }

  /// The derivatives of `residual` by hand, a fraction of the cost: what the sparsity names.
  void terms(const RelativeState<2>& x, bool second, typename Universal::Terms& out) const {
    const Mat3& g = x.R_AB;
    const Eigen::Vector2d s(std::sin(x.c[0]), std::sin(x.c[1])), c(std::cos(x.c[0]), std::cos(x.c[1]));
    out.C.head<3>() = x.p_AB_A;
    rotated(Vec3::UnitZ(), Vec3::UnitZ(), g, second, 3, out);
    const Vec3 a(s[0], -c[0], 0), a_rate(c[0], s[0], 0), b(s[1], c[1], 0), b_rate(c[1], -s[1], 0);
    rotated(a, Vec3::UnitZ(), g, second, 4, out);
    rotated(Vec3::UnitZ(), b, g, second, 5, out);
    const Vec3 row = g.transpose() * a_rate, bar = g.row(2).transpose();
    turned(row[2], Vec3::UnitZ().cross(row), second, 4, 0, out);
    turned(bar.dot(b_rate), b_rate.cross(bar), second, 5, 1, out);
  }

  /// The equations hold with either angle half a turn off too.
  bool on_branch(const RelativeState<2>& x) const {
    const Mat3& g = x.R_AB;
    return g(0, 2) * std::cos(x.c[0]) + g(1, 2) * std::sin(x.c[0]) > 0 &&
           g(2, 0) * std::cos(x.c[1]) - g(2, 1) * std::sin(x.c[1]) > 0;
  }

  /// The cross, with a yoke of each side on its bar.
  static void draw_glyph(const Glyph& glyph) {
    const Vec3 across = glyph.A.R_WM.col(2).cross(glyph.B.R_WM.col(2)).normalized();
    if (!across.allFinite()) return;
    for (const auto& [frame, side] : {std::pair(&glyph.A, -1.0), std::pair(&glyph.B, 1.0)}) {
      glyph.rod(*frame, {0, 0, -0.5}, {0, 0, 0.5}, 0.1);
      glyph.arc(*frame, Vec3::Zero(), Vec3::UnitZ(), side * (frame->R_WM.transpose() * across), 0.5, 0.5);
    }
  }

 private:
  /// Equation i is a . R_AB b: its value and derivatives by the rotation, R_AB exp(x~) at x = 0.
  static void rotated(const Vec3& a, const Vec3& b, const Mat3& R_AB, bool second, int i,
                      typename Universal::Terms& out) {
    const Vec3 r = R_AB.transpose() * a;
    out.C[i] = r.dot(b);
    out.G.row(i).segment<3>(3) = b.cross(r).transpose();
    if (second)
      out.H[static_cast<std::size_t>(i)].block<3, 3>(3, 3) =
          0.5 * (r * b.transpose() + b * r.transpose()) - out.C[i] * Mat3::Identity();
  }
  /// The derivatives of equation i by angle k, in which it is a sum of sine and cosine: `rate` is the first one, `mixed` the
  /// gradient of this by the rotation.
  static void turned(double rate, const Vec3& mixed, bool second, int i, int k,
                     typename Universal::Terms& out) {
    out.G(i, 6 + k) = rate;
    if (!second) return;
    auto& H = out.H[static_cast<std::size_t>(i)];
    H.block<3, 1>(3, 6 + k) = mixed;
    H.block<1, 3>(6 + k, 3) = mixed.transpose();
    H(6 + k, 6 + k) = -out.C[i];
  }
};

}  // namespace trammel::universal
