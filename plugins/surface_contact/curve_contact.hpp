#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "contact_joint.hpp"
#include "contact_search.hpp"
#include "curvature_jumps.hpp"
#include "trammel/curve.hpp"

namespace trammel::surface_contact {

/// Two curves seen along `axis`, a unit vector in the axes of the first, and where the second stands.
struct CurvePair {
  const Curve& one;
  const Curve& two;
  Vec3 axis;
  Mat3 R_AB;
  Vec3 p_AB_A;
};

/// A straight line across both curves in the plane.
struct CurveNormal {
  double eta_1 = 0, eta_2 = 0;
  Vec3 point_1, point_2;  ///< its ends on the curves [m], axes of the first
  double gap = 0;         ///< its length in the plane [m]
};

/// Throws Error where the parameter lies beyond an end of an open curve.
void require_between_ends(const Curve& curve, const std::string& name, double eta);

std::optional<CurveNormal> refine(const CurvePair& pair, double eta_1, double eta_2);
/// The shortest, by samples of both curves. Nothing where there is none inside their ends.
std::optional<CurveNormal> search(const CurvePair& pair);

/// What the joint of two curves remembers.
struct CurveContactHistory : SlidingHistory<2> {
  ContactSearch search;

  void serialize(Archive& archive) {
    SlidingHistory::serialize(archive);
    archive(search);
  }
};

/// Two curves slide on one another in a plane, three equations with both parameters as coordinates:
///
///     e . (p_AB_A + R_AB c2(eta2) - c1(eta1)) = 0 for e = e1, e2,   m . R_AB t2 = 0
///
/// with e1, e2 across `axis`, the unit tangents t1, t2, and m = axis x t1. Displacements along `axis` are free, and rotations.
/// The sense in which the tangents are along each other at the start stays.
class CurveContact : public Joint<CurveContact, 3, 2, CurveContactHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::angle};
  /// What is typical of the parameters depends on the curves: see `measures`.
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"eta1", "", Measure{}}, {"eta2", "", Measure{}}}};

  /// Throws Error where the tangent of the first curve leaves its plane at the start, or the curves fit each other there.
  CurveContact(std::shared_ptr<const Curve> one, std::shared_ptr<const Curve> two, const Vec3& axis,
               std::string name_1, std::string name_2, const CurvePair& start, const CurveNormal& at);

  /// The curves are sections of surfaces that touch along a straight line, with this direction in B (unit length). It must stay
  /// along `axis`: where it does not, the run ends.
  void keep_parallel(const Vec3& line_B) { line_B_ = line_B; }

  /// Looks for other places at which the curves may touch, and goes on there.
  void search_others() { shapes_ = std::make_shared<const CurveShapes>(one_, two_, axis_, sense_, side_); }

  /// Of the coordinates.
  std::array<Measure, 2> measures() const {
    return {Measure::nominal(one_->last() - one_->first()), Measure::nominal(two_->last() - two_->first())};
  }

  void terms(const RelativeState<2>& x, bool second, Terms& out) const;
  bool on_branch(const RelativeState<2>& x) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

  /// The common tangent at the contact point, and the normal of the first curve.
  void draw_glyph(const Glyph& glyph, const RelativeState<2>& x) const {
    const double eta = parameters(x.c)[0];
    const Vec3 n = normal(eta), p = one_->point(eta) / glyph.size();
    if (!n.allFinite()) return;
    const Vec3 t = axis_.cross(n);
    glyph.rod(glyph.A, p - 0.5 * t, p + 0.5 * t, 0.03);
    glyph.rod(glyph.A, p, p + 0.5 * n, 0.04);
  }

 private:
  /// eta1 and eta2 of the coordinates.
  Eigen::Vector2d parameters(const Eigen::Vector2d& c) const {
    return c + Eigen::Map<const Eigen::Vector2d>(history().shift.data());
  }
  Facing contact(const LocalState& x, const RelativePlacement& at) const;
  std::string names() const;
  /// Across the first curve, on the side where the second one lies.
  Vec3 normal(double eta_1) const;

  std::shared_ptr<const Curve> one_, two_;
  Vec3 axis_, across_1_, across_2_;
  std::string name_1_, name_2_;
  std::array<CurvatureJumps, 2> jumps_;
  std::optional<Vec3> line_B_;
  double sense_ = 1;                         ///< of R_AB t2 against t1
  double side_ = 1;                          ///< of the normal against axis x t1
  std::shared_ptr<const ShapePair> shapes_;  ///< null: other places are not searched
};

}  // namespace trammel::surface_contact
