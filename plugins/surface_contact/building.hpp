#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contact_joint.hpp"
#include "curve_contact.hpp"
#include "trammel/plugin.hpp"

// Functions that all types of this plugin use when a case is built: they find the initial contact point and add the joint.

namespace trammel::surface_contact {

/// The curves of a contact in a plane.
struct Curves {
  std::shared_ptr<const Curve> one, two;
  std::string name_1, name_2;
  Vec3 axis;  ///< normal of the plane, unit length, in the axes of the first curve
};

std::string text(const Vec3& p);

/// The parameter `search` of the contacts between two shapes.
inline Parameter search_parameter() {
  return Parameter::make(Parameter::Kind::flag, "search", "",
                         "looks for other places at which the two may touch, and goes on there: the contact "
                         "point jumps")
      .defaults("yes");
}

/// The two entries of `between`. Throws Error if `between` is not a list of two; `of_what` says what it must list.
const Value& pair_of(const Parameters& in, const char* of_what);

/// Throws Error with the text `what` if the gap is open and the joint has no `assemble: yes`.
void require_closed(const Parameters& in, const Builder& builder, double gap, const std::string& what);

/// Adds the joint and its blocks. Its coordinates start at c, with the rates of least norm that agree with the motion of the
/// markers.
template <class J>
void add(Builder& builder, J joint, const Eigen::Matrix<double, J::coordinate_count, 1>& c) {
  std::vector<BlockId> stencil = joint.site().blocks();
  if constexpr (J::coordinate_count > 0) {
    const RelativeStart motion = relative_start(builder, joint.site());
    typename J::Terms terms(false);
    joint.terms({motion.R_AB, motion.p_AB_A, c, 0}, false, terms);
    J::complete(terms);
    const Eigen::VectorXd rates = coordinate_rates(terms.view(), motion.twist);
    const BlockId block = builder.add_coordinates("coordinates", {c.data(), J::coordinate_count},
                                                  {rates.data(), J::coordinate_count}, joint.measures(), "");
    for (int i = 0; i < J::coordinate_count; ++i)
      builder.offer_coordinate(J::coordinate_names[static_cast<std::size_t>(i)].name, "", block, i);
    stencil.push_back(block);
  }
  stencil.push_back(builder.add_multiplier("multipliers", rows_of(J::dimensions)));
  builder.add(std::move(joint), std::move(stencil));
}

/// Adds the joint of two surfaces at the common normal with the least gap, in the formulation that the case selects. If the
/// surfaces touch along a straight line, adds the joint of their sections across this line.
void slide_surfaces(const Parameters& in, Builder& builder, JointSite site, const Surfaces& surfaces);
/// Adds the joint of two curves at their common normal of least gap. `line_B`: see CurveContact::keep_parallel.
void slide_curves(const Parameters& in, Builder& builder, JointSite site, const Curves& curves,
                  std::optional<CurveNormal> start = std::nullopt,
                  const std::optional<Vec3>& line_B = std::nullopt);
/// Adds the joint of point B and a curve in a plane at the nearest point.
/// `side`: 1 if the body of the point lies on the side of the curve to which axis x tangent points, else -1.
void slide_point_on_curve(const Parameters& in, Builder& builder, JointSite site,
                          std::shared_ptr<const Curve> curve, const Vec3& axis, double side,
                          const std::string& name);
/// Adds the joint of a curve that slides on a surface.
void slide_curve_on_surface(const Parameters& in, Builder& builder, JointSite site,
                            std::shared_ptr<const Surface> surface, std::shared_ptr<const Curve> curve,
                            const std::string& name_1, const std::string& name_2);

/// Adds the joint of point B and a surface at the nearest point.
void slide_point_on_surface(const Parameters& in, Builder& builder, JointSite site,
                            std::shared_ptr<const Surface> surface, const std::string& name);

}  // namespace trammel::surface_contact
