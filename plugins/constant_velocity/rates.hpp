#pragma once

#include <utility>
#include <vector>

#include "shafts.hpp"
#include "trammel/explicit_twist.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/local_system.hpp"
#include "trammel/motion_level.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::constant_velocity {

/// Eq. (32) of the Dymore manual, n_A . w_A = n_B . w_B, with angular velocities relative to a carrier C:
///
///     p_WB - p_WA = 0,
///     e3 . (w_A - w_B) - (R_CA e3 - R_CB e3) . w_C = 0,
///
/// each w in its own marker's axes, e3 of the markers along the shafts. The second is a velocity-level constraint.
///
/// Local system: blocks of A, of B, of C, the force multiplier (3), the velocity multiplier (1).
class ConstantVelocityRates {
 public:
  ConstantVelocityRates(JointSite site, Marker carrier) : site_(std::move(site)), C_(std::move(carrier)) {
    blocks_A_ = site_.A.block_count();
    blocks_AB_ = site_.block_count();
    blocks_ = blocks_AB_ + C_.block_count();
  }

  const JointSite& site() const { return site_; }
  std::vector<BlockId> blocks() const {
    std::vector<BlockId> all = site_.blocks();
    for (const BlockId id : C_.blocks()) all.push_back(id);
    return all;
  }

  bool couples(int row, int column) const { return row < blocks_ || column < blocks_; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Request& request = out.request;
    const Motions m(*this, x, level_of_velocity_rows(request));
    const int row = m.C_column + m.C.dofs, spin = row + 3;
    const double lambda = x.value(blocks_ + 1)[0];
    const Vec3 force = Eigen::Map<const Vec3>(x.value(blocks_));
    const Wrenches w = m.wrenches(force, lambda);

    auto r = out.residual();
    r.segment(0, m.A.dofs) += m.A.J.transpose() * w.A;
    r.segment(m.B_column, m.B.dofs) += m.B.J.transpose() * w.B;
    r.segment(m.C_column, m.C.dofs) += m.C.J.transpose() * w.C;
    r.segment<3>(row) += p_AB_W(m.A, m.B);
    r[spin] += m.A.twist[5] - m.B.twist[5] - m.d.dot(m.C.twist.tail<3>());

    if (request.tangent) add_tangent(x, m, w, lambda, row, out);
    if (request.rates) {
      out.rate().segment<3>(row) += m.B.twist.head<3>() - m.A.twist.head<3>();
      if (request.tangent) {
        auto gradient = out.rate_gradient();
        gradient.block(row, 0, 3, m.A.dofs) -= m.A.twist_gradient.topRows<3>();
        gradient.block(row, m.B_column, 3, m.B.dofs) += m.B.twist_gradient.topRows<3>();
      }
    }
    if (request.bias) {
      auto bias = out.bias();
      bias.segment<3>(row) += m.B.bias.head<3>() - m.A.bias.head<3>();
      const Vec3 d_rate = m.turn(m.A.twist.tail<3>(), m.B.twist.tail<3>(), m.C.twist.tail<3>());
      bias[spin] += m.A.bias[5] - m.B.bias[5] - m.d.dot(m.C.bias.tail<3>()) - d_rate.dot(m.C.twist.tail<3>());
    }
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    if (!site_.moves_in_time() && !C_.has_shape()) return e;
    const Motions m(*this, x, MotionLevel::velocity);
    const Wrenches w = m.wrenches(Eigen::Map<const Vec3>(x.value(blocks_)), x.value(blocks_ + 1)[0]);
    e.dissipated_power =
        site_.dissipated_power(x, w.A, w.B) - w.C.dot(explicit_twist(C_, x, blocks_AB_, m.C));
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    const Motions m(*this, x, MotionLevel::velocity);
    const double lambda = x.value(blocks_ + 1)[0];
    const Wrenches w = m.wrenches(Eigen::Map<const Vec3>(x.value(blocks_)), lambda);
    site_.report(m.A, m.B, site_.forces(m.A.R_WM, m.B.R_WM, w.A, w.B, contributions), sink);
    sink.vector("moment_on_carrier_world", "N m", -(m.C.R_WM * w.C.tail<3>()));
    sink.scalar("multiplier", "N m", lambda);
    sink.scalar("spin_A", "rad/s", m.spin(m.A));
    sink.scalar("spin_B", "rad/s", m.spin(m.B));
  }

  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    const Motions m(*this, x, MotionLevel::velocity);
    const Wrenches w = m.wrenches(Eigen::Map<const Vec3>(x.value(blocks_)), x.value(blocks_ + 1)[0]);
    site_.draw(m.A, m.B, site_.forces(m.A.R_WM, m.B.R_WM, w.A, w.B, contributions), canvas);
    draw_shafts(Glyph(canvas, m.A, m.B, site_.size));
  }

 private:
  /// Rows of B^T lambda at the three markers.
  struct Wrenches {
    Vec6 A, B, C;
  };

  struct Motions {
    MarkerMotion A, B, C;
    int B_column, C_column;
    Mat3 R_CA, R_CB;
    Vec3 d;  ///< R_CA e3 - R_CB e3

    Motions(const ConstantVelocityRates& joint, const LocalState& x, MotionLevel level) {
      joint.site_.A.evaluate(x, 0, level, A);
      joint.site_.B.evaluate(x, joint.blocks_A_, level, B);
      joint.C_.evaluate(x, joint.blocks_AB_, level, C);
      B_column = A.dofs;
      C_column = A.dofs + B.dofs;
      R_CA = C.R_WM.transpose() * A.R_WM;
      R_CB = C.R_WM.transpose() * B.R_WM;
      d = R_CA.col(2) - R_CB.col(2);
    }
    /// Change of d by rotations of the markers, each in its own axes.
    Vec3 turn(const Vec3& of_A, const Vec3& of_B, const Vec3& of_C) const {
      return d.cross(of_C) + R_CA * of_A.cross(Vec3::UnitZ()) - R_CB * of_B.cross(Vec3::UnitZ());
    }
    Wrenches wrenches(const Vec3& force, double lambda) const {
      Wrenches w;
      w.A << -force, lambda * Vec3::UnitZ();
      w.B << force, -lambda * Vec3::UnitZ();
      w.C << Vec3::Zero(), -lambda * d;
      return w;
    }
    double spin(const MarkerMotion& m) const {
      return m.twist[5] - m.R_WM.col(2).dot(C.R_WM * C.twist.tail<3>());
    }
  };

  void add_tangent(const LocalState& x, const Motions& m, const Wrenches& w, double lambda, int row,
                   LocalSystem& out) const {
    using Columns = ByMarker<3>;
    struct Part {
      const Marker* marker;
      const MarkerMotion* motion;
      int first, column;
      const Vec6* wrench;
      double force_sign;
      Vec3 spin;  ///< the spin row by the marker's angular velocity
      Mat3 turn;  ///< d by the marker's rotation
    };
    const Mat3 e = skew(Vec3::UnitZ());
    const std::array<Part, 3> parts{
        Part{&site_.A, &m.A, 0, 0, &w.A, -1, Vec3::UnitZ(), -m.R_CA * e},
        Part{&site_.B, &m.B, blocks_A_, m.B_column, &w.B, 1, -Vec3::UnitZ(), m.R_CB * e},
        Part{&C_, &m.C, blocks_AB_, m.C_column, &w.C, 0, -m.d, skew(m.d)}};
    auto K = out.K();
    auto D = out.D();
    const int spin = row + 3;
    const Columns J_C = m.C.J.bottomRows<3>();
    for (const Part& p : parts) {
      const int n = p.motion->dofs;
      if (n == 0) continue;
      const Columns J = p.motion->J.bottomRows<3>(), J_p = p.motion->J.topRows<3>();
      const Columns turned = p.turn.lazyProduct(J);
      K.block(row, p.column, 3, n) += p.force_sign * J_p;
      K.block(p.column, row, n, 3) += p.force_sign * J_p.transpose();
      K.block(spin, p.column, 1, n) +=
          p.spin.transpose().lazyProduct(p.motion->twist_gradient.bottomRows<3>()) -
          m.C.twist.tail<3>().transpose().lazyProduct(turned);
      K.block(p.column, spin, n, 1) += J.transpose().lazyProduct(p.spin);
      D.block(spin, p.column, 1, n) += p.spin.transpose().lazyProduct(J);
      if (m.C.dofs > 0)
        K.block(m.C_column, p.column, m.C.dofs, n) -= lambda * J_C.transpose().lazyProduct(turned);
      p.marker->add_second_order(x, p.first, *p.motion, *p.wrench, K.block(p.column, p.column, n, n));
    }
  }

  JointSite site_;
  Marker C_;
  int blocks_A_ = 0, blocks_AB_ = 0, blocks_ = 0;
};

}  // namespace trammel::constant_velocity
