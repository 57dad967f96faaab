#pragma once

#include <array>
#include <memory>

#include "trammel/curve.hpp"
#include "trammel/formula.hpp"
#include "trammel/surface.hpp"

namespace trammel::surfaces {

/// S(u, v) given by three formulas of u and v. First and second derivatives are exact. Third derivatives are finite differences
/// of the second ones with steps of 2e-4 of the ranges.
class FormulaSurface final : public Surface {
 public:
  FormulaSurface(std::array<FormulaPtr, 3> point, const SurfaceRange& u, const SurfaceRange& v,
                 bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  void up_to_second(double u, double v, SurfacePoint& out) const;

  std::array<FormulaPtr, 3> point_;
  double step_u_, step_v_;
};

/// The points of another surface, moved by `distance` [m] along its normals. The third derivatives contain finite differences of
/// the second derivatives of the normal, with steps of 2e-4 of the ranges.
class OffsetSurface final : public Surface {
 public:
  /// Throws Error if the distance reaches a centre of curvature.
  OffsetSurface(std::shared_ptr<const Surface> of, double distance, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  std::shared_ptr<const Surface> of_;
  double distance_;
};

/// S(u, v) = c(u) + t(v) - t(v0): a profile moved along a track without turning.
class Sweep final : public Surface {
 public:
  Sweep(std::shared_ptr<const Curve> profile, std::shared_ptr<const Curve> track, bool reversed);

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;

 private:
  std::shared_ptr<const Curve> profile_, track_;
  Vec3 start_;
};

}  // namespace trammel::surfaces
