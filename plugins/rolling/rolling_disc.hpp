#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "trammel/constraint.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/motion_level.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::rolling {

/// A thin disc of radius r about the origin of B, normal to its e3, rolls without slip on the plane of A through its
/// origin, normal to its e3. With R = R_AB, p = p_AB_A, c = R_33, s = sqrt(1 - c^2), the rim's lowest point lies from the
/// centre by r d, d = (c R e3 - e3) / s, and
///
///     p_3 - r s = 0                                         (position level),
///     e_i . (p' + (R w) x (r d)) = 0,   i = 1, 2            (velocity level), w = w_AB_B.
///
/// Local system: blocks of A, of B, the normal multiplier (1), the velocity multipliers of the slip (2).
class RollingDisc {
 public:
  RollingDisc(JointSite site, double radius) : site_(std::move(site)), radius_(radius) {
    blocks_ = site_.block_count();
  }

  const JointSite& site() const { return site_; }
  bool couples(int row, int column) const { return row < blocks_ || column < blocks_; }

  /// Height of the centre of a disc that stands as R_AB says.
  static double height(const Mat3& R_AB, double radius) {
    return radius * std::hypot(R_AB(0, 2), R_AB(1, 2));
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Request& request = out.request;
    const Contact c(*this, x, level_of_velocity_rows(request));
    const RelativeMotion& m = c.motion;
    const int n = m.dofs(), normal = n, slip = n + 1;
    const Eigen::Vector2d lambda = Eigen::Map<const Eigen::Vector2d>(x.value(blocks_ + 1));
    const double push = x.value(blocks_)[0];
    const Vec6 w = push * c.G + c.A.transpose() * lambda;

    auto r = out.residual();
    r.head(n) += m.J.transpose().lazyProduct(w);
    r[normal] += c.gap;
    r.segment<2>(slip) += c.A * m.twist;

    if (request.tangent) {
      auto K = out.K();
      auto D = out.D();
      Mat6 S = Mat6::Zero();
      S.bottomRightCorner<3, 3>() =
          push * (c.H + 0.5 * skew(Vec3(c.G.tail<3>()))) + lambda[0] * c.turn[0] + lambda[1] * c.turn[1];
      const ByMarkerPair<6> turned = S.lazyProduct(m.J);
      K.topLeftCorner(n, n) += m.J.transpose().lazyProduct(turned);
      m.add_second_order(x, site_.A, site_.B, 0, w, K.topLeftCorner(n, n));
      K.block(normal, 0, 1, n) += c.G.transpose().lazyProduct(m.J);
      K.block(0, normal, n, 1) += m.J.transpose().lazyProduct(c.G);
      const ByMarkerPair<2> A = c.A.lazyProduct(m.J);
      K.block(0, slip, n, 2) += A.transpose();
      D.block(slip, 0, 2, n) += A;
      K.block(slip, 0, 2, n) +=
          c.A.lazyProduct(m.twist_gradient) + c.slip_gradient().lazyProduct(m.J.bottomRows<3>());
    }
    if (request.rates) {
      out.rate()[normal] += c.G.dot(m.twist);
      if (request.tangent) {
        Vec6 by = Vec6::Zero();
        const Vec3 spin = m.twist.tail<3>(), g = c.G.tail<3>();
        by.tail<3>() = c.H * spin + 0.5 * spin.cross(g);
        out.rate_gradient().block(normal, 0, 1, n) +=
            by.transpose().lazyProduct(m.J) + c.G.transpose().lazyProduct(m.twist_gradient);
      }
    }
    if (request.bias) {
      auto bias = out.bias();
      const Vec3 spin = m.twist.tail<3>();
      bias[normal] += c.G.dot(m.bias) + spin.dot(c.H * spin);
      bias.segment<2>(slip) += c.A * m.bias + c.slip_gradient() * spin;
    }
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    if (!site_.moves_in_time()) return e;
    const Contact c(*this, x, MotionLevel::velocity);
    const Vec6 w = wrench(x, c);
    e.dissipated_power = site_.dissipated_power(x, c.motion.wrench_on_A(w), c.motion.wrench_on_B(w));
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    const Contact c(*this, x, MotionLevel::velocity);
    site_.report(c.motion.A, c.motion.B, forces(x, c, contributions), sink);
    sink.scalar("normal_force", "N", -x.value(blocks_)[0]);
    static constexpr std::array<std::string_view, 2> names{"1", "2"};
    const std::array<double, 2> friction{-x.value(blocks_ + 1)[0], -x.value(blocks_ + 1)[1]};
    sink.values("friction_force", "N", names, friction);
    sink.vector("contact_point", "m", contact_point(c));
  }

  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    const Contact c(*this, x, MotionLevel::velocity);
    site_.draw(c.motion.A, c.motion.B, forces(x, c, contributions), canvas);
    // The rim with a spoke that shows its turning, and the radius to the contact.
    const Glyph glyph(canvas, c.motion.A, c.motion.B, site_.size);
    if (!glyph.shown()) return;
    const double radius = radius_ / glyph.size();
    glyph.arc(c.motion.B, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), radius, 1);
    const std::array<Vec3, 2> spoke{Vec3::Zero(), radius * Vec3::UnitX()};
    glyph.line(c.motion.B, spoke);
    const std::array<Vec3, 2> arm{c.motion.B.p_WM, contact_point(c)};
    canvas.polyline(Canvas::Layer::joints, arm);
  }

 private:
  using J3 = SecondJet<3>;

  struct Contact {
    RelativeMotion motion;
    double gap;
    Vec6 G;                         ///< of the gap
    Mat3 H;                         ///< of the gap by the rotation
    Eigen::Matrix<double, 2, 6> A;  ///< slip = A twist
    std::array<Mat3, 2> turn;       ///< rotation part of the rows of A, as columns, by the rotation
    Vec3 arm;                       ///< from the centre to the contact, in A's axes

    Contact(const RollingDisc& joint, const LocalState& x, MotionLevel level) {
      motion.evaluate(x, joint.site_.A, joint.site_.B, 0, level);
      const Mat3T<J3> R = jets_of_rotation<SecondJet<3>, 0>(motion.R_AB);
      const double r = joint.radius_;
      const Vec3T<J3> e = R.col(2);
      const J3 s = sqrt(e[0] * e[0] + e[1] * e[1]);
      if (!(s.value > 1e-8)) throw RejectStep("the disc lies flat on its plane: the contact is not a point");
      Vec3T<J3> d = e * (e[2] / s);
      d[2] -= 1.0 / s;
      d = d * J3(r);
      const J3 g = J3(motion.p_AB_A[2]) - r * s;
      gap = g.value;
      G << Vec3::UnitZ(), g.gradient;
      H = g.hessian;
      A.setZero();
      for (int i = 0; i < 2; ++i) {
        A(i, i) = 1;
        // e_i . ((R w) x d) = w . R^T (d x e_i)
        const Vec3T<J3> lever = trammel::cross(d, Vec3T<J3>(Vec3::Unit(i).cast<J3>()));
        for (int j = 0; j < 3; ++j) {
          const J3 entry = trammel::dot(R.col(j), lever);
          A(i, 3 + j) = entry.value;
          turn[static_cast<std::size_t>(i)].row(j) = entry.gradient.transpose();
        }
      }
      for (int i = 0; i < 3; ++i) arm[i] = d[i].value;
    }
    /// A twist by the rotation, the twist fixed.
    Eigen::Matrix<double, 2, 3> slip_gradient() const {
      Eigen::Matrix<double, 2, 3> by;
      for (int i = 0; i < 2; ++i)
        by.row(i) = motion.twist.tail<3>().transpose() * turn[static_cast<std::size_t>(i)];
      return by;
    }
  };

  Vec6 wrench(const LocalState& x, const Contact& c) const {
    return x.value(blocks_)[0] * c.G +
           c.A.transpose() * Eigen::Map<const Eigen::Vector2d>(x.value(blocks_ + 1));
  }
  JointForces forces(const LocalState& x, const Contact& c,
                     const ReactionContributions& contributions) const {
    const Vec6 w = wrench(x, c);
    return site_.forces(c.motion.A.R_WM, c.motion.B.R_WM, c.motion.wrench_on_A(w), c.motion.wrench_on_B(w),
                        contributions);
  }
  static Vec3 contact_point(const Contact& c) { return c.motion.B.p_WM + c.motion.A.R_WM * c.arm; }

  JointSite site_;
  double radius_;
  int blocks_ = 0;
};

}  // namespace trammel::rolling
