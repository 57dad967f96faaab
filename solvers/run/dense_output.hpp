#pragma once

#include "kernel/layout.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// The motion inside one step, from the states at its ends.
///
/// Positions, coordinates and first-order states are cubic Hermite polynomials of the values and rates at both
/// ends, velocities those of velocities and accelerations. A rotation is R_n exp(x~) with a cubic x(t) from 0 to
/// the increment of the step,
/// whose slopes are w_n and T(x)^-1 w_{n+1}. Accelerations, rates of states, multipliers and algebraic unknowns are linear.
/// Errors are of order h^4 in positions and velocities, h^2 in the rest.
class DenseStep {
 public:
  /// Both states, of this layout, must outlive it.
  DenseStep(const Layout& layout, const State& begin, const State& end)
      : layout_(layout), begin_(begin), end_(end) {}

  double begin() const { return begin_.time; }
  double end() const { return end_.time; }
  /// The state at `time` between the ends [s].
  State at(double time) const;

 private:
  const Layout& layout_;
  const State& begin_;
  const State& end_;
};

}  // namespace trammel
