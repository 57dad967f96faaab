#pragma once

#include <array>
#include <optional>
#include <vector>

#include "trammel/curve.hpp"

namespace trammel::cams {

/// A part of a motion law: the follower rises by `rise` [m] (falls, dwells) while the cam turns by `over` [rad], with the
/// cycloidal law s = rise (x - sin(2 pi x) / 2 pi), x from 0 to 1.
struct Segment {
  double rise = 0, over = 0;
};

/// The pivot of a swinging follower in the axes that the cam turns in, whose origin lies on the cam's axis.
struct Swing {
  double x = 0, y = 0;  ///< [m]
  double angle = 0;     ///< of the arm, or the flat face, from e1 at lift 0 [rad]
  double arm = 0;       ///< from the pivot to the roller's centre, or the edge [m]
  double offset = 0;    ///< of a flat face from the pivot, away from the cam's axis [m]
};

struct CamDefinition {
  std::vector<Segment> law;  ///< of a swinging follower in rad
  bool flat = false;         ///< a flat face; else a roller, or an edge
  double prime_radius = 0;  ///< from the cam's axis to the roller's centre, or to the flat face, at s = 0 [m]
  double roller_radius = 0;    ///< [m]; 0: an edge
  double offset = 0;           ///< of the line on which the roller's centre moves from the cam's axis [m]
  std::optional<Swing> swing;  ///< in place of prime_radius and offset
};

/// The outline of a disk cam in its own axes, exact: what moves a translating follower along e2, or turns a swinging one about
/// e3, by the law s(theta) while the cam turns about e3 by theta; eta = theta [rad]. Closed.
class CamProfile final : public Curve {
 public:
  /// Throws Error where the law does not close, or the cam would be undercut (says where).
  explicit CamProfile(CamDefinition what);

  /// The follower's lift and its first derivatives by theta, up to `order` (5 at most), in one turn.
  std::array<double, 6> lift(double theta) const;

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override;

 private:
  struct Outline;

  Outline outline(double theta) const;
  void require_no_undercut() const;

  CamDefinition what_;
  std::vector<double> starts_, lifts_;  ///< of the segments
  double height_ = 0;                   ///< of the roller's centre, or the face, above the axis at s = 0
};

}  // namespace trammel::cams
