#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "trammel/glyph.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"
#include "trammel/motion_level.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::point_contact {

/// The origin of B lies on, or above, the plane of A through its origin, normal to its e3. With p = p_AB_A,
///
///     p_3 >= 0                        (position level, unilateral),
///     s_i = p'_i,   i = 1, 2          (velocity level, friction): slip of B's point over the plane's,
///
/// which is seen in the axes of A, whatever A does.
///
/// Local system: blocks of A, of B, the normal multiplier (1), with friction the multipliers of the slip (2).
class PointContact {
 public:
  PointContact(JointSite site, bool rubs) : site_(std::move(site)), rubs_(rubs) {
    blocks_ = site_.block_count();
  }

  const JointSite& site() const { return site_; }
  bool couples(int row, int column) const { return row < blocks_ || column < blocks_; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Request& request = out.request;
    RelativeMotion m;
    m.evaluate(x, site_.A, site_.B, 0, level_of_velocity_rows(request));
    const int n = m.dofs(), normal = n, slip = n + 1;
    const Vec6 w = wrench(x);

    auto r = out.residual();
    r.head(n) += m.J.transpose().lazyProduct(w);
    r[normal] += m.p_AB_A[2];
    if (rubs_) r.segment<2>(slip) += m.twist.head<2>();

    if (request.tangent) {
      auto K = out.K();
      m.add_second_order(x, site_.A, site_.B, 0, w, K.topLeftCorner(n, n));
      K.block(normal, 0, 1, n) += m.J.row(2);
      K.block(0, normal, n, 1) += m.J.row(2).transpose();
      if (rubs_) {
        K.block(0, slip, n, 2) += m.J.topRows<2>().transpose();
        K.block(slip, 0, 2, n) += m.twist_gradient.topRows<2>();
        out.D().block(slip, 0, 2, n) += m.J.topRows<2>();
      }
    }
    if (request.rates) {
      out.rate()[normal] += m.twist[2];
      if (request.tangent) out.rate_gradient().block(normal, 0, 1, n) += m.twist_gradient.row(2);
    }
    if (request.bias) {
      out.bias()[normal] += m.bias[2];
      if (rubs_) out.bias().segment<2>(slip) += m.bias.head<2>();
    }
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    const RelativeMotion m = motion(x);
    const Vec6 w = wrench(x);
    e.dissipated_power = site_.dissipated_power(x, m.wrench_on_A(w), m.wrench_on_B(w));
    e.dissipated_power += w.head<2>().dot(m.twist.head<2>());
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    const RelativeMotion m = motion(x);
    const Vec6 w = wrench(x);
    site_.report(m.A, m.B, forces(m, w, contributions), sink);
    sink.scalar("gap", "m", m.p_AB_A[2]);
    sink.scalar("gap_rate", "m/s", m.twist[2]);
    sink.scalar("normal_force", "N", -w[2]);
    if (!rubs_) return;
    static constexpr std::array<std::string_view, 2> axes{"1", "2"};
    const std::array<double, 2> friction{-w[0], -w[1]}, slip{m.twist[0], m.twist[1]};
    sink.values("friction_force", "N", axes, friction);
    sink.values("slip", "m/s", axes, slip);
  }

  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    const RelativeMotion m = motion(x);
    const Vec6 w = wrench(x);
    site_.draw(m.A, m.B, forces(m, w, contributions), canvas);
    const Vec3 normal = -w[2] * m.A.R_WM.col(2), friction = -(m.A.R_WM.leftCols<2>() * w.head<2>());
    draw_field(canvas, "normal force", "N", world_axes, {normal.data(), 3});
    draw_field(canvas, "friction force", "N", world_axes, {friction.data(), 3});
    const Glyph glyph(canvas, m.A, m.B, site_.size);
    if (!glyph.shown()) return;
    // The plane below the point.
    const Vec3 below = Vec3(m.p_AB_A[0], m.p_AB_A[1], 0) / glyph.size();
    glyph.plate(m.A, below, {0.5, 0, 0}, {0, 0.5, 0});
    glyph.ball(m.B, Vec3::Zero(), 0.08);
  }

 private:
  RelativeMotion motion(const LocalState& x) const {
    RelativeMotion m;
    m.evaluate(x, site_.A, site_.B, 0, MotionLevel::velocity);
    return m;
  }
  /// B^T lambda in the relative motion: a force on B's origin alone, in A's axes.
  Vec6 wrench(const LocalState& x) const {
    Vec6 w = Vec6::Zero();
    w[2] = x.value(blocks_)[0];
    if (rubs_) w.head<2>() = Eigen::Map<const Eigen::Vector2d>(x.value(blocks_ + 1));
    return w;
  }
  JointForces forces(const RelativeMotion& m, const Vec6& w,
                     const ReactionContributions& contributions) const {
    return site_.forces(m.A.R_WM, m.B.R_WM, m.wrench_on_A(w), m.wrench_on_B(w), contributions);
  }

  JointSite site_;
  bool rubs_ = false;
  int blocks_ = 0;
};

}  // namespace trammel::point_contact
