#pragma once

#include <array>

#include "trammel/glyph.hpp"
#include "trammel/joint.hpp"
#include "trammel/lie.hpp"

namespace trammel::prescribed_frame {

/// p_AB_A = 0 and R_AB = 1 for a marker A that moves in time, the latter as 2 q_v = 0 with q = (q_0, q_v) the unit
/// quaternion of R_AB, q_0 >= 0.
class PrescribedFrame : public Joint<PrescribedFrame, 6> {
 public:
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};

  /// The axes that the marker is led along, from a small box.
  static void draw_glyph(const Glyph& glyph) {
    glyph.box(glyph.B, Vec3::Zero(), Vec3::Constant(0.25));
    for (int k = 0; k < 3; ++k) {
      const std::array<Vec3, 2> axis{Vec3::Zero(), 0.5 * Vec3::Unit(k)};
      glyph.line(glyph.A, axis);
    }
  }

  void terms(const RelativeState<0>& x, bool second, Terms& out) const {
    const Quaternion q = so3::quaternion(x.R_AB);
    const double sign = q.w() < 0 ? -1 : 1;
    out.C << x.p_AB_A, 2 * sign * q.vec();
    out.G.topLeftCorner<3, 3>().setIdentity();
    out.G.bottomRightCorner<3, 3>() = sign * q.w() * Mat3::Identity() + skew(sign * q.vec());
    if (!second) return;
    for (int i = 3; i < 6; ++i)
      out.H[static_cast<std::size_t>(i)].bottomRightCorner<3, 3>().diagonal().setConstant(-0.25 * out.C[i]);
  }
};

}  // namespace trammel::prescribed_frame
