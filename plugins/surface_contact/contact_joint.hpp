#pragma once

#include <array>
#include <memory>
#include <string>

#include "common_normal.hpp"
#include "contact_search.hpp"
#include "curvature_jumps.hpp"
#include "trammel/glyph.hpp"
#include "trammel/joint.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// The two surfaces of a contact, and their names in the case.
struct Surfaces {
  std::shared_ptr<const Surface> one, two;
  std::string name_1, name_2;
};

/// "the surfaces 'floor' and 'skin'"
std::string names(const Surfaces& surfaces);
/// The jumps of curvature along u1, v1, u2, v2.
std::array<CurvatureJumps, 4> curvature_jumps(const Surfaces& surfaces);
/// Writes the outputs of the search for other contact points.
void report_search(const ContactSearch& search, OutputSink& sink);
/// Throws Error if the contact point lies beyond an edge of the surface.
void require_inside(const Surface& surface, const std::string& name, const SurfaceParameters& at);
/// Whether the surfaces touch along a line: the gap has no curvature in one direction.
bool touch_along_line(const GapCurvatures& gap);
/// Throws Error if the surfaces touch along a line or over an area, or penetrate each other; the message names a joint for that
/// contact.
void require_single_point(const Surfaces& surfaces, const SurfacePair& pair, const SurfaceParameters& one,
                          const SurfaceParameters& two);

/// The history of the joint of two surfaces.
struct ContactHistory : JointHistory {
  static constexpr int version = 3;

  /// Parameters minus coordinates. A jump of the contact point changes the parameters, but not the coordinates.
  std::array<double, 4> shift{};
  ContactSearch search;
  SurfaceCrossings crossings;

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(shift, search, crossings);
  }
};

/// Two surfaces slide on one another, five equations with the four parameters as coordinates:
///
///     p_AB_A + R_AB S2(u2, v2) - S1(u1, v1) = 0,   a . R_AB n2 = 0,   b . R_AB n2 = 0
///
/// with the unit tangents a, b of the first surface along u1 and v1, and the normal n2 of the second. The root with
/// n1 = +R_AB n2 is refused. The first three multipliers are the contact force on A in the axes of A, along n1 [N]; the last
/// two vanish in every solution, because the coordinates have no inertia.
class ContactJoint : public Joint<ContactJoint, 5, 4, ContactHistory> {
 public:
  static constexpr JointRequirement requirement{JointAxes::own, false, true};
  static constexpr std::array<Dimension, 5> dimensions{Dimension::length, Dimension::length,
                                                       Dimension::length, Dimension::angle, Dimension::angle};
  /// The nominal sizes of the parameters depend on the surfaces: see `measures`.
  static constexpr std::array<CoordinateName, 4> coordinate_names{
      {{"u1", "", Measure{}}, {"v1", "", Measure{}}, {"u2", "", Measure{}}, {"v2", "", Measure{}}}};

  explicit ContactJoint(Surfaces surfaces)
      : surfaces_(std::move(surfaces)), curvature_jumps_(curvature_jumps(surfaces_)) {}

  /// Enables the search for other contact points, to which the contact then jumps.
  void search_others() { shapes_ = std::make_shared<const SurfaceShapes>(surfaces_.one, surfaces_.two); }

  /// The measures of the coordinates.
  std::array<Measure, 4> measures() const {
    const Surface &one = *surfaces_.one, &two = *surfaces_.two;
    return {Measure::nominal(one.u().length()), Measure::nominal(one.v().length()),
            Measure::nominal(two.u().length()), Measure::nominal(two.v().length())};
  }

  void terms(const RelativeState<4>& x, bool second, Terms& out) const;
  bool on_branch(const RelativeState<4>& x) const;
  void begin(const LocalState& x, const Begin& how);
  Review review(const LocalState& x, const StepInfo& step);
  void commit(const LocalState& x, const StepInfo& step);
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;

  /// The common tangent plane at the contact point, and the normal of the first surface.
  void draw_glyph(const Glyph& glyph, const RelativeState<4>& x) const {
    const Eigen::Vector4d c = parameters(x.c);
    const SurfaceParameters at{c[0], c[1]};
    const Vec3 n = surfaces_.one->normal(at);
    if (!n.allFinite()) return;
    const Vec3 p = surfaces_.one->point(at) / glyph.size(), u = 0.4 * n.unitOrthogonal();
    glyph.plate(glyph.A, p, u, n.cross(u));
    glyph.rod(glyph.A, p, p + 0.5 * n, 0.04);
  }

 private:
  /// The parameters u1, v1, u2, v2 at the coordinates c.
  Eigen::Vector4d parameters(const Eigen::Vector4d& c) const {
    return c + Eigen::Map<const Eigen::Vector4d>(history().shift.data());
  }
  Facing contact(const LocalState& x, const RelativePlacement& at) const;

  std::array<EndOfStep, 4> ends(const LocalState& x) const;

  Surfaces surfaces_;
  std::array<CurvatureJumps, 4> curvature_jumps_;
  std::shared_ptr<const ShapePair> shapes_;  ///< null: other contact points are not searched
};

}  // namespace trammel::surface_contact
