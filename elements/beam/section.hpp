#pragma once

#include <string>
#include <utility>
#include <vector>

#include "blended_inertia.hpp"

namespace trammel::beam {

/// The outline of a section in its (t2, t3) plane [m], closed and counter-clockwise, for drawing.
struct Outline {
  std::vector<Eigen::Vector2d> points;
  std::vector<std::vector<int>> caps;  ///< convex polygons of these points that cover the section
  /// Area and moments of a section of known shape, with its centroid at the origin; otherwise zero.
  double area = 0;        ///< [m^2]
  double I2 = 0, I3 = 0;  ///< about t2 and t3 [m^4]

  /// The axial stress at point i under (N1, N2, N3, M1, M2, M3), by beam theory: N1/A + M2 y3/I2 - M3 y2/I3 [Pa].
  double axial_stress(std::size_t i, const Vec6& force) const {
    return force[0] / area + force[4] * points[i][1] / I2 - force[5] * points[i][0] / I3;
  }
  bool has_stress() const { return area > 0 && I2 > 0 && I3 > 0; }

  Outline() = default;
  /// A convex outline.
  explicit Outline(std::vector<Eigen::Vector2d> corners);
};

/// Stiffness and inertia of one section of a beam, about the origin of its triad (t1 along the axis).
struct Section {
  /// (N1, N2, N3, M1, M2, M3) by (Gamma1, Gamma2, Gamma3, kappa1, kappa2, kappa3): N, N m, N m^2.
  Mat6 stiffness = Mat6::Zero();
  SectionMass mass;
  Outline outline;
};

/// Stiffness by its diagonal values: axial EA, shear GA (with the shear factors), torsion GJ, bending EI
/// about t2 and t3.
Mat6 diagonal_stiffness(double EA, const Eigen::Vector2d& GA, double GJ, const Eigen::Vector2d& EI);

/// Section mass from its 6x6 matrix [[m I, -m c~], [m c~, J]]; throws Error where it is not of that form.
SectionMass mass_from_matrix(const Mat6& M);
/// The 6x6 matrix of a section mass.
Mat6 mass_matrix(const SectionMass& mass);

/// Throws Error, which starts with `name`, unless the stiffness is symmetric and positive definite and the
/// mass positive semidefinite.
void validate(const Section& section, const std::string& name);

/// The rectangle whose EI / EA are those of the stiffness, to draw a section known by its stiffness only; no
/// side is longer than `largest`.
Outline equivalent_rectangle(const Mat6& stiffness, double largest);

/// A section that is constant, or given at stations of the span and linear between them.
class SectionAlongSpan {
 public:
  SectionAlongSpan() = default;
  explicit SectionAlongSpan(Section section) : stations_{{0.0, std::move(section)}} {}
  /// Stations in [0, 1], increasing, from 0 to 1. Throws Error otherwise.
  explicit SectionAlongSpan(std::vector<std::pair<double, Section>> stations);

  bool constant() const { return stations_.size() == 1; }
  /// The section at the fraction x of the reference length.
  Section at(double x) const;
  std::vector<std::pair<double, Section>>& stations() { return stations_; }
  const std::vector<std::pair<double, Section>>& stations() const { return stations_; }

 private:
  std::vector<std::pair<double, Section>> stations_;
};

}  // namespace trammel::beam
