#include "track.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::beam_sliding {

namespace {

struct Ends {
  Pose X_1;
  Vec6 h, twist_1, twist_2;  ///< twists in section axes

  Ends(const Track& track, int piece, const Builder& builder) {
    const int k = track.piece(piece).node;
    const InitialMotion a = builder.initial(Marker::on_frame(track.node(k)));
    const InitialMotion b = builder.initial(Marker::on_frame(track.node(k + 1)));
    X_1 = {a.R_WM, a.p_WM};
    h = se3::log(X_1.inverse() * Pose{b.R_WM, b.p_WM});
    twist_1 << a.R_WM.transpose() * a.twist.head<3>(), a.twist.tail<3>();
    twist_2 << b.R_WM.transpose() * b.twist.head<3>(), b.twist.tail<3>();
  }
};

TrackPoint point_of(const Track& track, int piece, const Ends& ends, double s) {
  const Track::Piece& p = track.piece(piece);
  const double length = p.s_last - p.s_first;
  const double xi = (s - p.s_first) / length;
  const Vec6 along = xi * ends.h;
  const Pose Y = se3::exp(along);
  const Vec6 h_rate = se3::T_inverse(ends.h) * ends.twist_2 - se3::T_inverse(Vec6(-ends.h)) * ends.twist_1;
  TrackPoint point;
  point.s = s;
  point.X = ends.X_1 * Y;
  point.twist = se3::Ad_inverse(Y) * ends.twist_1 + xi * (se3::T(along) * h_rate);
  point.tangent = point.X.R * ends.h.head<3>() / length;
  return point;
}

/// The point of one piece nearest to p, by Newton's method on the squared distance, kept inside.
TrackPoint nearest_of_piece(const Track& track, int piece, const Vec3& p, const Builder& builder) {
  const Track::Piece& at = track.piece(piece);
  const Ends ends(track, piece, builder);
  double s = 0.5 * (at.s_first + at.s_last);
  for (int iteration = 0; iteration < 30; ++iteration) {
    const TrackPoint c = point_of(track, piece, ends, s);
    const Vec3 to = p - c.X.p;
    const Vec3 turn = c.X.R * ends.h.tail<3>() / (at.s_last - at.s_first);
    const double slope = c.tangent.squaredNorm() - to.dot(turn.cross(c.tangent));
    const double step = to.dot(c.tangent) / std::max(slope, 0.1 * c.tangent.squaredNorm());
    const double next = std::clamp(s + step, at.s_first, at.s_last);
    const bool done = std::abs(next - s) <= 1e-15 * track.length();
    s = next;
    if (done) break;
  }
  TrackPoint c = point_of(track, piece, ends, s);
  c.gap = (p - c.X.p).norm();
  return c;
}

}  // namespace

Corner::Corner(const Mat3& R_WA, const Mat3& R_WB) {
  const Mat3 R_AB = R_WA.transpose() * R_WB;
  bend = std::atan2(R_AB.col(0).tail<2>().norm(), R_AB(0, 0));
  turn = so3::log(R_AB).norm();
}

void Track::add(const ElasticLine& line) {
  const double before = length();
  const auto first = static_cast<int>(nodes_.size());
  parts_.push_back({before, before + line.s.back(), line.sliders});
  nodes_.insert(nodes_.end(), line.nodes.begin(), line.nodes.end());
  for (std::size_t k = 0; k < line.laws.size(); ++k)
    pieces_.push_back(
        {first + static_cast<int>(k), before + line.s[k], before + line.s[k + 1], line.laws[k]});
}

int Track::piece_at(double s) const {
  const auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), s,
                                       [](double at, const Piece& p) { return at < p.s_last; });
  return std::min(static_cast<int>(behind - pieces_.begin()), pieces() - 1);
}

TrackPoint point_at(const Track& track, double s, const Builder& builder) {
  const int piece = track.piece_at(s);
  return point_of(track, piece, Ends(track, piece, builder), s);
}

TrackPoint nearest_point(const Track& track, const Vec3& p, double near, const Builder& builder) {
  const auto node_position = [&](int k) { return builder.initial(Marker::on_frame(track.node(k))).p_WM; };
  TrackPoint best;
  best.gap = std::numeric_limits<double>::infinity();
  for (int i = 0; i < track.pieces(); ++i) {
    const Track::Piece& at = track.piece(i);
    const double length = at.s_last - at.s_first;
    if (near >= 0 && (near < at.s_first - length || near > at.s_last + length)) continue;
    // No point of a piece is farther from its first node than twice its length.
    if ((p - node_position(at.node)).norm() - 2 * length > best.gap) continue;
    const TrackPoint c = nearest_of_piece(track, i, p, builder);
    if (c.gap < best.gap) best = c;
  }
  return best;
}

}  // namespace trammel::beam_sliding
