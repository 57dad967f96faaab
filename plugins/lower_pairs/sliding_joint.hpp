#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "rigid_tangent.hpp"
#include "rotation_rows.hpp"
#include "trammel/branch_watch.hpp"
#include "trammel/joint_site.hpp"

namespace trammel::lower_pairs {

/// Which components of p_AB_A are free (`first` and the `count` - 1 after it), whether they are coordinates
/// (constraint IV) or just left out, and whether a thread ties the first of them to the angle.
struct Slides {
  int first, count;
  bool coordinates;
  bool thread = false;

  /// Constraints II and IV stand in these components of p_AB_A.
  constexpr int first_row() const { return coordinates || first > 0 ? 0 : count; }
  constexpr int rows() const { return coordinates ? 3 : 3 - count; }
};

/// Joints whose markers slide: p_AB_A less the slides = 0, in the axes of A, and the equations of a rotation law
/// unless the rotation block is shared; with a thread, slide - lead * angle = 0. Derived gives `slide_names` where
/// slides are coordinates, and may give `static void draw_body(Canvas&, const MarkerMotion& A, const MarkerMotion& B,
/// double size)`.
///
/// Local system: blocks of A, blocks of B, the angle, the slides, the force multiplier, the moment multiplier, the
/// thread's.
template <class Derived, class Law, Slides slides>
class SlidingJoint {
  static constexpr int angles = Law::coordinates;
  static constexpr int slide_count = slides.coordinates ? slides.count : 0;
  static constexpr int rows = slides.rows(), first_row = slides.first_row();
  static_assert(slides.first == 0 || slides.coordinates || slides.first + slides.count == 3);
  static_assert(!slides.thread || (slides.coordinates && angles == 1));

 public:
  static constexpr int force_count = rows;
  static constexpr int moment_count = Law::equations;
  static constexpr int angle_count = angles;
  static constexpr int slide_coordinates = slide_count;
  static constexpr bool has_thread = slides.thread;

  /// `lead` is the slide for one radian [m] and `start` that at angle 0, where there is a thread.
  explicit SlidingJoint(JointSite site, double lead = 0, double start = 0)
      : site_(std::move(site)), lead_(lead), start_(start) {
    has_moment_ = !site_.shares_rotation;
    rigid_ = !site_.A.has_shape() && !site_.B.has_shape();
    blocks_A_ = site_.A.block_count();
    blocks_ = site_.block_count();
  }

  const JointSite& site() const { return site_; }
  bool has_moment_multiplier() const { return has_moment_; }

  bool couples(int row, int column) const {
    const Role a = role(std::min(row, column)), b = role(std::max(row, column));
    switch (b.part) {
      case Part::thread:
        return a.part == Part::angle || a.part == Part::slide;
      case Part::moment:
        return a.part == Part::turning || a.part == Part::angle;
      case Part::force:
        return a.part == Part::moving || a.part == Part::turning || a.part == Part::slide;
      case Part::slide:
        return false;
      case Part::angle:
        return a.part == Part::turning || a.part == Part::angle;
      case Part::turning:
      case Part::moving:
        // Forces turn with A.
        if (a.part == Part::moving || b.part == Part::moving)
          return (a.part == Part::turning && a.side == 0) || (b.part == Part::turning && b.side == 0);
        return has_moment_ || a.side == 0 || b.side == 0 || !site_.B.at_frame_origin();
    }
    return true;
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
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
    const auto [row_A, row_B] = wrench_rows(x, A, B);
    e.lost_power = site_.lost_power(x, A, B, row_A, row_B);
    // What the slides and the angle take is B^T lambda in their rows.
    if constexpr (slide_count > 0)
      for (int i = 0; i < slide_count; ++i)
        e.lost_power -= x.value(force_block())[slides.first + i] * x.rate(slide_block())[i];
    if constexpr (angles > 0)
      if (has_moment_)
        e.lost_power += turn_side(A.R_WM.transpose() * B.R_WM, 2, *angle(x)) * x.value(moment_block())[2] *
                        x.rate(blocks_)[0];
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    MarkerMotion A, B;
    const auto [row_A, row_B] = wrench_rows(x, A, B);
    site_.report(A, B, site_.forces(A.R_WM, B.R_WM, row_A, row_B, shares), sink);
    static constexpr std::string_view names[] = {"1", "2", "3"};
    sink.values("force_multipliers", "N", std::span(names).subspan(first_row, rows),
                {x.value(force_block()), static_cast<std::size_t>(rows)});
    if (has_moment_)
      sink.values("moment_multipliers", "N m", std::span(names).first(moment_count),
                  {x.value(moment_block()), static_cast<std::size_t>(moment_count)});
    if constexpr (has_thread) sink.scalar("thread_force", "N", -x.value(thread_block())[0]);
    if constexpr (angles > 0) report("angle", "rad", x, blocks_, 0, sink);
    if constexpr (slide_count > 0)
      for (int i = 0; i < slide_count; ++i)
        report(Derived::slide_names[static_cast<std::size_t>(i)], "m", x, slide_block(), i, sink);
  }

  void draw(const LocalState& x, const ReactionShares& shares, Canvas& canvas) const {
    MarkerMotion A, B;
    const auto [row_A, row_B] = wrench_rows(x, A, B);
    site_.draw(A, B, site_.forces(A.R_WM, B.R_WM, row_A, row_B, shares), canvas);
    if constexpr (requires { Derived::draw_body(canvas, A, B, 0.0); })
      if (site_.size > 0) Derived::draw_body(canvas, A, B, site_.size);
  }

 private:
  bool on_branch(const LocalState& x) const {
    MarkerMotion A, B;
    site_.A.evaluate(x, 0, MotionLevel::pose, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::pose, B);
    return Law::on_branch(A.R_WM.transpose() * B.R_WM, angle(x));
  }
  enum class Part { moving, turning, angle, slide, force, moment, thread };
  struct Role {
    Part part;
    int side = 0;
  };
  using Multipliers = Eigen::Matrix<double, rows, 1>;
  template <int width>
  using Square =
      Eigen::Matrix<double, width, width, Eigen::ColMajor, width == Eigen::Dynamic ? max_marker_dofs : width,
                    width == Eigen::Dynamic ? max_marker_dofs : width>;

  int slide_block() const { return blocks_ + angles; }
  int force_block() const { return slide_block() + (slide_count > 0 ? 1 : 0); }
  int moment_block() const { return force_block() + 1; }
  int thread_block() const { return moment_block() + (has_moment_ ? 1 : 0); }
  const double* angle(const LocalState& x) const { return angles > 0 ? x.value(blocks_) : nullptr; }

  Role role(int k) const {
    if (k < blocks_) {
      const int side = k < blocks_A_ ? 0 : 1;
      const Marker& m = side == 0 ? site_.A : site_.B;
      if (m.has_shape()) return {Part::turning, side};
      return {k == (side == 0 ? 0 : blocks_A_) ? Part::moving : Part::turning, side};
    }
    if (angles > 0 && k == blocks_) return {Part::angle};
    if (slide_count > 0 && k == slide_block()) return {Part::slide};
    if (k == force_block()) return {Part::force};
    return {has_moment_ && k == moment_block() ? Part::moment : Part::thread};
  }

  static void report(std::string_view name, const char* unit, const LocalState& x, int block, int i,
                     OutputSink& sink) {
    const std::string text(name), units(unit);
    sink.scalar(text, units, x.value(block)[i]);
    sink.scalar(text + "_rate", units + "/s", x.rate(block)[i]);
    sink.scalar(text + "_acceleration", units + "/s^2", x.second_rate(block)[i]);
  }

  /// The force multipliers as a vector in the axes of A.
  Vec3 force(const LocalState& x) const {
    Vec3 lambda = Vec3::Zero();
    lambda.segment<rows>(first_row) = Eigen::Map<const Multipliers>(x.value(force_block()));
    return lambda;
  }

  /// Rows of B^T lambda at both markers.
  std::pair<Vec6, Vec6> wrench_rows(const LocalState& x, MarkerMotion& A, MarkerMotion& B) const {
    site_.A.evaluate(x, 0, MotionLevel::jacobian, A);
    site_.B.evaluate(x, blocks_A_, MotionLevel::jacobian, B);
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    const Vec3 p_AB_A = A.R_WM.transpose() * p_AB_W(A, B);
    const Vec3 m =
        has_moment_ ? relative_moment<Law>(R_AB, angle(x), x.value(moment_block())) : Vec3(Vec3::Zero());
    return wrenches(A.R_WM, R_AB, p_AB_A, force(x), m);
  }

  static std::pair<Vec6, Vec6> wrenches(const Mat3& R_WA, const Mat3& R_AB, const Vec3& p_AB_A,
                                        const Vec3& lambda, const Vec3& m) {
    const Vec3 f = R_WA * lambda;
    std::pair<Vec6, Vec6> w;
    w.first << -f, Displacement::couple(p_AB_A, lambda) - R_AB * m;
    w.second << f, m;
    return w;
  }

  /// What the displacement rows need of the relative motion.
  template <int width>
  struct Relative {
    const Mat3 R_AW;
    const Vec3 p_AB_A;
    RowsOf<3, width> V_A, V_B;  ///< d p_AB_A by the dense columns of A and of B
    RowsOf<3, width> W;         ///< rotation of marker A by its dense columns

    Relative(const Side<width>& a, const Side<width>& b, const Vec3& p)
        : R_AW(a.motion.R_WM.transpose()), p_AB_A(p) {
      if (a.columns > 0) {
        W = a.rotation(a.motion.J);
        V_A = skew(p_AB_A) * W - R_AW * a.translation(a.motion.J);
      }
      if (b.columns > 0) V_B = R_AW * b.translation(b.motion.J);
    }
    const RowsOf<3, width>& V(const Side<width>& s) const { return s.sign < 0 ? V_A : V_B; }
  };

  // Flattened: most of the time goes into calls of products of 3 x 3 otherwise.
  [[gnu::flatten]] void fill_rigid(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B,
                                   LocalSystem& out) const {
    fill<3>(x, A, B, out);
  }

  template <int width>
  void fill(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B, LocalSystem& out) const {
    Side<width> a(site_.A, A, 0, 0, -1), b(site_.B, B, blocks_A_, A.dofs, 1);
    const int angle_row = A.dofs + B.dofs;
    const int slide_row = angle_row + angles;
    const int force_row = slide_row + slide_count;
    const int moment_row = force_row + rows;
    const Mat3 R_AB = A.R_WM.transpose() * B.R_WM;
    const Vec3 p_AB_A = A.R_WM.transpose() * p_AB_W(A, B);
    const Vec3 lambda = force(x);

    constexpr bool between_frames = width == 3;
    add_displacement(x, a, b, p_AB_A, lambda, slide_row, force_row, out);
    Vec3 m = Vec3::Zero();
    typename Law::Terms terms;
    if (has_moment_)
      m = RotationRows<Law, width>{x, R_AB, a, b, blocks_, angle_row, moment_block(), moment_row}.add(
          out, terms, !between_frames);
    if constexpr (between_frames)
      if (out.request.tangent)
        RigidTangent<rows, first_row, Law>{x, a, b, R_AB, p_AB_A, lambda, force_row, angle_row, moment_row}
            .add(has_moment_ ? &terms : nullptr, has_moment_ ? x.value(moment_block()) : nullptr, m, out.K());
    if constexpr (has_thread)
      add_thread(x, angle_row, slide_row, moment_row + (has_moment_ ? moment_count : 0), out);
    const auto [on_A, on_B] = wrenches(A.R_WM, R_AB, p_AB_A, lambda, m);
    add_rows(a, on_A, out);
    add_rows(b, on_B, out);
    if (between_frames || !out.request.tangent) return;
    turn_wrench(x, a, on_A, out);
    turn_wrench(x, b, on_B, out);
  }

  /// All of the displacement's equations but the rows of the markers.
  template <int width>
  void add_displacement(const LocalState& x, const Side<width>& a, const Side<width>& b, const Vec3& p_AB_A,
                        const Vec3& lambda, int slide_row, int row, LocalSystem& out) const {
    auto r = out.residual();
    r.template segment<rows>(row) += p_AB_A.segment<rows>(first_row);
    if constexpr (slide_count > 0) {
      r.template segment<slide_count>(row + slides.first) -=
          Eigen::Map<const Eigen::Matrix<double, slide_count, 1>>(x.value(slide_block()));
      r.template segment<slide_count>(slide_row) -= lambda.template segment<slide_count>(slides.first);
    }
    if (out.request.tangent) {
      if constexpr (slide_count > 0) {
        auto K = out.K();
        for (int i = 0; i < slide_count; ++i)
          K(row + slides.first + i, slide_row + i) = K(slide_row + i, row + slides.first + i) = -1;
      }
      if (width != 3 || out.request.rates) {
        const Relative<width> relative(a, b, p_AB_A);
        if constexpr (width != 3) add_displacement_tangent(relative, a, b, lambda, row, out);
        if (out.request.rates) add_displacement_rate_gradient(relative, a, b, row, out);
      }
    }
    if (out.request.rates || out.request.bias) add_displacement_rates(x, p_AB_A, a, b, row, out);
  }

  template <int width>
  static void add_displacement_tangent(const Relative<width>& relative, const Side<width>& a,
                                       const Side<width>& b, const Vec3& lambda, int row, LocalSystem& out) {
    auto K = out.K();
    for (const Side<width>* s : {&a, &b}) {
      if (s->columns == 0) continue;
      const RowsOf<rows, width> V = relative.V(*s).template middleRows<rows>(first_row);
      K.template block<rows, width>(row, s->dense, rows, s->columns) = V;
      K.template block<width, rows>(s->dense, row, s->columns, rows) = V.transpose();
    }
    if (a.columns == 0) return;

    // The force turns with A: lambda . d p_AB_A has second variations -(d p_AB_A) . (lambda x dtheta_A).
    const RowsOf<3, width> F = skew(lambda) * relative.W;
    for (const Side<width>* s : {&a, &b}) {
      if (s->columns == 0) continue;
      const Square<width> Y = relative.V(*s).transpose() * F;
      K.template block<width, width>(s->dense, a.dense, s->columns, a.columns) -= Y;
      K.template block<width, width>(a.dense, s->dense, a.columns, s->columns) -= Y.transpose();
    }
    K.template block<width, width>(a.dense, a.dense, a.columns, a.columns) -=
        relative.W.transpose() * (skew(relative.p_AB_A) * F);
  }

  /// Velocity of B's origin less that of A's, in the axes of A.
  template <int width>
  static Vec3 relative_velocity(const Side<width>& a, const Side<width>& b) {
    return a.motion.R_WM.transpose() *
           (b.motion.twist.template head<3>() - a.motion.twist.template head<3>());
  }

  template <int width>
  void add_displacement_rates(const LocalState& x, const Vec3& p, const Side<width>& a, const Side<width>& b,
                              int row, LocalSystem& out) const {
    const Vec3 y = relative_velocity(a, b), w = a.motion.twist.template tail<3>();
    if (out.request.rates) {
      const Vec3 rate = y + p.cross(w);
      out.rate().template segment<rows>(row) += rate.segment<rows>(first_row);
      if constexpr (slide_count > 0)
        out.rate().template segment<slide_count>(row + slides.first) -=
            Eigen::Map<const Eigen::Matrix<double, slide_count, 1>>(x.rate(slide_block()));
    }
    if (out.request.bias) {
      const Vec3 second =
          Displacement::second_rate(a.motion.R_WM, p, y, w, a.motion.bias.template head<3>(),
                                    a.motion.bias.template tail<3>(), b.motion.bias.template head<3>());
      out.bias().template segment<rows>(row) += second.segment<rows>(first_row);
    }
  }

  template <int width>
  static void add_displacement_rate_gradient(const Relative<width>& relative, const Side<width>& a,
                                             const Side<width>& b, int row, LocalSystem& out) {
    const Mat3& R_AW = relative.R_AW;
    const Mat3 turning = skew(Vec3(a.motion.twist.template tail<3>()));
    auto gradient = out.rate_gradient();
    for (const Side<width>* s : {&a, &b}) {
      if (s->has_plain_position())
        gradient.template block<rows, 3>(row, s->column) =
            (-s->sign * (turning * R_AW)).template middleRows<rows>(first_row);
      if (s->columns == 0) continue;
      Turning<width> by =
          s->sign * (R_AW * s->translation(s->motion.twist_gradient)) - turning * relative.V(*s);
      if (s->sign < 0)
        by += skew(relative_velocity(a, b)) * relative.W +
              skew(relative.p_AB_A) * s->rotation(s->motion.twist_gradient);
      gradient.template block<rows, width>(row, s->dense, rows, s->columns) =
          by.template middleRows<rows>(first_row);
    }
  }

  /// Eq. (30): slide - start - lead * angle = 0.
  void add_thread(const LocalState& x, int angle_row, int slide_row, int row, LocalSystem& out) const {
    const double lambda = x.value(thread_block())[0];
    auto r = out.residual();
    r[row] += x.value(slide_block())[0] - start_ - lead_ * x.value(blocks_)[0];
    r[slide_row] += lambda;
    r[angle_row] -= lead_ * lambda;
    if (out.request.tangent) {
      auto K = out.K();
      K(row, slide_row) = K(slide_row, row) = 1;
      K(row, angle_row) = K(angle_row, row) = -lead_;
    }
    if (out.request.rates) {
      out.rate()[row] += x.rate(slide_block())[0] - lead_ * x.rate(blocks_)[0];
      if (out.request.tangent) out.rate_gradient();
    }
    if (out.request.bias) out.bias();
  }

  JointSite site_;
  double lead_, start_;
  bool has_moment_ = true, rigid_ = true;
  int blocks_A_ = 0, blocks_ = 0;
  JointHistory history_;
};

/// Adds the multipliers of the joint to its stencil, and the joint to the model.
template <class J>
void add_sliding_joint(Builder& builder, J joint, std::vector<BlockId> stencil) {
  stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, J::force_count)));
  if (joint.has_moment_multiplier())
    stencil.push_back(builder.add_multiplier("moment", rows_of(Dimension::angle, J::moment_count)));
  if constexpr (J::has_thread)
    stencil.push_back(builder.add_multiplier("thread", rows_of(Dimension::length, 1)));
  builder.add(std::move(joint), std::move(stencil));
}

}  // namespace trammel::lower_pairs
