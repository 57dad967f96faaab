#pragma once

#include <array>
#include <memory>
#include <string>

#include "contact_joint.hpp"
#include "contact_motion.hpp"
#include "curvature_jumps.hpp"

namespace trammel::surface_contact {

/// The history of a point on a surface.
struct PointOnSurfaceHistory : JointHistory {
  static constexpr int version = 2;

  Crossings<2> crossings;

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(crossings);
  }
};

/// Point B slides on a surface fixed to A: p_AB_A - S(u, v) = 0, with u and v as coordinates.
class PointOnSurface : public Joint<PointOnSurface, 3, 2, PointOnSurfaceHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, false};
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length};
  /// The nominal sizes of the parameters depend on the surface: see `measures`.
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"u", "", Measure{}}, {"v", "", Measure{}}}};
  static constexpr std::array<RowSparsity, 3> sparsity{RowSparsity::of_displacement(0, 3U, 3U),
                                                       RowSparsity::of_displacement(1, 3U, 3U),
                                                       RowSparsity::of_displacement(2, 3U, 3U)};

  PointOnSurface(std::shared_ptr<const Surface> surface, std::string name)
      : surface_(std::move(surface)),
        name_(std::move(name)),
        jumps_{CurvatureJumps(*surface_, 0), CurvatureJumps(*surface_, 1)} {}

  /// Whether the curvature of the surface jumps somewhere.
  bool jumps() const { return any_jumps(jumps_); }

  /// The measures of the coordinates.
  std::array<Measure, 2> measures() const {
    return {Measure::nominal(surface_->u().length()), Measure::nominal(surface_->v().length())};
  }

  void terms(const RelativeState<2>& x, bool second, Terms& out) const {
    SurfacePoint p;
    surface_->evaluate({x.c[0], x.c[1]}, 2, p);
    out.C = x.p_AB_A - p.d[0];
    out.G.block<3, 1>(0, 6) = -p.by(1, 0);
    out.G.block<3, 1>(0, 7) = -p.by(0, 1);
    if (!second) return;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l)
          out.H[static_cast<std::size_t>(i)](6 + k, 6 + l) = -p.d[static_cast<std::size_t>(3 + k + l)][i];
  }

  void begin(const LocalState& x, const Begin& how) {
    Joint::begin(x, how);
    if (how.why == Begin::Why::restart && history().crossings.known) history().crossings.last = ends(x);
  }

  Review review(const LocalState& x, const StepInfo& step) {
    if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
    require_inside(*surface_, name_, at(x));
    if (const auto cut = history().crossings.cut(jumps_, ends(x), step)) return *cut;
    return Review::keep();
  }

  void commit(const LocalState& x, const StepInfo& step) {
    Joint::commit(x, step);
    history().crossings.keep(ends(x), step.size());
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    Joint::outputs(x, contributions, sink);
    MarkerMotion A;
    site().A.evaluate(x, 0, MotionLevel::pose, A);
    const Vec3 n = surface_->normal(at(x));
    const int block = site().block_count();
    const Eigen::Map<const Eigen::Vector2d> rates(x.rate(block)), second_rates(x.second_rate(block));
    report_path(x, site().A, 0, path_motion(*surface_, at(x), rates, second_rates), "1", sink);
    sink.vector("normal", "1", A.R_WM * n);
    sink.scalar("normal_force", "N", -n.dot(Eigen::Map<const Vec3>(x.value(block + 1))));
  }

 private:
  SurfaceParameters at(const LocalState& x) const {
    const int block = site().block_count();
    return {x.value(block)[0], x.value(block)[1]};
  }
  std::array<EndOfStep, 2> ends(const LocalState& x) const {
    const int block = site().block_count();
    return {{{x.value(block)[0], x.rate(block)[0]}, {x.value(block)[1], x.rate(block)[1]}}};
  }

  std::shared_ptr<const Surface> surface_;
  std::string name_;
  std::array<CurvatureJumps, 2> jumps_;
};

}  // namespace trammel::surface_contact
