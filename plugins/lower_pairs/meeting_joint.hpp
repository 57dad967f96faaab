#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rotation_rows.hpp"
#include "trammel/branch_watch.hpp"
#include "trammel/joint_site.hpp"

namespace trammel::lower_pairs {

/// Joints whose markers have one origin: C = p_WB - p_WA, in the world, unless the position block is shared; and the
/// equations of a rotation law, unless the rotation block is shared. Derived may give
/// `static void draw_body(Canvas&, const MarkerMotion& A, const MarkerMotion& B, double size)`.
///
/// Local system: blocks of A, blocks of B, the coordinates, the force multiplier (3), the moment multiplier.
///
/// The world form of the first part is what makes it sparse: its rows are +-1 in the positions, and only the rotation
/// blocks have a geometric stiffness. It holds on the constraint only that it is objective.
template <class Derived, class Law>
class MeetingJoint {
  static constexpr int equations = Law::equations, coordinates = Law::coordinates;

 public:
  static constexpr int equation_count = equations;
  static constexpr int coordinate_count = coordinates;

  explicit MeetingJoint(JointSite site) : site_(std::move(site)) {
    has_force_ = !site_.shares_position;
    has_moment_ = equations > 0 && !site_.shares_rotation;
    rigid_ = !site_.A.has_shape() && !site_.B.has_shape();
    blocks_A_ = site_.A.block_count();
    blocks_ = site_.block_count();
  }

  const JointSite& site() const { return site_; }
  bool has_force_multiplier() const { return has_force_; }
  bool has_moment_multiplier() const { return has_moment_; }

  bool couples(int row, int column) const {
    const Role a = role(std::min(row, column)), b = role(std::max(row, column));
    switch (b.part) {
      case Part::moment:
        return a.part == Part::turning || a.part == Part::coordinate;
      case Part::force:
        return a.part == Part::moving || (a.part == Part::turning && swings(a.side));
      case Part::coordinate:
        return has_moment_ && a.part != Part::moving;
      case Part::turning:
        if (a.part != Part::turning) return false;
        return has_moment_ || (a.side == b.side && has_force_ && swings(a.side));
      case Part::moving:
        return false;
    }
    return true;
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (!has_force_ && !has_moment_) return;
    const Request& request = out.request;
    const MotionLevel level = request.bias || (request.rates && request.tangent) ? MotionLevel::full
                              : request.rates                                    ? MotionLevel::velocity
                                                                                 : MotionLevel::jacobian;
    MarkerMotion A, B;
    site_.A.evaluate(x, 0, level, A);
    site_.B.evaluate(x, blocks_A_, level, B);
    if (rigid_)
      fill_rigid(x, A, B, out);
    else
      fill<Eigen::Dynamic>(x, A, B, out);
  }

  void begin(const LocalState& x, const Begin&) { history_.branch.begin(on_branch(x)); }
  /// A step that ends on the other branch of the rotation law has gone too far and is cut.
  Review review(const LocalState& x, const StepInfo& step) {
    return history_.branch.review(on_branch(x), step);
  }
  void commit(const LocalState&, const StepInfo&) { history_.branch.commit(); }
  JointHistory& history() { return history_; }

  Energy energy(const LocalState& x) const {
    Energy e;
    if (!site_.moves_in_time()) return e;
    MarkerMotion A, B;
    const auto [row_A, row_B] = rows(x, A, B);
    e.lost_power = site_.lost_power(x, A, B, row_A, row_B);
    if constexpr (coordinates > 0)
      e.lost_power += turn_side(A.R_WM.transpose() * B.R_WM, 2, *angle(x)) * x.value(moment_block())[2] *
                      x.rate(blocks_)[0];
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    MarkerMotion A, B;
    const auto [row_A, row_B] = rows(x, A, B);
    site_.report(A, B, site_.forces(A.R_WM, B.R_WM, row_A, row_B, shares), sink);
    static constexpr std::string_view names[] = {"1", "2", "3"};
    if (has_force_) sink.values("force_multipliers", "N", names, {x.value(force_block()), 3});
    if constexpr (equations > 0)
      if (has_moment_)
        sink.values("moment_multipliers", "N m", std::span(names).first(equations),
                    {x.value(moment_block()), static_cast<std::size_t>(equations)});
    if constexpr (coordinates > 0) {
      sink.scalar("angle", "rad", x.value(blocks_)[0]);
      sink.scalar("angle_rate", "rad/s", x.rate(blocks_)[0]);
      sink.scalar("angle_acceleration", "rad/s^2", x.second_rate(blocks_)[0]);
    }
  }

  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    MarkerMotion A, B;
    const auto [row_A, row_B] = rows(x, A, B);
    site_.draw(A, B, site_.forces(A.R_WM, B.R_WM, row_A, row_B, shares), canvas);
    if constexpr (requires { Derived::draw_body(canvas, A, B, 0.0); })
      if (site_.size > 0) Derived::draw_body(canvas, A, B, site_.size);
  }

 private:
  bool on_branch(const LocalState& x) const {
    if constexpr (equations == 0) return true;
    MarkerMotion A, B;
    site_.A.evaluate(x, 0, MotionLevel::pose, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::pose, B);
    return Law::on_branch(A.R_WM.transpose() * B.R_WM, angle(x));
  }
  enum class Part { moving, turning, coordinate, force, moment };
  struct Role {
    Part part;
    int side = 0;
  };

  const double* angle(const LocalState& x) const { return coordinates > 0 ? x.value(blocks_) : nullptr; }
  int force_block() const { return blocks_ + (coordinates > 0 ? 1 : 0); }
  int moment_block() const { return force_block() + (has_force_ ? 1 : 0); }

  Role role(int k) const {
    if (k < blocks_) {
      const int side = k < blocks_A_ ? 0 : 1;
      const Marker& m = side == 0 ? site_.A : site_.B;
      if (m.has_shape()) return {Part::turning, side};
      return {k == (side == 0 ? 0 : blocks_A_) ? Part::moving : Part::turning, side};
    }
    if (coordinates > 0 && k == blocks_) return {Part::coordinate};
    return {has_force_ && k == force_block() ? Part::force : Part::moment};
  }
  /// True where the marker's origin moves as its frame turns.
  bool swings(int side) const { return !(side == 0 ? site_.A : site_.B).at_frame_origin(); }

  Vec3 force(const LocalState& x) const {
    return has_force_ ? Vec3(Eigen::Map<const Vec3>(x.value(force_block()))) : Vec3(Vec3::Zero());
  }

  /// Rows of B^T lambda at both markers.
  std::pair<Vec6, Vec6> rows(const LocalState& x, MarkerMotion& A, MarkerMotion& B) const {
    site_.A.evaluate(x, 0, MotionLevel::jacobian, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::jacobian, B);
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    Vec3 m = Vec3::Zero();
    if constexpr (equations > 0) {
      if (has_moment_) m = relative_moment<Law>(R_AB, angle(x), x.value(moment_block()));
    }
    std::pair<Vec6, Vec6> r;
    r.first << -force(x), -(R_AB * m);
    r.second << force(x), m;
    return r;
  }

  // Flattened: most of the time goes into calls of products of 3 x 3 otherwise.
  [[gnu::flatten]] void fill_rigid(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B,
                                   LocalSystem& out) const {
    fill<3>(x, A, B, out);
  }

  template <int width>
  void fill(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B, LocalSystem& out) const {
    Side<width> a(site_.A, A, 0, 0, -1), b(site_.B, B, blocks_A_, A.dofs, 1);
    const int coordinate = A.dofs + B.dofs;
    const int force_row = coordinate + coordinates;
    const Vec3 lambda = force(x);
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    Vec3 m = Vec3::Zero();
    if (has_force_) {
      out.residual().template segment<3>(force_row) = p_AB_W(A, B);
      for (const Side<width>* s : {&a, &b}) force_rows(*s, force_row, out);
    }
    if constexpr (equations > 0)
      if (has_moment_) {
        typename Law::Terms terms;
        const int row = force_row + (has_force_ ? 3 : 0);
        m = RotationRows<Law, width>{x, R_AB, a, b, blocks_, coordinate, moment_block(), row}.add(out, terms);
      }
    Vec6 on_A, on_B;
    on_A << -lambda, -(R_AB * m);
    on_B << lambda, m;
    add_rows(a, on_A, out);
    add_rows(b, on_B, out);
    if (!out.request.tangent) return;
    turn_wrench(x, a, on_A, out);
    turn_wrench(x, b, on_B, out);
  }

  template <int width>
  static void force_rows(const Side<width>& s, int row, LocalSystem& out) {
    if (s.motion.dofs == 0 && s.marker.is_ground()) return;
    const bool plain = width == 3;  // the columns of the position are the identity
    if (out.request.tangent) {
      auto K = out.K();
      if (plain)
        for (int i = 0; i < 3; ++i) K(row + i, s.column + i) = K(s.column + i, row + i) = s.sign;
      if (s.columns > 0) {
        const Turning<width> J = s.sign * s.translation(s.motion.J);
        K.template block<3, width>(row, s.dense, 3, s.columns) = J;
        K.template block<width, 3>(s.dense, row, s.columns, 3) = J.transpose();
      }
    }
    if (out.request.rates) {
      out.rate().template segment<3>(row) += s.sign * s.motion.twist.template head<3>();
      if (out.request.tangent && s.columns > 0)
        out.rate_gradient().template block<3, width>(row, s.dense, 3, s.columns) =
            s.sign * s.translation(s.motion.twist_gradient);
    }
    if (out.request.bias) out.bias().template segment<3>(row) += s.sign * s.motion.bias.template head<3>();
  }

  JointSite site_;
  bool has_force_ = true, has_moment_ = true, rigid_ = true;
  int blocks_A_ = 0, blocks_ = 0;
  JointHistory history_;
};

/// Adds what the joint owns besides its coordinates to its stencil, and the joint to the model.
template <class J>
void add_meeting_joint(Builder& builder, J joint, std::vector<BlockId> stencil) {
  if (joint.has_force_multiplier())
    stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, 3)));
  if constexpr (J::equation_count > 0)
    if (joint.has_moment_multiplier())
      stencil.push_back(builder.add_multiplier("moment", rows_of(Dimension::angle, J::equation_count)));
  builder.add(std::move(joint), std::move(stencil));
}

}  // namespace trammel::lower_pairs
