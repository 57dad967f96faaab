#pragma once

#include <string>
#include <variant>
#include <vector>

#include "trammel/canvas.hpp"
#include "trammel/parameters.hpp"

namespace trammel::rigid_body {

struct Box {
  Vec3 size;
  friend bool operator==(const Box&, const Box&) = default;
};
struct Sphere {
  double radius;
  friend bool operator==(const Sphere&, const Sphere&) = default;
};
/// Along the z axis of the solid, from -length/2 to length/2.
struct Cylinder {
  double radius, length;
  friend bool operator==(const Cylinder&, const Cylinder&) = default;
};
/// A round bar between two points.
struct Rod {
  Vec3 from, to;
  double radius;
  friend bool operator==(const Rod&, const Rod&) = default;
};
struct Surface {
  std::vector<Vec3> points;
  std::vector<int> faces;  ///< as Canvas::surface takes them
  friend bool operator==(const Surface&, const Surface&) = default;
};

/// A shape with its place in the body frame.
struct Solid {
  std::variant<Box, Sphere, Cylinder, Rod, Surface> shape;
  Mat3 R_BS = Mat3::Identity();
  Vec3 p_BS_B = Vec3::Zero();
  friend bool operator==(const Solid&, const Solid&) = default;
};

/// The shapes that a body is drawn with; they have no influence on its motion.
class Solids {
 public:
  Solids() = default;
  explicit Solids(std::vector<Solid> solids) : solids_(std::move(solids)) {}

  const std::vector<Solid>& list() const { return solids_; }
  void draw(const Mat3& R_WB, const Vec3& p_WB, Canvas& canvas) const;
  friend bool operator==(const Solids&, const Solids&) = default;

 private:
  std::vector<Solid> solids_;
};

/// What the map of a shape may hold, of all kinds.
std::vector<Parameter> shape_parameters();
/// Reads one shape {type: box, ...} or a list of them.
Solids read_solids(const Parameters& in, std::string_view name);

/// The triangles of an STL file, binary or ASCII, times `scale`; equal corners are merged. Throws Error, with the
/// place in the case, where the file cannot be read.
Surface read_stl(const std::string& path, double scale, const Location& where);

}  // namespace trammel::rigid_body
