#pragma once

#include "components.hpp"
#include "trammel/element.hpp"
#include "trammel/marker.hpp"

namespace trammel::load {

/// How the three components are meant.
struct MarkerLoadOptions {
  bool moment = false;    ///< a moment [N m] rather than a force [N]
  bool follower = false;  ///< components in the marker's axes rather than in the world's
  double weight = 1;      ///< factor of the components: a length where they are given by length
};

/// A force at a marker's origin or a moment at a marker. Stencil: the marker's blocks, then those of the signals that
/// the components read.
///
/// With the marker's variation J dq and the wrench w (force in world components, moment in marker components):
/// r = -J^T w, K = -d(J^T w)/dq at fixed w - J^T dw/dq.
class MarkerLoad {
 public:
  MarkerLoad(Marker at, Components components, const MarkerLoadOptions& options)
      : at_(std::move(at)),
        components_(std::move(components)),
        options_(options),
        marker_blocks_(at_.block_count()) {}

  std::vector<BlockId> stencil() const;
  bool couples(int row, int) const { return row < marker_blocks_; }
  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  Vec3 in_world(const LocalState& x, const Mat3& R_WM) const;
  bool conservative() const { return !options_.moment && !options_.follower && components_.is_constant(); }

  Marker at_;
  Components components_;
  MarkerLoadOptions options_;
  int marker_blocks_;
};

}  // namespace trammel::load
