#pragma once

#include <optional>

#include "section.hpp"

namespace trammel::beam {

/// Area, second moments of area about the centroid, torsion constant and shear factors of a shape.
struct ShapeConstants {
  double area = 0;     ///< [m^2]
  double I2 = 0;       ///< integral of y3^2 [m^4]: bending about t2
  double I3 = 0;       ///< integral of y2^2 [m^4]: bending about t3
  double torsion = 0;  ///< Saint-Venant's constant J [m^4]
  double k2 = 0;       ///< shear factor for a force along t2
  double k3 = 0;       ///< shear factor for a force along t3
  Outline outline;
};

/// Width along t2, height along t3. Torsion: the exact series; shear: Cowper (J. Appl. Mech. 33, 1966,
/// 335-340).
ShapeConstants rectangle(double width, double height, double nu);
ShapeConstants circle(double radius, double nu);
/// Outer radius and wall thickness; exact torsion, Cowper's shear factor of the hollow circle.
ShapeConstants tube(double radius, double wall, double nu);
/// Doubly symmetric I: flanges of `width` along t2, full `height` along t3. Torsion: El Darwish and Johnston
/// (J. Struct. Div. ASCE 91, 1965, 203-227) without fillets; shear along the web: Cowper's thin-walled I,
/// along the flanges: the rectangle's factor on the area of the flanges.
ShapeConstants i_section(double width, double height, double flange, double web, double nu);

struct Material {
  double E = 0;    ///< Young's modulus [Pa]
  double G = 0;    ///< shear modulus [Pa]
  double nu = 0;   ///< Poisson's ratio, of the shear factors
  double rho = 0;  ///< density [kg/m^3]
};

/// The section of a shape and a material, its triad at the centroid.
Section make_section(const ShapeConstants& shape, const Material& material);

}  // namespace trammel::beam
