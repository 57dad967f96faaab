#pragma once

#include <memory>
#include <vector>

#include "axis.hpp"
#include "blended_inertia.hpp"
#include "elastic_forces.hpp"
#include "section.hpp"

namespace trammel::beam {

/// The constants of one element.
struct ElementConstants {
  ElasticLaw elastic;
  Mat6 section = Mat6::Zero();  ///< mean stiffness of the section; that of `elastic` may hold more
  Vec6 damping = Vec6::Zero();  ///< times [s], by strain
  BlendedMass mass;
  bool massive = false;
  Outline outline;  ///< at mid-length, to draw the element

  /// From now on the element stores the energy of a moment that varies linearly along it too, the residual bending
  /// flexibility (MacNeal, Comput. Struct. 8 (1978) 175-183): its shear compliances grow by L^2/12 of those to bending.
  void let_moment_vary();
};

/// A beam cut into elements.
struct Discretization {
  std::vector<double> s;                                    ///< arc length of the nodes [m]
  std::vector<Pose> nodes;                                  ///< X_WS of the section triads at the nodes
  std::vector<std::shared_ptr<ElementConstants>> elements;  ///< equal elements share their constants
};

/// Stiffness-proportional damping: the viscous section law is sqrt(b) K sqrt(b) with b the diagonal matrix of
/// `times` [s], one for each strain.
struct Damping {
  Vec6 times = Vec6::Zero();
  bool none() const { return times.isZero(0); }
};

/// Cuts a beam at `fractions` of its length (increasing, from 0 to 1). The compliance of an element is the
/// mean of the section's, its mass the integral over the reference shape. Throws Error where an element turns
/// by more than 150 degrees or the fractions don't increase.
///
/// `linear_moment`: ElementConstants::let_moment_vary.
Discretization discretize(const Axis& axis, const SectionAlongSpan& section, const Damping& damping,
                          const std::vector<double>& fractions, bool linear_moment = false);

}  // namespace trammel::beam
