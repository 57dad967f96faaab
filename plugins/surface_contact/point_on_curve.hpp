#pragma once

#include <array>
#include <memory>
#include <string>

#include "curvature_jumps.hpp"
#include "trammel/curve.hpp"
#include "trammel/joint.hpp"

namespace trammel::surface_contact {

/// Point B slides along a curve fixed to A in the plane with the normal `axis`: e . (p_AB_A - c(eta)) = 0 for e = e1, e2 normal
/// to `axis`, with eta as coordinate. Displacements along `axis` are free.
class PointOnCurve : public Joint<PointOnCurve, 2, 1, SlidingHistory<1>> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, false};
  static constexpr std::array<Dimension, 2> dimensions{Dimension::length, Dimension::length};
  /// The nominal size of the parameter depends on the curve: see `measures`.
  static constexpr std::array<CoordinateName, 1> coordinate_names{{{"eta", "", Measure{}}}};

  /// `side`: 1 if the body of the point lies on the side of the curve to which axis x tangent points, else -1.
  PointOnCurve(std::shared_ptr<const Curve> curve, const Vec3& axis, double side, std::string name)
      : curve_(std::move(curve)),
        axis_(axis),
        across_{axis.unitOrthogonal(), axis.cross(axis.unitOrthogonal())},
        side_(side),
        name_(std::move(name)),
        jumps_(*curve_) {}

  /// The measure of the coordinate.
  std::array<Measure, 1> measures() const { return {Measure::nominal(curve_->last() - curve_->first())}; }

  void terms(const RelativeState<1>& x, bool second, Terms& out) const;
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

 private:
  std::shared_ptr<const Curve> curve_;
  Vec3 axis_;
  std::array<Vec3, 2> across_;
  double side_;
  std::string name_;
  CurvatureJumps jumps_;
};

}  // namespace trammel::surface_contact
