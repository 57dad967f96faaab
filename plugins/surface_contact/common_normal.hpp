#pragma once

#include <array>
#include <optional>

#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// Two surfaces, the second moved into the axes of the first: x1 = p_AB_A + R_AB x2.
struct SurfacePair {
  const Surface& one;
  const Surface& two;
  Mat3 R_AB;
  Vec3 p_AB_A;
};

/// A straight line that is normal to both surfaces; the two normals out of the material are opposite.
struct CommonNormal {
  SurfaceParameters one, two;
  Vec3 point_1, point_2;  ///< its ends on the surfaces [m], axes of the first
  double gap = 0;         ///< from the first surface to the second, along the first one's normal [m]
};

/// The 4 equations of a common normal: d . a = d . b = 0, a . n2 = b . n2 = 0, with d from the first surface to the second
/// and the unit tangents a, b of the first; and their derivatives by (u1, v1, u2, v2).
struct CommonNormalEquations {
  Eigen::Vector4d F;
  Eigen::Matrix4d by_parameters;
};
CommonNormalEquations common_normal_equations(const SurfacePair& pair, const SurfaceParameters& one,
                                              const SurfaceParameters& two);

/// The same condition in equations that need second derivatives of the surfaces alone: d . S1_u = d . S1_v = 0, N . S2_u =
/// N . S2_v = 0, with N = S1_u x S1_v.
struct NormalSystem {
  SurfacePoint p, q;          ///< of the surfaces up to second order, the second one in its own axes
  std::array<Vec3, 6> moved;  ///< the derivatives of the second one, in the axes of the first
  Vec3 d;                     ///< from the point on the first surface to that on the second [m]
  Vec3 N;                     ///< S1_u x S1_v
  std::array<Vec3, 2> N_by;   ///< its derivatives by u1 and v1
  Eigen::Vector4d F;
  Eigen::Matrix4d by_parameters;  ///< of F, by u1, v1, u2, v2

  /// Evaluates both surfaces and the equations at the parameters c.
  void set(const SurfacePair& pair, const Eigen::Vector4d& c);
  /// Evaluates the equations from `p` and `q`, which are set already.
  void set_equations(const Mat3& R_AB, const Vec3& p_AB_A);
  /// Updates both points, d and N to first order for a small step of the parameters. All other members keep their values.
  void move(const Eigen::Vector4d& step);
  /// dF/d(p_AB_A, theta) with R_AB <- R_AB exp(theta~).
  Eigen::Matrix<double, 4, 6> by_pose(const Mat3& R_AB) const;
  /// Whether the normals out of the material of both surfaces are opposite.
  bool opposes(const SurfacePair& pair) const;
};

/// Damped Newton iterations from a guess. Empty if they do not converge, within the ranges of the parameters, to opposite
/// normals.
std::optional<CommonNormal> refine(const SurfacePair& pair, const SurfaceParameters& one,
                                   const SurfaceParameters& two);

/// The common normal with the least |gap|, found from samples of both surfaces. Empty if there is none.
std::optional<CommonNormal> search(const SurfacePair& pair);

/// The principal curvatures of the gap between two surfaces in the tangent plane of a contact point [1/m]. Both are positive
/// if the surfaces touch at this point alone.
struct GapCurvatures {
  double least = 0, most = 0;
  double of_surfaces = 0;  ///< the largest principal curvature of either
  Vec3 least_direction;    ///< of the least curvature, in the axes of the first surface
};
GapCurvatures gap_curvatures(const SurfacePair& pair, const SurfaceParameters& one,
                             const SurfaceParameters& two);

}  // namespace trammel::surface_contact
