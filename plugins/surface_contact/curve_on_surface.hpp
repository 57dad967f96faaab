#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "contact_joint.hpp"
#include "curvature_jumps.hpp"
#include "trammel/curve.hpp"

namespace trammel::surface_contact {

/// A curve and a surface, the curve moved into the axes of the surface: x1 = p_AB_A + R_AB x2.
struct CurveAndSurface {
  const Surface& surface;
  const Curve& curve;
  Mat3 R_AB;
  Vec3 p_AB_A;
};

/// A straight line that is normal to a surface and to a curve.
struct CurveSurfaceNormal {
  SurfaceParameters at;
  double eta = 0;
  Vec3 point_1, point_2;  ///< its ends on the surface and on the curve [m], axes of the surface
  double gap = 0;         ///< from the surface to the curve, along the surface's normal [m]
};

/// The common normal near a guess, by Newton's method. Empty if the method does not converge to one inside the edges of the surface and
/// the ends of the curve.
std::optional<CurveSurfaceNormal> refine(const CurveAndSurface& pair, const SurfaceParameters& at,
                                         double eta);
/// The common normal with the least |gap| at a local minimum of the gap, found from samples of the curve. Empty if there is none.
std::optional<CurveSurfaceNormal> search(const CurveAndSurface& pair);

/// The history of the joint of a curve and a surface.
struct CurveOnSurfaceHistory : JointHistory {
  static constexpr int version = 1;

  Crossings<3> crossings;

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(crossings);
  }
};

/// A curve fixed to B (a wire, an edge) slides on a surface fixed to A, four equations with u, v and eta as coordinates:
///
///     p_AB_A + R_AB c(eta) - S(u, v) = 0,   n(u, v) . R_AB t(eta) = 0
///
/// with the normal n of the surface and the unit tangent t of the curve. The first three multipliers are the contact force on A in the
/// axes of A, along n [N]; the last one vanishes in every solution, because the coordinates have no inertia.
class CurveOnSurface : public Joint<CurveOnSurface, 4, 3, CurveOnSurfaceHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 4> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle};
  /// The nominal sizes of the parameters depend on the shapes: see `measures`.
  static constexpr std::array<CoordinateName, 3> coordinate_names{
      {{"u", "", Measure{}}, {"v", "", Measure{}}, {"eta", "", Measure{}}}};

  CurveOnSurface(std::shared_ptr<const Surface> surface, std::shared_ptr<const Curve> curve,
                 std::string name_1, std::string name_2)
      : surface_(std::move(surface)),
        curve_(std::move(curve)),
        name_1_(std::move(name_1)),
        name_2_(std::move(name_2)),
        jumps_{CurvatureJumps(*surface_, 0), CurvatureJumps(*surface_, 1), CurvatureJumps(*curve_)} {}

  /// The measures of the coordinates.
  std::array<Measure, 3> measures() const {
    return {Measure::nominal(surface_->u().length()), Measure::nominal(surface_->v().length()),
            Measure::nominal(curve_->last() - curve_->first())};
  }
  /// Whether the curvature of one of the shapes jumps.
  bool jumps() const { return any_jumps(jumps_); }
  /// Throws Error if the curve touches the surface along a line there, or cuts it.
  void require_single_point(const Mat3& R_AB, const SurfaceParameters& at, double eta) const;

  void terms(const RelativeState<3>& x, bool second, Terms& out) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

  /// The tangent of the curve and the normal of the surface at the contact point.
  void draw_glyph(const Glyph& glyph, const RelativeState<3>& x) const;

 private:
  std::array<EndOfStep, 3> ends(const LocalState& x) const;

  std::shared_ptr<const Surface> surface_;
  std::shared_ptr<const Curve> curve_;
  std::string name_1_, name_2_;
  std::array<CurvatureJumps, 3> jumps_;
};

}  // namespace trammel::surface_contact
