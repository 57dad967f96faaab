#pragma once

#include <memory>
#include <optional>

#include "common_normal.hpp"
#include "trammel/curve.hpp"

namespace trammel::surface_contact {

/// The curve eta -> S(u + eta du, v + eta dv) on a surface, eta from `first` to `last`; its fourth derivative by differences.
class SurfaceSection final : public Curve {
 public:
  SurfaceSection(std::shared_ptr<const Surface> surface, const SurfaceParameters& at, double du, double dv,
                 double first, double last, bool closed);

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  std::shared_ptr<const Surface> surface_;
  SurfaceParameters at_;
  double du_, dv_;
};

/// The section of a general cylinder: a curve on the surface that crosses all its straight lines, which are parallel to
/// `direction` (unit length, in the axes of the surface); eta = 0 is the point `at`. Empty if the surface is no such cylinder:
/// if its normal is somewhere not perpendicular to `direction`.
std::shared_ptr<const Curve> section_across(const std::shared_ptr<const Surface>& surface,
                                            const SurfaceParameters& at, const Vec3& direction);

}  // namespace trammel::surface_contact
