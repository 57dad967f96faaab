#include "held_piece.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::curve_sliding {

namespace {

constexpr double beside = 1e-9;   // of a span: where derivatives are compared
constexpr double jump = 1e-6;     // of a second derivative, by its size
constexpr double at_end = 1e-10;  // of a piece: how far inside its ends are evaluated
constexpr double same = 1e-9;     // of a piece: what lies beyond an end by less is on it

bool jumps(const Vec3& before, const Vec3& after, double size) {
  return (after - before).norm() > jump * (before.norm() + after.norm() + size);
}

}  // namespace

std::vector<double> rough_breaks(const Curve& curve, const MovingFrame* frame) {
  const std::span<const double> all = curve.breaks();
  const std::size_t n = all.size();
  std::vector<double> rough;
  for (std::size_t i = curve.closed() ? 0 : 1; i + 1 < n; ++i) {
    const double before = all[i] - beside * (i == 0 ? all[n - 1] - all[n - 2] : all[i] - all[i - 1]),
                 after = all[i] + beside * (all[i + 1] - all[i]);
    CurvePoint a, b;
    curve.evaluate(before, 2, a);
    curve.evaluate(after, 2, b);
    const double size = b.d[1].squaredNorm() / curve.length();
    bool is_rough = jumps(a.d[2], b.d[2], size);
    if (frame != nullptr) {
      FrameAlong f, g;
      frame->evaluate(before, f);
      frame->evaluate(after, g);
      const double turn = size / curve.length();
      for (int k = 0; k < 3; ++k) is_rough = is_rough || jumps(f.R2.col(k), g.R2.col(k), turn);
    }
    if (is_rough) rough.push_back(all[i]);
  }
  return rough;
}

CurvePieces::CurvePieces(const Curve& curve, std::vector<double> breaks)
    : breaks_(std::move(breaks)),
      first_(curve.first()),
      period_(curve.closed() ? curve.last() - curve.first() : 0) {}

CurvePiece CurvePieces::piece_at(double eta) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double laps = period_ > 0 ? std::floor((eta - first_) / period_) * period_ : 0;
  const auto next = std::ranges::upper_bound(breaks_, eta - laps);
  CurvePiece piece{-infinity, infinity};
  if (next != breaks_.begin())
    piece.from = laps + *(next - 1);
  else if (period_ > 0)
    piece.from = laps + breaks_.back() - period_;
  if (next != breaks_.end())
    piece.to = laps + *next;
  else if (period_ > 0)
    piece.to = laps + breaks_.front() + period_;
  return piece;
}

double HeldPiece::inside(double eta) const {
  if (!piece) return eta;
  const auto margin = [this](double end) {
    const double size = piece->to - piece->from;
    return at_end * (std::isfinite(size) ? size : 1 + std::abs(end)) + 1e-15 * std::abs(end);
  };
  if (eta < piece->from) return piece->from + margin(piece->from);
  if (eta > piece->to) return piece->to - margin(piece->to);
  return eta;
}

Review CurvePieces::review(HeldPiece& held, double eta) const {
  if (breaks_.empty() || held.holds(eta)) return Review::keep();
  const CurvePiece& piece = *held.piece;
  const bool forward = eta > piece.to;
  const double beyond = forward ? eta - piece.to : piece.from - eta, size = piece.to - piece.from;
  if (beyond <= same * (std::isfinite(size) ? size : 1)) return Review::keep();
  const int direction = forward ? 1 : -1;
  if (held.direction == -direction) return Review::keep();
  held.direction = direction;
  held.piece = piece_at(eta);
  return Review::changed();
}

void CurvePieces::commit(HeldPiece& held, double eta) const {
  if (!held.piece && !breaks_.empty()) held.piece = piece_at(eta);
  held.direction = 0;
}

}  // namespace trammel::curve_sliding
