#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "shafts.hpp"
#include "trammel/joint.hpp"
#include "trammel/lie.hpp"

namespace trammel::constant_velocity {

using Vec4 = Eigen::Matrix<double, 4, 1>;  // of a quaternion: w, x, y, z

/// The quaternion of the swing exp((b_1, b_2, 0)~) with its derivatives by b: (cos(|b|/2), b sin(|b|/2)/|b|).
struct Swing {
  Vec4 p;
  std::array<Vec4, 2> by;                     ///< by b_k
  std::array<std::array<Vec4, 2>, 2> by_two;  ///< by b_k and b_l

  explicit Swing(const Eigen::Vector2d& b) {
    // f = sin(|b|/2)/|b| and its derivatives by |b|^2, in Stumpff functions of |b|^2/4.
    const auto C = lie::stumpff<5>(0.25 * b.squaredNorm());
    const double f = 0.5 * C[1], f1 = (C[3] - C[2]) / 16, f2 = (3 * C[5] - 3 * C[4] + C[3]) / 128;
    p << C[0], f * b, 0;
    for (int k = 0; k < 2; ++k) {
      Vec4& d = by[static_cast<std::size_t>(k)];
      d << -0.5 * f * b[k], 2 * f1 * b[k] * b, 0;
      d[1 + k] += f;
      for (int l = 0; l < 2; ++l) {
        Vec4& dd = by_two[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)];
        dd << -f1 * b[k] * b[l], 4 * f2 * b[k] * b[l] * b, 0;
        dd[1 + k] += 2 * f1 * b[l];
        dd[1 + l] += 2 * f1 * b[k];
        if (k != l) continue;
        dd[0] -= 0.5 * f;
        dd.segment<2>(1) += 2 * f1 * b;
      }
    }
  }
};

/// The product p* q, with p* the conjugate.
inline Vec4 conjugate_times(const Vec4& p, const Vec4& q) {
  const Vec3 u = p.tail<3>(), v = q.tail<3>();
  Vec4 product;
  product << p.dot(q), p[0] * v - q[0] * u - u.cross(v);
  return product;
}

struct ConstantVelocityHistory : JointHistory {
  bool known = false;
  Eigen::Vector2d bend = Eigen::Vector2d::Zero();  ///< at the last commit [rad], if `known`

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(known, bend);
  }
};

/// A homokinetic joint: no relative spin about the bisector of the two shafts. With e3 along both shafts and equal
/// triads at the start, this says that R_AB is a swing, without twist: with b = (bend_1, bend_2)
///
///     p_AB_A = 0,   2 vec(p(b)* q) = 0,
///
/// q the unit quaternion of R_AB and p that of exp((b, 0)~), their product with a real part that is not negative. It implies
/// g_21 - g_12 = 4 q_0 q_3 = 0, g_ab = R_AB(a, b), but that equation also holds after half a turn of twist, q_0 = 0, and
/// where both meet, at a bend of half a turn, its gradient vanishes.
class ConstantVelocity : public Joint<ConstantVelocity, 6, 2, ConstantVelocityHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::along_axis, true, true};
  static constexpr std::array<Dimension, 6> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle,
                                                       Dimension::angle,  Dimension::angle};
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"bend_1", "rad", Measure::angle()}, {"bend_2", "rad", Measure::angle()}}};

  void terms(const RelativeState<2>& x, bool second, Terms& out) const {
    out.C.head<3>() = x.p_AB_A;
    out.G.topLeftCorner<3, 3>().setIdentity();
    const Swing swing(x.c);
    const Quaternion R = so3::quaternion(x.R_AB);
    Vec4 q(R.w(), R.x(), R.y(), R.z());
    if (swing.p.dot(q) < 0) q = -q;
    const Vec4 off = conjugate_times(swing.p, q);
    out.C.tail<3>() = 2 * off.tail<3>();
    // Along R_AB exp(dtheta~), q changes by q (0, dtheta)/2 and -q |dtheta|^2/8.
    out.G.block<3, 3>(3, 3) = by_rotation(off);
    for (int k = 0; k < 2; ++k) {
      const Vec4 by_k = conjugate_times(swing.by[static_cast<std::size_t>(k)], q);
      out.G.block<3, 1>(3, 6 + k) = 2 * by_k.tail<3>();
      if (!second) continue;
      const Mat3 mixed = by_rotation(by_k);
      for (int i = 0; i < 3; ++i) {
        auto& H = out.H[static_cast<std::size_t>(3 + i)];
        H.block<1, 3>(6 + k, 3) = mixed.row(i);
        H.block<3, 1>(3, 6 + k) = mixed.row(i).transpose();
        for (int l = 0; l < 2; ++l)
          H(6 + k, 6 + l) =
              2 * conjugate_times(swing.by_two[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)],
                                  q)[1 + i];
      }
    }
    if (!second) return;
    for (int i = 0; i < 3; ++i)
      out.H[static_cast<std::size_t>(3 + i)].block<3, 3>(3, 3).diagonal().array() = -0.25 * out.C[3 + i];
  }

  Eigen::Vector2d initial_coordinates(const RelativeState<2>& x) const { return so3::log(x.R_AB).head<2>(); }

  /// Near a bend of a whole turn, where the swing has no direction, the coordinates turn as fast as one likes, and a step that
  /// is too long for them may find another bend that closes the joint. One that swings them by more than 1 rad is cut.
  Review review(const LocalState& x, const StepInfo& step) {
    if (!history().known || (relative(x).c - history().bend).norm() <= 1) return Review::keep();
    if (++cuts_ > most_cuts)
      throw Error(
          "the bend of a constant velocity joint comes to a whole turn, where its direction is not defined: "
          "keep it below, "
          "with a stop or a spring on its coordinates");
    return Review::cut(0.5 * (step.start + step.end));
  }
  void commit(const LocalState& x, const StepInfo&) {
    history().bend = relative(x).c;
    history().known = true;
    cuts_ = 0;
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    Joint::outputs(x, contributions, sink);
    const RelativeState<2> state = relative(x);
    const double bend = std::hypot(state.c[0], state.c[1]);
    sink.scalar("bend", "rad", bend);
    // Of B's shaft as seen along A's, from e1; 0 where the shafts are in line.
    sink.scalar("bend_direction", "rad", bend > 0 ? std::atan2(-state.c[0], state.c[1]) : 0);
  }

  static void draw_glyph(const Glyph& glyph) { draw_shafts(glyph); }

 private:
  /// 2 vec of s (0, dtheta)/2 by dtheta.
  static Mat3 by_rotation(const Vec4& s) { return s[0] * Mat3::Identity() + skew(Vec3(s.tail<3>())); }

  static constexpr int most_cuts = 12;
  int cuts_ = 0;  ///< since the last commit
};

}  // namespace trammel::constant_velocity
