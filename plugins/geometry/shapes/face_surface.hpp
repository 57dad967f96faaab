#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <BRepTopAdaptor_FClass2d.hxx>
#include <Geom_Surface.hxx>

#include "../face_mesh.hpp"
#include "../files/face_file.hpp"
#include "trammel/surface.hpp"

namespace trammel::geometry {

/// Trimmed faces of a file, joined over the edges that they share, as one surface. Its parameters are those that Open CASCADE
/// gives the first face (lengths and angles of planes, cylinders, cones, spheres and tori, those of the knots of splines), and go
/// on over a common edge: a face beyond it has its own parameters (u', v') = M (u, v) + c, with M such that the first derivatives
/// are continuous. Faces that come back to the first one make a surface that is periodic.
///
/// Outside of all faces the nearest one goes on.
class FaceSurface final : public Surface {
 public:
  /// Throws Error where a face has no edge in common with those before it, or the two do not go on in one another: at an angle,
  /// with normals to opposite sides, or with parameters that are not related by such an M.
  FaceSurface(const std::vector<NamedFace>& faces, bool reversed);

  FaceMesh mesh() const;

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override;
  bool covers(double u, double v) const override;
  std::string describe(double u, double v) const override;

 private:
  using Vec2 = Eigen::Vector2d;
  using Mat2 = Eigen::Matrix2d;

  /// A face, and its place in the parameters of the whole.
  struct Patch {
    std::string name;
    TopoDS_Face face;
    Handle(Geom_Surface) surface;
    std::shared_ptr<const BRepTopAdaptor_FClass2d> trimming;
    Vec2 low, high;  ///< of its own parameters
    Mat2 M = Mat2::Identity();
    Vec2 c = Vec2::Zero();
    Vec2 middle = Vec2::Zero();  ///< of it, in the parameters of the whole
    double metres = 0;           ///< of a step of its own parameters, at most

    Vec2 whole(const Vec2& own) const;
    bool boxed(const Vec2& own) const;
    bool has(const Vec2& own) const;
    /// How far the box of its parameters is [m].
    double off(const Vec2& own) const;
  };
  struct Join;

  static Patch patch_of(const NamedFace& face);
  static void evaluate_patch(const Patch& patch, const Vec2& own, int derivatives, SurfacePoint& out);
  static std::vector<Join> joins(const Patch& a, const Patch& b);
  void place_all();
  void close(const Vec2& shift, const Patch& a, const Patch& b);
  void set_ranges(bool reversed);
  Vec2 own(const Patch& patch, Vec2 x) const;
  const Patch& owner(const Vec2& x) const;

  std::vector<Patch> patches_;
  std::array<double, 2> periods_{};  ///< of the parameters of the whole, 0 without
  bool user_reversed_ = false;
};

}  // namespace trammel::geometry
