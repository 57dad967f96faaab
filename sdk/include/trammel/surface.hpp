#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include "trammel/builder.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/marker.hpp"
#include "trammel/registry.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// The section `surfaces` of a case. The value is defined here and not in Type::Category, so that types of other categories need
/// not be compiled again.
inline constexpr auto surface_category = static_cast<Type::Category>(9);

/// A vector that depends on two parameters, with its derivatives d^(i+j) / du^i dv^j up to an order.
template <int most_order>
struct SurfaceVector {
  static constexpr int order = most_order;
  static constexpr std::size_t at(int i, int j) {
    return static_cast<std::size_t>((i + j) * (i + j + 1) / 2 + j);
  }
  std::array<Vec3, static_cast<std::size_t>((order + 1) * (order + 2) / 2)> d;

  Vec3& by(int i, int j) { return d[at(i, j)]; }
  const Vec3& by(int i, int j) const { return d[at(i, j)]; }
};

/// A point of a surface [m] with its derivatives up to third order, in the axes of the surface's marker.
using SurfacePoint = SurfaceVector<3>;

/// The unit tangents and the unit normal at a point, with their derivatives up to second order.
struct SurfaceDirections {
  SurfaceVector<2> u, v;    ///< along S_u and S_v
  SurfaceVector<2> normal;  ///< along S_u x S_v, or opposite to it if the surface is reversed
};

/// The range of one of the two parameters.
struct SurfaceRange {
  double first = 0, last = 1;
  bool periodic = false;  ///< the surface closes in this direction; the parameter may be any number
  bool endless =
      false;  ///< the surface continues beyond `first` and `last`, which bound the part that is drawn and searched

  double length() const { return last - first; }
  bool has_ends() const { return !periodic && !endless; }
};

struct SurfaceParameters {
  double u = 0, v = 0;
};

/// The principal curvatures [1/m], positive where the surface bends towards its normal, and their directions.
struct SurfaceCurvatures {
  double least = 0, most = 0;
  Vec3 least_direction, most_direction;
};

/// A cell of a surface's parameters, and a box along the surface's axes [m] that contains the surface over that cell.
struct SurfacePatch {
  SurfaceParameters first, last;  ///< opposite corners of the cell
  Eigen::AlignedBox3d box;
};

/// A surface S(u, v) in space, in the axes of the marker to which it is fixed. Plugins implement it.
///
/// Beyond an edge a surface continues smoothly, so that it can be evaluated at iterates that lie outside. Each implementation
/// defines how.
class TRAMMEL_API Surface {
 public:
  virtual ~Surface() = default;
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  const SurfaceRange& u() const { return u_; }
  const SurfaceRange& v() const { return v_; }
  /// The diagonal of the box around samples of the whole surface [m].
  double size() const { return size_; }
  bool reversed() const { return reversed_; }

  /// Point and derivatives up to order `derivatives`, 0 to 3.
  void evaluate(const SurfaceParameters& at, int derivatives, SurfacePoint& out) const;
  Vec3 point(const SurfaceParameters& at) const;
  /// The unit normal out of the material; not finite where |S_u x S_v| = 0.
  Vec3 normal(const SurfaceParameters& at) const;
  SurfaceCurvatures curvatures(const SurfaceParameters& at) const;
  /// The tangents and the normal, from a point with its derivatives up to third order.
  SurfaceDirections directions(const SurfacePoint& point) const;

  /// The parameters, within the ranges, of the point of the surface nearest to `point`. Local minima of the distance that are
  /// trimmed away are ignored, unless all are.
  SurfaceParameters nearest(const Vec3& point) const;
  /// The parameters of the local minimum of the distance that Newton's method finds from `guess`.
  SurfaceParameters nearest(const Vec3& point, const SurfaceParameters& guess) const;
  /// The distance of parameters beyond an edge, as a fraction of the range; 0 inside, 1 where the surface is trimmed away.
  double beyond(const SurfaceParameters& at) const;
  /// Parameters as text for messages: "u = 0.2, v = 1.5", and the name of the face if the surface has named faces.
  std::string described(const SurfaceParameters& at) const;
  /// The same parameters, with periodic ones moved into their range.
  SurfaceParameters wrapped(const SurfaceParameters& at) const;
  /// Patches that cover the surface within its ranges, for searches. By default 16 x 16 cells with boxes around samples. A surface
  /// that lies in the convex hull of its control points overrides this with boxes around these; a trimmed surface omits cells
  /// outside its trimming curves.
  virtual std::vector<SurfacePatch> patches() const;
  /// A cell with the box around 9 samples, enlarged by an estimate from the second and third derivatives at the samples. The box
  /// is no strict bound.
  SurfacePatch sampled_patch(const SurfaceParameters& first, const SurfaceParameters& last) const;

 protected:
  Surface() = default;
  /// Call it at the end of the constructor of the most derived class. `reversed`: the normal is along -S_u x S_v. Throws Error if
  /// S_u x S_v = 0 somewhere (a pole, an edge of length zero, control points that coincide), or if a periodic surface does not
  /// close.
  void set_domain(const SurfaceRange& u, const SurfaceRange& v, bool reversed);
  /// S(u, v) and its derivatives up to the order `derivatives`, 0 to 3; may be called beyond the edges.
  virtual void at(double u, double v, int derivatives, SurfacePoint& out) const = 0;
  /// Whether the surface exists at these parameters, which lie inside the ranges: false where it is trimmed away. `at` must
  /// nevertheless be defined there.
  virtual bool covers(double u, double v) const;
  /// The text that `described` returns; `u` and `v` lie inside the ranges.
  virtual std::string describe(double u, double v) const;

 private:
  void require_regular() const;

  SurfaceRange u_, v_;
  double size_ = 0;
  bool reversed_ = false;
  Reserved<4> reserved_;
};

/// A surface and the marker to which it is fixed.
struct PlacedSurface {
  static constexpr std::string_view offered_as = "surface 1";
  std::shared_ptr<const Surface> surface;
  Marker marker;
};

/// Makes a surface known to joints under the name of the present entity; this name is also a marker. Throws Error if `marker` has
/// no orientation.
TRAMMEL_API void offer_surface(Builder& builder, std::shared_ptr<const Surface> surface, const Marker& marker,
                               const Location& where);
/// The surface with the name in `name`. Throws Error if there is none; the message lists the surfaces of the case.
TRAMMEL_API PlacedSurface find_surface(Builder& builder, const Value& name);

}  // namespace trammel
