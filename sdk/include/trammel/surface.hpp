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

/// The section `surfaces` of a case. A value of its own beside the enumerators of Type::Category, so that types of other
/// categories need not be compiled again.
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

/// A point of a surface [m] with derivatives up to third order, in the axes that the surface is given in.
using SurfacePoint = SurfaceVector<3>;

/// The directions at a point, of unit length, with derivatives up to second order.
struct SurfaceDirections {
  SurfaceVector<2> u, v;    ///< along S_u and S_v
  SurfaceVector<2> normal;  ///< along S_u x S_v; against it where the surface is reversed
};

/// A direction of the parameters.
struct SurfaceRange {
  double first = 0, last = 1;
  bool periodic = false;  ///< the surface closes here: the parameter may be any number
  bool endless = false;   ///< it goes on beyond `first` and `last`, which say what is drawn and searched

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

/// A surface S(u, v) in space, fixed in whatever it is fixed in. Implementations live in plugins.
///
/// Beyond an end a surface goes on smoothly, so that a trial which overshoots finds something: what it is there the
/// implementation says.
class TRAMMEL_API Surface {
 public:
  virtual ~Surface() = default;
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  const SurfaceRange& u() const { return u_; }
  const SurfaceRange& v() const { return v_; }
  /// The diagonal of the box around points of the whole surface [m].
  double size() const { return size_; }
  bool reversed() const { return reversed_; }

  /// Point and derivatives up to order `derivatives`, 0 to 3.
  void evaluate(const SurfaceParameters& at, int derivatives, SurfacePoint& out) const;
  Vec3 point(const SurfaceParameters& at) const;
  /// |S_u x S_v| = 0 gives a vector that is not finite.
  Vec3 normal(const SurfaceParameters& at) const;
  SurfaceCurvatures curvatures(const SurfaceParameters& at) const;
  /// The directions at a point whose derivatives up to the third order are given.
  SurfaceDirections directions(const SurfacePoint& point) const;

  /// The parameters of the point nearest to `point`, inside the ranges. Of a trimmed surface that of the local minima
  /// which are not trimmed away; where all are, the nearest one of the surface without its trimming.
  SurfaceParameters nearest(const Vec3& point) const;
  /// Those of the nearest point around `guess`.
  SurfaceParameters nearest(const Vec3& point, const SurfaceParameters& guess) const;
  /// By how much of the range's length a place lies beyond an end; 0 inside, and 1 where the surface is trimmed away.
  double beyond(const SurfaceParameters& at) const;
  /// A place as messages show it: "u = 0.2, v = 1.5", and the face where the surface is made of faces with names.
  std::string described(const SurfaceParameters& at) const;
  /// Periodic parameters taken back into their range.
  SurfaceParameters wrapped(const SurfaceParameters& at) const;
  /// Patches that cover the surface inside its ranges, for searches; by default 16 x 16 cells in boxes of samples. A surface whose
  /// control points bound it gives boxes of these; a trimmed surface leaves out cells that lie outside its trimming curves.
  virtual std::vector<SurfacePatch> patches() const;
  /// A cell in the box of 9 samples, widened by what second and third derivatives at the samples allow between them: no strict bound.
  SurfacePatch sampled_patch(const SurfaceParameters& first, const SurfaceParameters& last) const;

 protected:
  Surface() = default;
  /// To be called at the end of the constructor of the last class. `reversed`: the normal is -S_u x S_v. Throws Error
  /// where the surface is no surface: S_u x S_v = 0 (a pole or an edge that collapses, control points that coincide),
  /// or, being periodic, does not close.
  void set_domain(const SurfaceRange& u, const SurfaceRange& v, bool reversed);
  /// S and its derivatives.
  virtual void at(double u, double v, int derivatives, SurfacePoint& out) const = 0;
  /// Whether the surface has a point at parameters inside the ranges: false where it is trimmed away. `at` goes on there.
  virtual bool covers(double u, double v) const;
  virtual std::string describe(double u, double v) const;

 private:
  void require_regular() const;

  SurfaceRange u_, v_;
  double size_ = 0;
  bool reversed_ = false;
  Reserved<4> reserved_;
};

/// A surface and the marker whose axes it is given in.
struct PlacedSurface {
  static constexpr std::string_view offered_as = "surface 1";
  std::shared_ptr<const Surface> surface;
  Marker marker;
};

/// Offers a surface under the name of the entity: by that name joints find it, and it is a marker too. Throws Error where
/// the marker has no orientation.
TRAMMEL_API void offer_surface(Builder& builder, std::shared_ptr<const Surface> surface, const Marker& marker,
                               const Location& where);
/// The surface that a value names. Throws Error that offers the surfaces there are.
TRAMMEL_API PlacedSurface find_surface(Builder& builder, const Value& name);

}  // namespace trammel
