#include "moving_frame.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "along.hpp"

namespace trammel::curve_sliding {

namespace {

constexpr double least_sine = 1e-3;       // between the tangent and the direction that gives the normal
constexpr double jump = 1e-4;             // of a frame at a knot that counts [rad]
constexpr double least_curvature = 1e-4;  // times the length
constexpr int samples = 64;               // of a span, where frames are checked

VectorAlong tangent_along(const CurvePoint& at) { return unit(VectorAlong{at.d[1], at.d[2], at.d[3]}); }

void set(const VectorAlong& e1, const VectorAlong& e2, const VectorAlong& e3, FrameAlong& out) {
  out.R << e1.v, e2.v, e3.v;
  out.R1 << e1.v1, e2.v1, e3.v1;
  out.R2 << e1.v2, e2.v2, e3.v2;
}

std::string place(const Curve& curve, double eta) {
  const Vec3 p = curve.point(eta);
  return fmt::format("[{:.6g}, {:.6g}, {:.6g}] (s = {:.6g} m)", p.x(), p.y(), p.z(), curve.arc_length(eta));
}

/// The parameters at which frames are checked.
template <class Look>
void walk(const Curve& curve, const Look& look) {
  const auto breaks = curve.breaks();
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i)
    for (int k = 0; k <= samples; ++k) {
      // Both sides of a knot are looked at.
      const double f = k == 0 ? 1e-9 : k == samples ? 1 - 1e-9 : static_cast<double>(k) / samples;
      look(breaks[i] + f * (breaks[i + 1] - breaks[i]));
    }
}

/// e1 in the plane of the tangent and a direction that depends on eta.
class DirectedFrame : public MovingFrame {
 public:
  explicit DirectedFrame(std::shared_ptr<const Curve> curve) : curve_(std::move(curve)) {}

  void evaluate(double eta, FrameAlong& out) const override {
    CurvePoint at;
    curve_->evaluate(eta, derivatives(), at);
    const VectorAlong e3 = tangent_along(at), e2 = unit(cross(e3, direction(eta, at)));
    set(cross(e2, e3), e2, e3, out);
  }

 protected:
  virtual int derivatives() const { return 3; }
  virtual VectorAlong direction(double eta, const CurvePoint& at) const = 0;

  /// Throws Error where the direction and the tangent are along each other; `what` begins the message.
  void check(const std::string& what) const {
    Vec3 before = Vec3::Zero();
    walk(*curve_, [&](double eta) {
      CurvePoint at;
      curve_->evaluate(eta, derivatives(), at);
      const Vec3 t = at.d[1].normalized(), u = direction(eta, at).v, side = t.cross(u);
      if (side.norm() <= least_sine * u.norm() || side.dot(before) < 0)
        throw Error(fmt::format("{} at {}", what, place(*curve_, eta)));
      before = side;
    });
  }

  const Curve& curve() const { return *curve_; }

 private:
  std::shared_ptr<const Curve> curve_;
};

class UpFrame final : public DirectedFrame {
 public:
  UpFrame(std::shared_ptr<const Curve> curve, const Vec3& up)
      : DirectedFrame(std::move(curve)), up_{up.normalized(), Vec3::Zero(), Vec3::Zero()} {
    check("the frame by an up-vector breaks down where the tangent points along 'up':");
  }

 protected:
  VectorAlong direction(double, const CurvePoint&) const override { return up_; }

 private:
  VectorAlong up_;
};

class GuidedFrame final : public DirectedFrame {
 public:
  GuidedFrame(std::shared_ptr<const Curve> curve, std::shared_ptr<const Curve> guide)
      : DirectedFrame(std::move(curve)), guide_(std::move(guide)) {
    rate_ = (guide_->last() - guide_->first()) / (this->curve().last() - this->curve().first());
    check(
        "the frame by a guide curve breaks down where the way to the guide has no direction across the "
        "tangent:");
  }

 protected:
  VectorAlong direction(double eta, const CurvePoint& at) const override {
    CurvePoint g;
    guide_->evaluate(guide_->first() + rate_ * (eta - curve().first()), 2, g);
    return {g.d[0] - at.d[0], rate_ * g.d[1] - at.d[1], rate_ * rate_ * g.d[2] - at.d[2]};
  }

 private:
  std::shared_ptr<const Curve> guide_;
  double rate_ = 1;
};

class FrenetFrame final : public DirectedFrame {
 public:
  explicit FrenetFrame(std::shared_ptr<const Curve> curve) : DirectedFrame(std::move(curve)) {
    const Curve& c = this->curve();
    Vec3 before = Vec3::Zero();
    double knot = c.first();
    const auto breaks = c.breaks();
    walk(c, [&](double eta) {
      CurvePoint at;
      c.evaluate(eta, 2, at);
      const Vec3 b = at.d[1].cross(at.d[2]);
      const double curvature = b.norm() / std::pow(at.d[1].norm(), 3);
      const Vec3 binormal = b.normalized();
      if (curvature * c.length() < least_curvature || binormal.dot(before) < 0)
        throw Error(
            fmt::format("the Frenet frame does not exist where the curvature vanishes: at {}; take "
                        "`frame: rotation_minimizing`",
                        place(c, eta)));
      const bool at_knot = std::ranges::any_of(breaks, [&](double k) { return k > knot && k <= eta; });
      if (before.norm() > 0 && at_knot && before.cross(binormal).norm() > jump &&
          eta - knot < 1e-6 * (c.last() - c.first()))
        throw Error(
            fmt::format("the Frenet frame jumps by {:.6g} rad at {}; take `frame: rotation_minimizing`",
                        before.cross(binormal).norm(), place(c, eta)));
      before = binormal;
      knot = eta;
    });
  }

 protected:
  int derivatives() const override { return 4; }
  VectorAlong direction(double, const CurvePoint& at) const override { return {at.d[2], at.d[3], at.d[4]}; }
};

/// Piece by piece: from the tangent t0 at the piece's start the frame is carried to the tangent t by the smallest
/// rotation, and turned about t by an angle whose rate undoes the rotation about t that this brings in.
class RotationMinimizingFrame final : public MovingFrame {
 public:
  RotationMinimizingFrame(std::shared_ptr<const Curve> curve, const Vec3& up) : curve_(std::move(curve)) {
    const auto breaks = curve_->breaks();
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) divide(breaks[i], breaks[i + 1], 0);
    std::vector<double> starts = starts_;
    starts.push_back(curve_->last());
    for (const double start : starts_) first_.push_back(any_triad(TangentAlong(*curve_, start).v));
    angle_ = Antiderivative(
        [this](double eta) {
          VectorAlong e1, e2;
          carried(eta, piece(eta), e1, e2);
          return -e1.v1.dot(e2.v);
        },
        starts);
    // Now turn each piece's first triad so that the pieces meet.
    Mat3 R = first_.front();
    const Vec3 e3 = R.col(2), e2 = e3.cross(up).normalized();
    R << e2.cross(e3), e2, e3;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      first_[i] = R;
      const double end = i + 1 < starts_.size() ? starts_[i + 1] : curve_->last();
      R = at(end, i).R;
      if (i + 1 < starts_.size()) R = along(R, TangentAlong(*curve_, end).v);
    }
    if (!curve_->closed()) return;
    const Mat3 off = first_.front().transpose() * R;
    closing_ = -std::atan2(off(1, 0), off(0, 0)) / curve_->length();
  }

  void evaluate(double eta, FrameAlong& out) const override {
    if (curve_->closed()) {
      const double period = curve_->last() - curve_->first();
      eta = std::clamp(eta - std::floor((eta - curve_->first()) / period) * period, curve_->first(),
                       curve_->last());
    }
    out = at(eta, piece(eta));
  }

 private:
  void divide(double from, double to, int depth) {
    const Vec3 t0 = TangentAlong(*curve_, from).v;
    bool straight = true;
    for (int k = 1; k <= 16; ++k)
      straight = straight && t0.dot(TangentAlong(*curve_, from + (to - from) * k / 16).v) > 0.7;
    if (straight || depth > 12) {
      starts_.push_back(from);
      return;
    }
    divide(from, 0.5 * (from + to), depth + 1);
    divide(0.5 * (from + to), to, depth + 1);
  }

  std::size_t piece(double eta) const {
    const auto next = std::upper_bound(starts_.begin() + 1, starts_.end(), eta);
    return static_cast<std::size_t>(next - starts_.begin() - 1);
  }

  static Mat3 any_triad(const Vec3& t) {
    const Vec3 u = t.cross(std::abs(t.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
    Mat3 R;
    R << u, t.cross(u), t;
    return R;
  }

  /// The triad with e3 = t nearest to R.
  static Mat3 along(const Mat3& R, const Vec3& t) {
    const Vec3 e1 = (R.col(0) - t * t.dot(R.col(0))).normalized();
    Mat3 out;
    out << e1, t.cross(e1), t;
    return out;
  }

  /// The first triad's e1 and e2 after the smallest rotation that takes t0 to t.
  VectorAlong carried(double eta, std::size_t i, VectorAlong& e1, VectorAlong& e2) const {
    CurvePoint at;
    curve_->evaluate(eta, 3, at);
    const VectorAlong t = tangent_along(at);
    const Mat3& R = first_[i];
    const Vec3 zero = Vec3::Zero();
    const VectorAlong sum = t + VectorAlong{R.col(2), zero, zero};
    NumberAlong cosine = dot(t, VectorAlong{R.col(2), zero, zero});
    cosine.v += 1;
    const auto carry = [&](const Vec3& w) {
      const VectorAlong fixed{w, zero, zero};
      return fixed - dot(t, fixed) / cosine * sum;
    };
    e1 = carry(R.col(0));
    e2 = carry(R.col(1));
    return t;
  }

  /// Of the turn about the tangent from an end to a parameter beyond it, by Gauss's rule of five points.
  double angle_beyond(double end, double eta, std::size_t i) const {
    static constexpr std::array<double, 5> x{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                             0.9061798459386640};
    static constexpr std::array<double, 5> w{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                             0.4786286704993665, 0.2369268850561891};
    const double half = 0.5 * (eta - end);
    double sum = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      VectorAlong a, b;
      carried(end + half * (1 + x[k]), i, a, b);
      sum -= w[k] * a.v1.dot(b.v);
    }
    return half * sum;
  }

  FrameAlong at(double eta, std::size_t i) const {
    VectorAlong a, b;
    const VectorAlong t = carried(eta, i, a, b);
    const double inner = std::clamp(eta, curve_->first(), curve_->last());
    NumberAlong phi{angle_.at(inner) - angle_.at(starts_[i]), -a.v1.dot(b.v),
                    -(a.v2.dot(b.v) + a.v1.dot(b.v1))};
    if (inner != eta) phi.v += angle_beyond(inner, eta, i);
    if (closing_ != 0) {
      CurvePoint c;
      curve_->evaluate(eta, 2, c);
      const double speed = c.d[1].norm();
      phi.v += closing_ * curve_->arc_length(eta);
      phi.v1 += closing_ * speed;
      phi.v2 += closing_ * c.d[1].dot(c.d[2]) / speed;
    }
    const double c = std::cos(phi.v), s = std::sin(phi.v);
    const NumberAlong cosine{c, -s * phi.v1, -c * phi.v1 * phi.v1 - s * phi.v2};
    const NumberAlong sine{s, c * phi.v1, -s * phi.v1 * phi.v1 + c * phi.v2};
    const NumberAlong minus{-sine.v, -sine.v1, -sine.v2};
    FrameAlong out;
    set(cosine * a + sine * b, minus * a + cosine * b, t, out);
    return out;
  }

  std::shared_ptr<const Curve> curve_;
  std::vector<double> starts_;  ///< of the pieces
  std::vector<Mat3> first_;     ///< the triad at the start of each piece, before the closing angle
  Antiderivative angle_;
  double closing_ = 0;  ///< angle by length [rad/m]
};

}  // namespace

TangentAlong::TangentAlong(const Curve& curve, double eta) {
  CurvePoint at;
  curve.evaluate(eta, 3, at);
  const VectorAlong t = tangent_along(at);
  v = t.v;
  v1 = t.v1;
  v2 = t.v2;
}

std::unique_ptr<MovingFrame> up_frame(std::shared_ptr<const Curve> curve, const Vec3& up) {
  return std::make_unique<UpFrame>(std::move(curve), up);
}
std::unique_ptr<MovingFrame> guided_frame(std::shared_ptr<const Curve> curve,
                                          std::shared_ptr<const Curve> guide) {
  return std::make_unique<GuidedFrame>(std::move(curve), std::move(guide));
}
std::unique_ptr<MovingFrame> frenet_frame(std::shared_ptr<const Curve> curve) {
  return std::make_unique<FrenetFrame>(std::move(curve));
}
std::unique_ptr<MovingFrame> rotation_minimizing_frame(std::shared_ptr<const Curve> curve, const Vec3& up) {
  const Vec3 t = TangentAlong(*curve, curve->first()).v;
  if (t.cross(up).norm() <= least_sine * up.norm())
    throw Error("'up' points along the tangent at the curve's first point");
  return std::make_unique<RotationMinimizingFrame>(std::move(curve), up);
}

Vec3 default_up(const Curve& curve) {
  const Vec3 t = TangentAlong(curve, curve.first()).v;
  Eigen::Index axis = 2;
  if (std::abs(t.z()) > 0.8) t.cwiseAbs().minCoeff(&axis);
  return Vec3::Unit(axis);
}

}  // namespace trammel::curve_sliding
