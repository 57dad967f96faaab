#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/elastic_line.hpp"
#include "trammel/lie.hpp"

namespace trammel::beam_sliding {

/// The largest corner between beams of a track [rad], and at a passage the largest gap, by the track's length.
inline constexpr double corner_tolerance = 1e-5;
inline constexpr double whole_tolerance = 1e-6;

/// Difference of two sections that should coincide: the angle between their normals t1, and that of the whole
/// rotation.
struct Corner {
  double bend = 0, turn = 0;

  Corner(const Mat3& R_WA, const Mat3& R_WB);
};

/// Path of a slider: one beam, or several that follow one another, with one arc length from the start of the first.
class Track {
 public:
  struct Piece {
    int node = 0;  ///< index of its first node; the second is the next one
    double s_first = 0, s_last = 0;
    std::shared_ptr<const ElasticLine::Law> law;
  };

  /// One of the beams, from its start to its end.
  struct Part {
    double from = 0, to = 0;
    std::shared_ptr<std::vector<ElasticLine::Slider>> sliders;
  };

  /// Adds a beam at the end.
  void add(const ElasticLine& line);
  const std::vector<Part>& parts() const { return parts_; }

  double length() const { return pieces_.empty() ? 0 : pieces_.back().s_last; }
  int pieces() const { return static_cast<int>(pieces_.size()); }
  const Piece& piece(int i) const { return pieces_[static_cast<std::size_t>(i)]; }
  const Frame& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  const std::vector<Frame>& nodes() const { return nodes_; }
  /// The piece that holds s; the first or the last one beyond the ends.
  int piece_at(double s) const;

 private:
  std::vector<Frame> nodes_;
  std::vector<Piece> pieces_;
  std::vector<Part> parts_;
};

/// A point of a track, at the start.
struct TrackPoint {
  double s = 0;
  double gap = 0;  ///< from the point sought [m]
  Pose X;          ///< of the section
  Vec6 twist;      ///< at fixed s, in section axes
  Vec3 tangent;    ///< dp/ds, world components
};

/// The point at s.
TrackPoint point_at(const Track& track, double s, const Builder& builder);
/// The point nearest to p; `near`, where not negative, is the arc length to look around.
TrackPoint nearest_point(const Track& track, const Vec3& p, double near, const Builder& builder);

}  // namespace trammel::beam_sliding
