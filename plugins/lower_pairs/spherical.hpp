#pragma once

#include <cmath>

#include "lower_pair.hpp"
#include "trammel/glyph.hpp"

namespace trammel::lower_pairs {

/// R_AB = exp(swing~) exp(twist e3~): first a twist about e3 of B, then a swing about an axis in the plane of e1 and
/// e2 of A.
struct SwingTwist {
  Vec3 swing;    ///< in the axes of A, third component 0; less than half a turn
  double twist;  ///< in (-pi, pi]

  /// At a swing of half a turn the twist is not defined; 0 is given there.
  explicit SwingTwist(const Mat3& R_AB) {
    const Quaternion q = so3::quaternion(R_AB);
    const double length = std::hypot(q.w(), q.z());
    Quaternion about_e3 = Quaternion::Identity();
    if (length > 0) about_e3 = Quaternion(q.w() / length, 0, 0, q.z() / length);
    if (about_e3.w() < 0) about_e3.coeffs() *= -1;
    twist = 2 * std::atan2(about_e3.z(), about_e3.w());
    const Quaternion s = q * about_e3.conjugate();
    swing = so3::log(s.toRotationMatrix());
    swing[2] = 0;
  }
};

/// p_WB = p_WA; all rotations are free. Reports them as a rotation vector (as all joints do), and split.
class Spherical : public LowerPair<Spherical, AnyRotation, Slides{}> {
 public:
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    LowerPair::outputs(x, contributions, sink);
    if (site().A.is_point() || site().B.is_point()) return;
    MarkerMotion A, B;
    site().A.evaluate(x, 0, MotionLevel::pose, A);
    site().B.evaluate(x, site().A.block_count(), MotionLevel::pose, B);
    const SwingTwist split(A.R_WM.transpose() * B.R_WM);
    sink.vector("swing", "rad", split.swing);
    sink.scalar("twist", "rad", split.twist);
  }

  /// A ball of B with a stud, in a socket of A.
  static void draw_glyph(const Glyph& glyph) {
    glyph.ball(glyph.B, Vec3::Zero(), 0.2);
    glyph.rod(glyph.B, {0, 0, 0.15}, {0, 0, 0.5}, 0.06);
    glyph.cup(glyph.A, Vec3::Zero(), Vec3::UnitZ(), 0.26);
  }
};

}  // namespace trammel::lower_pairs
