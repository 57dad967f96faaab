#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "trammel/activity.hpp"
#include "trammel/constraint.hpp"
#include "trammel/force_law.hpp"
#include "trammel/formula_drawing.hpp"
#include "trammel/group_assembly.hpp"
#include "trammel/motion_level.hpp"

namespace trammel {

/// A constraint at position level of any number of markers written as one formula: a belt over three pulleys. As
/// Constraint, with the poses of all markers relative to the first, A:
///
///     class Belt : public trammel::MarkerConstraint<Belt, 3, 1> {
///      public:
///       static constexpr std::array<trammel::Dimension, 1> dimensions{trammel::Dimension::length};
///
///       template <class S>
///       void residual(const Relative<S>& x, Residual<S>& C) const {
///         C[0] = (x.p[1] - x.p[0]).norm() + (x.p[2] - x.p[1]).norm() - length_;
///       }
///     };
///
///     registry.add(trammel::marker_joint_type<Belt>("belt", "...", {...}));
///
/// `x` holds R[k] = R_AB and p[k] = p_AB_A of marker k (R[0] = 1 and p[0] = 0), the coordinates c and, with
/// `explicit_time`, t. Rows, coordinates and their starts are declared as in Joint; coordinates begin at
/// `initial_coordinates(const Relative<double>&)`.
template <class Derived, int markers_, int equations, int coordinates = 0, bool explicit_time = false>
class MarkerConstraint {
  static constexpr int poses = markers_ - 1, n = 6 * poses + coordinates;
  static constexpr int variables = n + (explicit_time ? 1 : 0);
  static constexpr auto count = static_cast<std::size_t>(markers_);

 public:
  static_assert(markers_ >= 2 && equations >= 1);
  static constexpr int markers = markers_, equation_count = equations, coordinate_count = coordinates;
  static constexpr bool needs_rotation = true;
  /// Undeclared: a joint that does not say what its equations measure is refused.
  static constexpr std::array<Dimension, equations> dimensions{};
  static constexpr std::array<CoordinateName, 0> coordinate_names{};

  template <class S>
  struct Relative {
    std::array<Mat3T<S>, count> R;
    std::array<Vec3T<S>, count> p;
    Eigen::Matrix<S, coordinates, 1> c;
    S t = S(0.0);
  };
  template <class S>
  using Residual = Eigen::Matrix<S, equations, 1>;

  void set_markers(std::vector<Marker> of) {
    of_ = std::move(of);
    blocks_ = 0;
    for (const Marker& marker : of_) blocks_ += marker.block_count();
  }
  std::span<const Marker> site_markers() const { return of_; }

  bool couples(int row, int column) const {
    return row != multiplier_block() || column != multiplier_block();
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Request& request = out.request;
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, level_of_position_rows(request));
    Terms terms;
    if (needs_curvature(request))
      fill<SecondJet<variables>>(x, group, terms);
    else
      fill<FirstJet<variables>>(x, group, terms);
    assemble_group(of_, x, group, terms.view(), blocks_, multiplier_block(), out);
  }

  /// A constraint that moves in time does work on the system: on it B v = -C_t.
  Energy energy(const LocalState& x) const {
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, MotionLevel::velocity);
    Terms terms;
    fill<FirstJet<variables>>(x, group, terms);
    const Eigen::VectorXd w = group_wrench(terms.view(), x.value(multiplier_block()));
    Energy e;
    e.dissipated_power = -w.head(6 * poses).dot(group.explicit_twist(x, of_, 0));
    for (std::size_t i = 0; i < terms.C_t.size(); ++i)
      e.dissipated_power -= x.value(multiplier_block())[i] * terms.C_t[i];
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, MotionLevel::jacobian);
    Terms terms;
    fill<FirstJet<variables>>(x, group, terms);
    report_law(group, -group_wrench(terms.view(), x.value(multiplier_block())).head(6 * poses), sink);
    for (int i = 0; i < equations; ++i)
      sink.scalar("multiplier_" + std::to_string(i + 1), "", x.value(multiplier_block())[i]);
    for (int i = 0; i < coordinates; ++i) {
      const CoordinateName& c = Derived::coordinate_names[static_cast<std::size_t>(i)];
      sink.scalar(c.name, c.unit, x.value(blocks_)[i]);
      sink.scalar(std::string(c.name) + "_rate", rate_unit(c.unit), x.rate(blocks_)[i]);
    }
  }

  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    RelativeGroup& group = scratch();
    group.evaluate(x, of_, 0, MotionLevel::pose);
    draw_formula(derived(), group.markers, canvas);
  }

  /// Adds the coordinates, the multipliers and the instance; the markers are set. Throws Error where the equations do not hold
  /// at the start and `assemble` is not `yes`.
  static void add(const Parameters& in, Builder& builder, Derived joint) {
    Relative<double> start;
    const InitialMotion a = builder.initial(joint.of_.front());
    for (std::size_t k = 0; k < count; ++k) {
      const InitialMotion b = builder.initial(joint.of_[k]);
      start.R[k] = a.R_WM.transpose() * b.R_WM;
      start.p[k] = a.R_WM.transpose() * (b.p_WM - a.p_WM);
    }
    start.c.setZero();
    if constexpr (requires { joint.initial_coordinates(start); }) start.c = joint.initial_coordinates(start);
    std::vector<Row> rows = detail::rows_of_joint(joint);
    detail::require_count(in, rows.size(), equations);
    if (!in.flag("assemble")) {
      Relative<FirstJet<0>> x;
      for (std::size_t k = 0; k < count; ++k) {
        x.R[k] = start.R[k].template cast<FirstJet<0>>();
        x.p[k] = start.p[k].template cast<FirstJet<0>>();
      }
      x.c = start.c.template cast<FirstJet<0>>();
      Residual<FirstJet<0>> C;
      joint.residual(x, C);
      std::array<double, static_cast<std::size_t>(equations)> values;
      for (int i = 0; i < equations; ++i) values[static_cast<std::size_t>(i)] = C[i].value;
      detail::require_closed(in, values, rows, builder.length());
    }
    std::vector<BlockId> stencil = trammel::blocks_of(std::span<const Marker>(joint.of_));
    if constexpr (coordinates > 0) {
      const Eigen::Matrix<double, coordinates, 1> rates = Eigen::Matrix<double, coordinates, 1>::Zero();
      const auto size = static_cast<std::size_t>(coordinates);
      const BlockId block = builder.add_coordinates(
          "coordinates", {start.c.data(), size}, {rates.data(), size}, measures_of(Derived::coordinate_names),
          std::string(Derived::coordinate_names[0].unit));
      for (int i = 0; i < coordinates; ++i) {
        const CoordinateName& c = Derived::coordinate_names[static_cast<std::size_t>(i)];
        builder.offer_coordinate(c.name, std::string(c.unit), block, i);
      }
      stencil.push_back(block);
    }
    stencil.push_back(builder.add_multiplier("multipliers", std::move(rows)));
    builder.add(std::move(joint), std::move(stencil));
  }

 private:
  struct Terms {
    using Gradient = Eigen::Matrix<double, equations, n, Eigen::RowMajor>;
    std::array<double, static_cast<std::size_t>(equations)> C, C_t{}, C_tt{};
    Gradient G, G_t = Gradient::Zero();
    std::array<Eigen::Matrix<double, n, n>, static_cast<std::size_t>(equations)> H;

    GroupTermsView view() const {
      return {poses,      coordinates, equations, C.data(), G.data(), H.front().data(),
              C_t.data(), C_tt.data(), G_t.data()};
    }
  };

  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  int multiplier_block() const { return blocks_ + (coordinates > 0 ? 1 : 0); }
  static RelativeGroup& scratch() {
    thread_local RelativeGroup group;
    return group;
  }

  template <int k, class S>
  static void set_poses(const RelativeGroup& group, Relative<S>& x) {
    const RelativeGroup::Pose& pose = group.poses[static_cast<std::size_t>(k)];
    const auto index = static_cast<std::size_t>(k) + 1;
    set_to_rotation<6 * k + 3>(pose.R_AB, x.R[index]);
    for (int i = 0; i < 3; ++i) {
      x.p[index][i].value = pose.p_AB_A[i];
      x.p[index][i].gradient[6 * k + i] = 1;
    }
    if constexpr (k + 1 < poses) set_poses<k + 1>(group, x);
  }

  template <class S>
  void fill(const LocalState& x, const RelativeGroup& group, Terms& out) const {
    Relative<S> z;
    z.R[0] = Mat3::Identity().template cast<S>();
    set_poses<0>(group, z);
    for (int i = 0; i < coordinates; ++i) {
      z.c[i].value = x.value(blocks_)[i];
      z.c[i].gradient[6 * poses + i] = 1;
    }
    z.t = S(x.time());
    if constexpr (explicit_time) z.t.gradient[n] = 1;
    Residual<S> C;
    derived().residual(z, C);
    for (int i = 0; i < equations; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.C[at] = C[i].value;
      out.G.row(i) = C[i].gradient.template head<n>().transpose();
      if constexpr (explicit_time) out.C_t[at] = C[i].gradient[n];
      if constexpr (requires { C[i].hessian; }) {
        out.H[at] = C[i].hessian.template topLeftCorner<n, n>();
        if constexpr (explicit_time) {
          out.C_tt[at] = C[i].hessian(n, n);
          out.G_t.row(i) = C[i].hessian.template block<1, n>(n, 0);
        }
      }
    }
  }

  std::vector<Marker> of_;
  int blocks_ = 0;
};

/// A case's joint type made of a class derived from MarkerConstraint, which is constructible from Parameters (or by
/// default). `own` are the parameters that it reads besides `between`, a list of its markers, `assemble` and `active`.
template <class J>
Type marker_joint_type(std::string name, std::string summary, std::vector<Parameter> own = {}) {
  Type type = detail::element_between(
      J::markers, std::move(name), std::move(summary), std::move(own),
      [](const Parameters& in, Builder& builder) {
        J joint = detail::made_from<J>(in);
        if (auto activity = read_activity(in)) builder.set_activity(*std::move(activity));
        joint.set_markers(read_markers(in, builder, J::markers, J::markers, J::needs_rotation));
        J::add(in, builder, std::move(joint));
      });
  type.category = Type::Category::joint;
  type.parameters.insert(
      type.parameters.begin() + 1,
      {Parameter::make(Parameter::Kind::flag, "assemble", "",
                       "yes: the joint may be open at the start; a stage of type assemble closes it")
           .defaults("no"),
       active_parameter()});
  return type;
}

}  // namespace trammel
