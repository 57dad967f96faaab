#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trammel/antiderivative.hpp"
#include "trammel/builder.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/marker.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// A point of a curve with derivatives by the parameter: d[k] = d^k c / d eta^k [m], in the axes that the curve is given
/// in.
struct CurvePoint {
  std::array<Vec3, 5> d;
};

/// Where the tangent of a curve turns by an angle at once.
struct CurveKink {
  double eta = 0;
  Vec3 point;
  double angle = 0;  ///< [rad]
};

/// A curve c(eta) in space, fixed in whatever it is fixed in. Implementations live in plugins; the kernel adds arc length,
/// projection and curvature.
///
/// On a closed curve eta may be any number, with the period last() - first(). An open curve is extended beyond its
/// ends by its Taylor polynomial of third degree, so that iterates beyond an end find a smooth curve.
class TRAMMEL_API Curve {
 public:
  virtual ~Curve() = default;
  Curve(const Curve&) = delete;
  Curve& operator=(const Curve&) = delete;

  double first() const { return breaks_.front(); }
  double last() const { return breaks_.back(); }
  /// The ends meet, with one tangent.
  bool closed() const { return closed_; }
  /// first(), the parameters at which a derivative may jump (knots), last().
  std::span<const double> breaks() const { return breaks_; }

  /// Point and `derivatives` (0 to 4) derivatives.
  void evaluate(double eta, int derivatives, CurvePoint& out) const;
  Vec3 point(double eta) const;
  /// |c'| [m].
  double speed(double eta) const;
  /// |c' x c''| / |c'|^3 [1/m].
  double curvature(double eta) const;

  /// S(eta): length from first() to eta [m], by quadrature; on closed curves laps are counted.
  double arc_length(double eta) const;
  /// S(last()).
  double length() const { return arc_.total(); }
  /// The parameter at which S is s.
  double parameter(double s) const;

  /// The parameter of the point nearest to `point`; of a closed curve that in the first lap.
  double nearest(const Vec3& point) const;
  /// The parameter of the nearest point found from `guess`.
  double nearest(const Vec3& point, double guess) const;

  /// The first kink of more than `angle` [rad]; that where a closed curve closes is one too.
  std::optional<CurveKink> kink(double angle = 1e-5) const;

 protected:
  Curve() = default;
  /// To be called at the end of the constructor of the last class. Throws Error where the curve stands still (c' = 0)
  /// or, being closed, ends with a gap.
  void set_domain(std::vector<double> breaks, bool closed);
  /// c and its derivatives up to `derivatives` for first() <= eta <= last(); at a knot those of either side.
  virtual void inside(double eta, int derivatives, CurvePoint& out) const = 0;

 private:
  double wrapped(double eta, double& laps) const;
  /// Parameters that leave nothing of the curve unseen.
  std::vector<double> sampled() const;
  void require_motion() const;
  void beyond(double end, double eta, int derivatives, CurvePoint& out) const;

  std::vector<double> breaks_;
  bool closed_ = false;
  Antiderivative arc_;
  Reserved<4> reserved_;
};

/// A curve and the marker whose axes it is given in.
struct PlacedCurve {
  static constexpr std::string_view offered_as = "curve 1";
  std::shared_ptr<const Curve> curve;
  Marker marker;
};

/// Offers a curve under the name of the entity: by that name joints find it, and it is a marker too. Throws Error where
/// the marker has no orientation.
TRAMMEL_API void offer_curve(Builder& builder, std::shared_ptr<const Curve> curve, const Marker& marker,
                             const Location& where);
/// The curve that a value names. Throws Error that offers the curves there are.
TRAMMEL_API PlacedCurve find_curve(Builder& builder, const Value& name);

}  // namespace trammel
