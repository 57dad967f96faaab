#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/constraint.hpp"
#include "trammel/force_law.hpp"
#include "trammel/formula_drawing.hpp"
#include "trammel/group_assembly.hpp"
#include "trammel/joint.hpp"
#include "trammel/motion_level.hpp"

namespace trammel {

/// A constraint at velocity level between two markers written as one formula: a skate, rolling, a driven speed without a
/// position. The equations A v + b = 0 are linear in the velocities; forces are A^T lambda:
///
///     class Skate : public trammel::VelocityConstraint<Skate, 1> {
///      public:
///       static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::velocity};
///
///       template <class S>
///       void residual(const Relative<S>& x, Residual<S>& C) const {
///         C[0] = trammel::dot(x.R_AB.col(1), x.v_AB_A);
///       }
///     };
///
///     registry.add(trammel::velocity_joint_type<Skate>("skate", "..."));
///
/// `x` holds R_AB, p_AB_A, v_AB_A, w_AB_A and the time t, all in the axes of marker A. `dimensions` are velocity or spin;
/// `std::vector<Row> rows() const` declares other rows. `static constexpr VelocityRows together` says whether the forces are
/// ideal and what holds in statics. `requirement` as in Joint; `surface` and `curve` as in ForceLaw.
template <class Derived, int equations>
class VelocityConstraint {
 public:
  static_assert(equations >= 1 && equations <= 6);
  static constexpr int equation_count = equations;
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr VelocityRows together{};
  /// Undeclared: a joint that does not say what its equations measure is refused.
  static constexpr std::array<Dimension, equations> dimensions{};

  template <class S>
  struct Relative {
    Mat3T<S> R_AB;
    Vec3T<S> p_AB_A, v_AB_A, w_AB_A;
    S t = S(0.0);
  };
  template <class S>
  using Residual = Eigen::Matrix<S, equations, 1>;

  const JointSite& site() const { return site_; }
  void set_site(JointSite site) {
    site_ = std::move(site);
    markers_ = {site_.A, site_.B};
    blocks_ = site_.block_count();
  }

  bool couples(int row, int column) const { return row != blocks_ || column != blocks_; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const bool full = out.request.tangent || out.request.bias;
    RelativeGroup& group = scratch();
    group.evaluate(x, markers_, 0, level_of_velocity_rows(out.request));
    Terms terms;
    if (full)
      fill<SecondJet<variables>>(x, group, terms);
    else
      fill<FirstJet<variables>>(x, group, terms);
    assemble_velocity_rows(markers_, x, group, terms.view(), blocks_, out);
  }

  /// -lambda . b, b being the equations at velocities of zero.
  Energy energy(const LocalState& x) const {
    RelativeGroup& group = scratch();
    group.evaluate(x, markers_, 0, MotionLevel::velocity);
    group.twist = group.explicit_twist(x, markers_, 0);
    Terms terms;
    fill<FirstJet<variables>>(x, group, terms);
    Energy e;
    for (int i = 0; i < equations; ++i)
      e.dissipated_power -= x.value(blocks_)[i] * terms.value[static_cast<std::size_t>(i)];
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    RelativeGroup& group = scratch();
    const Eigen::VectorXd w = wrench(x, group);
    site_.report(group.markers[0], group.markers[1], forces(group, w, contributions), sink);
    static constexpr std::array<std::string_view, 6> names{"1", "2", "3", "4", "5", "6"};
    sink.values("multipliers", "", std::span(names).first(static_cast<std::size_t>(equations)),
                {x.value(blocks_), static_cast<std::size_t>(equations)});
  }

  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    RelativeGroup& group = scratch();
    const Eigen::VectorXd w = wrench(x, group);
    site_.draw(group.markers[0], group.markers[1], forces(group, w, contributions), canvas);
    const Glyph glyph(canvas, group.markers[0], group.markers[1], site_.size);
    if constexpr (requires(const Derived& d) { d.draw_glyph(glyph); }) {
      static_cast<const Derived&>(*this).draw_glyph(glyph);
    } else if (glyph.shown()) {
      Terms terms;
      fill<FirstJet<variables>>(x, group, terms);
      terms.A.template rightCols<3>() *= group.poses.front().R_AB;  // into the axes of B
      glyph.free_motions(terms.A);
    }
    draw_formula(static_cast<const Derived&>(*this), group.markers[0].R_WM, group.markers[0].p_WM, canvas);
  }

 private:
  // Variables: d p_AB_A, dtheta, v_AB_A, w_AB_A, t.
  static constexpr int variables = 13;

  struct Terms {
    std::array<double, static_cast<std::size_t>(equations)> value, by_time;
    Eigen::Matrix<double, equations, 6, Eigen::RowMajor> A, by_pose;
    std::array<Eigen::Matrix<double, 6, 6, Eigen::RowMajor>, static_cast<std::size_t>(equations)> A_by_pose;

    VelocityTermsView view() const {
      return {equations, value.data(), A.data(), by_pose.data(), A_by_pose.front().data(), by_time.data()};
    }
  };

  static RelativeGroup& scratch() {
    thread_local RelativeGroup group;
    return group;
  }

  template <class S>
  void fill(const LocalState& x, const RelativeGroup& group, Terms& out) const {
    const RelativeGroup::Pose& pose = group.poses.front();
    const Vec3 w_A = pose.R_AB * group.twist.tail<3>();
    Relative<S> z;
    set_to_rotation<3>(pose.R_AB, z.R_AB);
    for (int i = 0; i < 3; ++i) {
      z.p_AB_A[i] = variable<S>(pose.p_AB_A[i], i);
      z.v_AB_A[i] = variable<S>(group.twist[i], 6 + i);
      z.w_AB_A[i] = variable<S>(w_A[i], 9 + i);
    }
    z.t = variable<S>(x.time(), 12);
    Residual<S> C;
    static_cast<const Derived&>(*this).residual(z, C);
    for (int i = 0; i < equations; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.value[at] = C[i].value;
      out.by_time[at] = C[i].gradient[12];
      out.by_pose.row(i) = C[i].gradient.template head<6>().transpose();
      out.A.row(i) = C[i].gradient.template segment<6>(6).transpose();
      if constexpr (requires { C[i].hessian; }) out.A_by_pose[at] = C[i].hessian.template block<6, 6>(6, 0);
    }
  }
  template <class S>
  static S variable(double value, int index) {
    S x(value);
    x.gradient[index] = 1;
    return x;
  }

  Eigen::VectorXd wrench(const LocalState& x, RelativeGroup& group) const {
    group.evaluate(x, markers_, 0, MotionLevel::velocity);
    Terms terms;
    fill<FirstJet<variables>>(x, group, terms);
    return velocity_wrench(group, terms.view(), x.value(blocks_));
  }
  JointForces forces(const RelativeGroup& group, const Eigen::VectorXd& w,
                     const ReactionContributions& contributions) const {
    return site_.forces(group.markers[0].R_WM, group.markers[1].R_WM, group.wrench_on(0, w),
                        group.wrench_on(1, w), contributions);
  }

  JointSite site_;
  std::vector<Marker> markers_;
  int blocks_ = 0;
};

/// A case's joint type made of a class derived from VelocityConstraint, which is constructible from Parameters (or by
/// default). `own` are the parameters that it reads besides the common ones of joints.
template <class J>
Type velocity_joint_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  const auto build = [](const Parameters& in, Builder& builder) {
    J joint = detail::made_from<J>(in);
    joint.set_site(read_joint_site(in, builder, detail::requirement_of<J>()));
    std::vector<Row> rows = detail::rows_of_joint(joint);
    detail::require_count(in, rows.size(), J::equation_count);
    std::vector<BlockId> stencil = joint.site().blocks();
    stencil.push_back(builder.add_velocity_multiplier("multipliers", std::move(rows), J::together));
    builder.add(std::move(joint), std::move(stencil));
  };
  return joint_type(std::move(name), std::move(summary), detail::requirement_of<J>(), std::move(own), build);
}

}  // namespace trammel
