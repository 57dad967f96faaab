#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ends.hpp"
#include "held_piece.hpp"
#include "moving_frame.hpp"
#include "trammel/curve.hpp"
#include "trammel/joint.hpp"

namespace trammel::curve_sliding {

/// What happens where a slider comes to an end of its range.
enum class AtEnd {
  error,  ///< the run ends with a message
  leave,  ///< the joint releases it
  stop,   ///< EndStops hold it: nothing is done here
};

/// What a case says of a joint, besides its markers.
struct Track {
  std::shared_ptr<const Curve> curve;
  std::shared_ptr<const MovingFrame> frame;  ///< null where the orientation is free
  std::string name;
  Range range;
  AtEnd at_end = AtEnd::error;
};

/// Point B slides along a curve fixed in A: eq. (33), with the parameter eta as coordinate, and `turns` equations of
/// its orientation,
///
///     p_AB_A - c(eta) = 0                                       (turns 0)
///     f1 . b3 = f2 . b3 = 0                                     (turns 2: free about the tangent f3)
///     f2 . b3 = f3 . b1 = f1 . b2 = 0                           (turns 3: locked to the moving frame)
///
/// with the moving frame f(eta) and the axes b of B. The second coordinate, the arc length s, is tied to eta by a last
/// equation, s - S(eta) = 0, where `ties_s`; else by ArcRate. A slider that left the curve has multipliers of zero, and
/// its coordinates come to rest as masses with dampers would.
template <int turns, bool ties_s>
class SlidingJoint : public Joint<SlidingJoint<turns, ties_s>, 3 + turns + (ties_s ? 1 : 0), 2> {
  using Base = Joint<SlidingJoint<turns, ties_s>, 3 + turns + (ties_s ? 1 : 0), 2>;

 public:
  static constexpr int count = 3 + turns + (ties_s ? 1 : 0);
  static constexpr JointDemand demand{JointAxes::own, false, turns > 0};
  static constexpr std::array<CoordinateName, 2> coordinate_names{{{"eta", ""}, {"s", "m"}}};

  explicit SlidingJoint(Track track)
      : track_(std::move(track)),
        piece_(*track_.curve, rough_breaks(*track_.curve, turns > 0 ? track_.frame.get() : nullptr)) {}
  const Track& track() const { return track_; }
  bool on_track() const { return status_.on; }

  void terms(const RelativeState<2>& x, bool second, typename Base::Terms& out) const {
    const double eta = x.c[0];
    CurvePoint c;
    track_.curve->evaluate(eta, 2, c);
    out.C.template head<3>() = x.p_AB_A - c.d[0];
    out.G.template topLeftCorner<3, 3>().setIdentity();
    out.G.template block<3, 1>(0, 6) = -c.d[1];
    for (int i = 0; i < 3; ++i) out.H[static_cast<std::size_t>(i)](6, 6) = -c.d[2][i];
    if constexpr (ties_s) {
      constexpr int row = count - 1;
      const double speed = c.d[1].norm();
      out.C[row] = x.c[1] - track_.curve->arc_length(eta);
      out.G(row, 6) = -speed;
      out.G(row, 7) = 1;
      out.H[static_cast<std::size_t>(row)](6, 6) = -c.d[1].dot(c.d[2]) / speed;
    }
    if constexpr (turns > 0) {
      FrameAlong f;
      track_.frame->evaluate(eta, f);
      for (int i = 0; i < turns; ++i) {
        const auto [a, b] = pairs[static_cast<std::size_t>(i)];
        const Vec3 e = Vec3::Unit(b), axis = x.R_AB.col(b);
        const Vec3 r = x.R_AB.transpose() * f.R.col(a);
        const int row = 3 + i;
        out.C[row] = f.R.col(a).dot(axis);
        out.G.row(row).template segment<3>(3) = e.cross(r).transpose();
        out.G(row, 6) = f.R1.col(a).dot(axis);
        if (!second) continue;
        auto& H = out.H[static_cast<std::size_t>(row)];
        H.template block<3, 3>(3, 3) = 0.5 * (e * r.transpose() + r * e.transpose());
        H.template block<3, 3>(3, 3).diagonal().array() -= out.C[row];
        const Vec3 r1 = x.R_AB.transpose() * f.R1.col(a);
        H.template block<3, 1>(3, 6) = e.cross(r1);
        H.template block<1, 3>(6, 3) = e.cross(r1).transpose();
        H(6, 6) = f.R2.col(a).dot(axis);
      }
    }
  }

  bool on_branch(const RelativeState<2>& x) const {
    if constexpr (turns > 0) {
      FrameAlong f;
      track_.frame->evaluate(x.c[0], f);
      for (int k = turns == 2 ? 2 : 0; k < 3; ++k)
        if (!(f.R.col(k).dot(x.R_AB.col(k)) > 0)) return false;
    }
    return true;
  }

  bool couples(int row, int column) const {
    return Base::couples(row, column) || (track_.at_end == AtEnd::leave && row == column);
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (!fault_.empty()) throw Error(fault_);
    if (status_.on) {
      Base::evaluate(x, out);
      if (out.request.bias) hold_piece(x, out);
      return;
    }
    constexpr int n = count;
    const int row = out.size() - n, first = row - 2;
    auto r = out.residual();
    for (int i = 0; i < n; ++i) r[row + i] = x.value(coordinates() + 1)[i];
    for (int i = 0; i < 2; ++i)
      r[first + i] = x.second_rate(coordinates())[i] + status_.damping * x.rate(coordinates())[i];
    if (out.request.tangent) {
      out.K().diagonal().tail(n).setOnes();
      out.D().diagonal().template segment<2>(first).setConstant(status_.damping);
      out.M().diagonal().template segment<2>(first).setOnes();
    }
    // B a + bias stands for the equation at acceleration level, which is lambda = 0 here.
    if (out.request.bias) out.bias().tail(n) = r.tail(n);
  }

  Review review(const LocalState& x, const StepInfo& step) {
    if (!status_.on) return Review::keep();
    if (const Review branch = Base::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
    if (const Review piece = piece_.review(x.value(coordinates())[0]); piece.verdict != Review::Verdict::keep)
      return piece;
    status_.leaving = false;
    if (track_.at_end == AtEnd::stop) return Review::keep();
    const EndOfStep now = motion(x);
    if (!(track_.range.beyond(now.value) > 0)) return Review::keep();
    const double end = now.value > track_.range.to ? track_.range.to : track_.range.from;
    const double tiny = 1e-9 * track_.curve->length();
    if (track_.at_end == AtEnd::error) {
      if (track_.range.beyond(now.value) <= tiny) return Review::keep();
      // The kernel adds the time.
      fault_ = fmt::format(
          "the slider runs off the end of curve '{}' at s = {:.6g} m, with {:.4g} m/s; `ends: stop` would "
          "hold it, "
          "`ends: leave` release it",
          track_.name, end, now.rate);
      return Review::changed();  // the next evaluation throws, so that all ranks end together
    }
    if (last_ && track_.range.beyond(last_->value) <= 0) {
      if (const auto cut = cut_at(*last_, now, end, step)) return *cut;
      if (crossing(*last_, now, end, step.end - step.start) > 0.5) {
        status_.leaving = true;
        return Review::keep();
      }
    }
    release(last_ ? last_->rate : now.rate);
    return Review::changed();
  }

  void commit(const LocalState& x, const StepInfo& step) {
    Base::commit(x, step);
    last_ = motion(x);
    piece_.commit(x.value(coordinates())[0]);
    if (status_.leaving) release(last_->rate);
    committed_ = status_;
  }
  void reject() {
    status_ = committed_;
    piece_.reject();
  }

  std::vector<double> history() const {
    std::vector<double> all;
    if (track_.at_end == AtEnd::leave)
      all = {committed_.on ? 1.0 : 0.0, committed_.damping, last_ ? 1.0 : 0.0, last_ ? last_->value : 0.0,
             last_ ? last_->rate : 0.0};
    const std::vector<double> piece = piece_.history();
    all.insert(all.end(), piece.begin(), piece.end());
    return all;
  }
  void restore(std::span<const double> h) {
    const std::size_t own = track_.at_end == AtEnd::leave ? 5 : 0;
    if (h.size() < own) return;
    piece_.restore(h.subspan(own));
    if (own == 0) return;
    status_ = {h[0] > 0, false, h[1]};
    committed_ = status_;
    last_.reset();
    if (h[2] > 0) last_ = {h[3], h[4]};
  }

  void outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
    Base::outputs(x, shares, sink);
    MarkerMotion A;
    this->site().A.evaluate(x, 0, MotionLevel::pose, A);
    const double eta = x.value(coordinates())[0];
    const Vec3 t = TangentAlong(*track_.curve, eta).v;
    const Vec3 lambda = Eigen::Map<const Vec3>(x.value(coordinates() + 1));
    sink.vector("tangent", "1", A.R_WM * t);
    sink.scalar("curvature", "1/m", track_.curve->curvature(eta));
    sink.scalar("normal_force", "N", (lambda - lambda.dot(t) * t).norm());
    sink.scalar("active", "1", status_.on ? 1 : 0);
  }

 private:
  struct Status {
    bool on = true;
    bool leaving = false;  ///< this step ends where the slider leaves
    double damping = 0;    ///< of the coordinates, after that [1/s]
  };
  /// Columns of the moving frame and of B whose product vanishes.
  static constexpr std::array<std::pair<int, int>, 3> pairs =
      turns == 2 ? std::array<std::pair<int, int>, 3>{{{0, 2}, {1, 2}, {0, 0}}}
                 : std::array<std::pair<int, int>, 3>{{{1, 2}, {2, 0}, {0, 1}}};

  /// Turns the bias, found with second derivatives at eta, into that with those of the piece held.
  void hold_piece(const LocalState& x, LocalSystem& out) const {
    const double eta = x.value(coordinates())[0], rate = x.rate(coordinates())[0];
    if (piece_.holds(eta)) return;
    const double held = piece_.inside(eta);
    CurvePoint here, there;
    track_.curve->evaluate(eta, 2, here);
    track_.curve->evaluate(held, 2, there);
    const Vec3 change = rate * rate * (there.d[2] - here.d[2]);
    auto bias = out.bias();
    const int row = out.size() - count;
    bias.template segment<3>(row) -= change;
    if constexpr (ties_s) bias[row + count - 1] -= here.d[1].normalized().dot(change);
    if constexpr (turns > 0) {
      FrameAlong f, g;
      track_.frame->evaluate(eta, f);
      track_.frame->evaluate(held, g);
      const Mat3 R_AB = this->relative(x).R_AB;
      for (int i = 0; i < turns; ++i) {
        const auto [a, b] = pairs[static_cast<std::size_t>(i)];
        bias[row + 3 + i] += rate * rate * (g.R2.col(a) - f.R2.col(a)).dot(R_AB.col(b));
      }
    }
  }

  int coordinates() const { return this->site().block_count(); }
  EndOfStep motion(const LocalState& x) const {
    const double eta = x.value(coordinates())[0];
    return {track_.curve->arc_length(eta), track_.curve->speed(eta) * x.rate(coordinates())[0]};
  }
  void release(double rate) {
    // They come to rest within a hundredth of the curve's length.
    status_ = {false, false, 100 * std::abs(rate) / track_.curve->length()};
  }

  Track track_;
  HeldPiece piece_;
  Status status_, committed_;
  std::optional<EndOfStep> last_;
  std::string fault_;  ///< why the run must end
};

}  // namespace trammel::curve_sliding
