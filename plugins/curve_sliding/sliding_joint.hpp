#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ends.hpp"
#include "held_piece.hpp"
#include "moving_frame.hpp"
#include "trammel/curve.hpp"
#include "trammel/force_across.hpp"
#include "trammel/glyph.hpp"
#include "trammel/joint.hpp"
#include "trammel/track_end.hpp"

namespace trammel::curve_sliding {

/// What a case says of a joint, besides its markers.
struct Track {
  std::shared_ptr<const Curve> curve;
  std::shared_ptr<const MovingFrame> frame;  ///< null where the orientation is free
  std::string name;
  Range range;  ///< of the arc length that may be slid along [m]
  AtEnd at_end = AtEnd::error;
};

/// What a slider remembers.
struct SlidingHistory : JointHistory {
  EndOfStep last;  ///< arc length at the last accepted state
  HeldPiece piece;

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(last, piece);
  }
};

/// Point B slides along a curve fixed in A: eq. (33), with the parameter eta as coordinate, and `turns` equations of
/// its orientation,
///
///     p_AB_A - c(eta) = 0                                       (turns 0)
///     f1 . b3 = f2 . b3 = 0                                     (turns 2: free about the tangent f3)
///     f2 . b3 = f3 . b1 = f1 . b2 = 0                           (turns 3: locked to the moving frame)
///
/// with the moving frame f(eta) and the axes b of B. The second coordinate, the arc length s, is tied to eta by a last
/// equation, s - S(eta) = 0, where `ties_s`; else by ArcRate.
template <int turns, bool ties_s>
class SlidingJoint
    : public Joint<SlidingJoint<turns, ties_s>, 3 + turns + (ties_s ? 1 : 0), 2, SlidingHistory> {
  using Base = Joint<SlidingJoint<turns, ties_s>, 3 + turns + (ties_s ? 1 : 0), 2, SlidingHistory>;

 public:
  static constexpr int count = 3 + turns + (ties_s ? 1 : 0);
  static constexpr JointRequirement requirement{JointAxes::own, false, turns > 0};
  static constexpr std::array<Dimension, count> dimensions = [] {
    std::array<Dimension, count> all{};
    for (int i = 0; i < count; ++i)
      all[static_cast<std::size_t>(i)] = i < 3 || i >= 3 + turns ? Dimension::length : Dimension::angle;
    return all;
  }();
  /// What is typical of eta depends on the curve: see `measures`.
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"eta", "", Measure{}}, {"s", "m", Measure::length()}}};

  static constexpr std::array<RowSparsity, count> sparsity = [] {
    std::array<RowSparsity, count> all{};
    for (int i = 0; i < count; ++i)
      all[static_cast<std::size_t>(i)] = i < 3           ? RowSparsity::of_displacement(i, 1U, 1U)
                                         : i < 3 + turns ? RowSparsity::of_rotation(1U)
                                                         : RowSparsity::of_coordinates(3U, 1U);
    return all;
  }();

  explicit SlidingJoint(Track track)
      : track_(std::move(track)),
        pieces_(*track_.curve, rough_breaks(*track_.curve, turns > 0 ? track_.frame.get() : nullptr)) {}
  const Track& track() const { return track_; }
  /// Of the coordinates.
  std::array<Measure, 2> measures() const {
    return {Measure::nominal(track_.curve->last() - track_.curve->first()), Measure::length()};
  }

  void terms(const RelativeState<2>& x, bool second, typename Base::Terms& out) const {
    const double eta = x.c[0];
    CurvePoint c;
    track_.curve->evaluate(eta, 2, c);
    out.C.template head<3>() = x.p_AB_A - c.d[0];
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

  void evaluate(const LocalState& x, LocalSystem& out) const {
    Base::evaluate(x, out);
    if (out.request.bias) hold_piece(x, out);
  }

  void begin(const LocalState& x, const Begin& how) {
    Base::begin(x, how);
    this->history().last = motion(x);
  }

  Review review(const LocalState& x, const StepInfo& step) {
    if (const Review branch = Base::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
    if (const Review piece = pieces_.review(this->history().piece, x.value(coordinates())[0]);
        piece.verdict != Review::Verdict::keep)
      return piece;
    if (track_.at_end == AtEnd::stop) return Review::keep();  // EndStops hold it
    const EndOfStep now = motion(x);
    const double beyond = track_.range.beyond(now.value);
    if (!(beyond > 0)) return Review::keep();
    const double end = now.value > track_.range.to ? track_.range.to : track_.range.from;
    if (track_.at_end == AtEnd::inactive) return leave_at(this->history().last, now, end, step);
    const double tiny = 1e-9 * track_.curve->length();
    if (beyond <= tiny) return Review::keep();
    // The kernel adds the time.
    throw Error(
        fmt::format("the slider runs off the end of curve '{}' at s = {:.6g} m, with {:.4g} m/s; with `ends: "
                    "stop` it would be held there, with `ends: inactive` the joint would become inactive",
                    track_.name, end, now.rate));
  }

  void commit(const LocalState& x, const StepInfo& step) {
    Base::commit(x, step);
    this->history().last = motion(x);
    pieces_.commit(this->history().piece, x.value(coordinates())[0]);
  }

  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const {
    Base::outputs(x, contributions, sink);
    MarkerMotion A;
    this->site().A.evaluate(x, 0, MotionLevel::pose, A);
    const double eta = x.value(coordinates())[0];
    const Vec3 t = TangentAlong(*track_.curve, eta).v;
    const Vec3 lambda = Eigen::Map<const Vec3>(x.value(coordinates() + 1));
    sink.vector("tangent", "1", A.R_WM * t);
    sink.scalar("curvature", "1/m", track_.curve->curvature(eta));
    sink.scalar("normal_force", "N", ForceAcross(lambda, t).value());
  }

  /// A sleeve along the curve.
  void draw_glyph(const Glyph& glyph, const RelativeState<2>& x) const {
    const Vec3 t = TangentAlong(*track_.curve, x.c[0]).v.normalized();
    const Vec3 to_B = x.p_AB_A / glyph.size();
    if (t.allFinite()) glyph.tube(glyph.A, to_B - 0.35 * t, to_B + 0.35 * t, 0.2);
    if constexpr (turns > 0) {
      const std::array<Vec3, 2> hand{Vec3(0.2, 0, 0), Vec3(0.45, 0, 0)};
      glyph.line(glyph.B, hand);
    }
  }

 private:
  /// Columns of the moving frame and of B whose product vanishes.
  static constexpr std::array<std::pair<int, int>, 3> pairs =
      turns == 2 ? std::array<std::pair<int, int>, 3>{{{0, 2}, {1, 2}, {0, 0}}}
                 : std::array<std::pair<int, int>, 3>{{{1, 2}, {2, 0}, {0, 1}}};

  /// Turns the bias, found with second derivatives at eta, into that with those of the piece held.
  void hold_piece(const LocalState& x, LocalSystem& out) const {
    const double eta = x.value(coordinates())[0], rate = x.rate(coordinates())[0];
    const HeldPiece& piece = this->history().piece;
    if (piece.holds(eta)) return;
    const double held = piece.inside(eta);
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

  Track track_;
  CurvePieces pieces_;
};

}  // namespace trammel::curve_sliding
