#pragma once

#include <memory>
#include <vector>

#include "applied.hpp"

namespace trammel::load {

/// A point of a quadrature along a beam: arc length and weight [m].
struct WeightedStation {
  double s = 0;
  double weight = 0;
};

/// Gauss points of [from, to], three on each element or part of one, for rising `borders`.
std::vector<WeightedStation> stations_between(const std::vector<double>& borders, double from, double to);

/// The arc length s [m] of a station, as a signal that functions along a beam read.
std::shared_ptr<const Signal> station_signal(double s);

/// One point of a load spread along a beam; it reports nothing by itself.
class SpreadLoad {
 public:
  explicit SpreadLoad(MarkerLoad part) : part_(std::move(part)) {}

  bool couples(int row, int column) const { return part_.couples(row, column); }
  void evaluate(const LocalState& x, LocalSystem& out) const { part_.evaluate(x, out); }
  Energy energy(const LocalState& x) const { return part_.energy(x); }
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const {
    part_.draw(x, contributions, canvas);
  }

 private:
  MarkerLoad part_;
};

}  // namespace trammel::load
