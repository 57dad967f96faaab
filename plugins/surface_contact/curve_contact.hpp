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

/// Two curves in a plane with the normal `axis` (a unit vector in the axes of the first), and the pose of the second in the
/// first.
struct CurvePair {
  const Curve& one;
  const Curve& two;
  Vec3 axis;
  Mat3 R_AB;
  Vec3 p_AB_A;
};

/// A straight line in the plane that is normal to both curves.
struct CurveNormal {
  double eta_1 = 0, eta_2 = 0;
  Vec3 point_1, point_2;  ///< its ends on the curves [m], axes of the first
  double gap = 0;         ///< its length in the plane [m]
};

/// Throws Error if the parameter lies beyond an end of an open curve.
void require_between_ends(const Curve& curve, const std::string& name, double eta);

/// The common normal near a guess, by Newton's method. Empty if the method does not converge.
std::optional<CurveNormal> refine(const CurvePair& pair, double eta_1, double eta_2);
/// The shortest common normal, found from samples of both curves. Empty if there is none between their ends.
std::optional<CurveNormal> search(const CurvePair& pair);

/// The history of the joint of two curves.
struct CurveContactHistory : SlidingHistory<2> {
  static constexpr int version = 3;

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
/// with e1, e2 normal to `axis`, the unit tangents t1, t2, and m = axis x t1. Displacements along `axis` and rotations are free.
/// The tangents are parallel or antiparallel at the start, and stay so.
class CurveContact : public Joint<CurveContact, 3, 2, CurveContactHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 3> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::angle};
  /// The nominal sizes of the parameters depend on the curves: see `measures`.
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"eta1", "", Measure{}}, {"eta2", "", Measure{}}}};

  /// Throws Error if the tangent of the first curve is not in the plane at the start, or if both curves have the same curvature
  /// there.
  CurveContact(std::shared_ptr<const Curve> one, std::shared_ptr<const Curve> two, const Vec3& axis,
               std::string name_1, std::string name_2, const CurvePair& start, const CurveNormal& at);

  /// For curves that are sections of surfaces which touch along a straight line. `line_B`: direction of this line in B (unit
  /// length). It must stay parallel to `axis`; otherwise the run ends.
  void keep_parallel(const Vec3& line_B) { line_B_ = line_B; }

  /// Enables the search for other contact points, to which the contact then jumps.
  void search_others() { shapes_ = std::make_shared<const CurveShapes>(one_, two_, axis_, sense_, side_); }

  /// The measures of the coordinates.
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
  /// The parameters eta1, eta2 at the coordinates c.
  Eigen::Vector2d parameters(const Eigen::Vector2d& c) const {
    return c + Eigen::Map<const Eigen::Vector2d>(history().shift.data());
  }
  Facing contact(const LocalState& x, const RelativePlacement& at) const;
  std::string names() const;
  /// The normal of the first curve, on the side of the second one.
  Vec3 normal(double eta_1) const;

  std::shared_ptr<const Curve> one_, two_;
  Vec3 axis_, across_1_, across_2_;
  std::string name_1_, name_2_;
  std::array<CurvatureJumps, 2> jumps_;
  std::optional<Vec3> line_B_;
  double sense_ = 1;                         ///< 1: R_AB t2 is parallel to t1 in contact, -1: antiparallel
  double side_ = 1;                          ///< 1: the normal is axis x t1, -1: opposite
  std::shared_ptr<const ShapePair> shapes_;  ///< null: other contact points are not searched
};

}  // namespace trammel::surface_contact
