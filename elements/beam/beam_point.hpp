#pragma once

#include "helicoid.hpp"
#include "trammel/marker.hpp"

namespace trammel::beam {

/// The marker at a material point of one element, X = X_1 exp(xi h) with h = log(X_1^-1 X_2): the helicoid
/// between the triads of the element's nodes, so that pose and strain agree with the element's own.
///
/// With a coordinate block, xi = (coordinate - s_1) / length varies; beyond the element the helicoid is extended.
class BeamPoint final : public MarkerShape {
 public:
  /// At the fraction xi of the element between two frames.
  BeamPoint(const Frame& first, const Frame& second, double xi);
  /// At the arc length that `coordinate` holds [m]; `s_first` is the arc length of the first frame.
  BeamPoint(const Frame& first, const Frame& second, BlockId coordinate, double s_first, double length);

  std::vector<BlockId> blocks() const override;
  void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const override;
  void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const override;

 private:
  bool moving() const { return coordinate_ != no_block; }
  int dofs() const { return moving() ? 13 : 12; }
  double xi(const LocalState& x, int first) const;

  Frame first_, second_;
  BlockId coordinate_ = no_block;
  double xi_ = 0;
  double s_first_ = 0;
  double length_ = 1;
};

}  // namespace trammel::beam
