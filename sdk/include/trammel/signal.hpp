#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/marker.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// Value of a signal at one state; derivatives in the order of the signal's blocks.
struct SignalValue {
  double value = 0;
  double rate = 0;                 ///< d/dt; not a number where the signal does not know it
  double second_rate = 0;          ///< d2/dt2; not a number where the signal does not know it
  Eigen::VectorXd gradient;        ///< along the increments of the blocks, states and multipliers among them
  Eigen::MatrixXd second;          ///< derivative of the gradient along the increments; of no size: not known
  Eigen::VectorXd by_rate;         ///< by the rates of the blocks; of no size: 0
  Eigen::VectorXd by_second_rate;  ///< by the second rates of the blocks; of no size: 0
  Reserved<4> reserved{};

  /// To be called before an evaluation by who reads `by_rate` and `by_second_rate`.
  void forget_rates() {
    by_rate.resize(0);
    by_second_rate.resize(0);
  }
};

/// A named scalar function of blocks: a joint coordinate, a distance, a reaction, an energy, time. Sensors, couplings,
/// functions and events read signals only, and a reader's stencil takes the signal's blocks along. What a force reads may
/// depend on rates; what a constraint holds needs `second` and both rates.
class TRAMMEL_API Signal {
 public:
  virtual ~Signal() = default;
  virtual std::string unit() const = 0;
  virtual std::vector<BlockId> blocks() const = 0;
  /// Evaluates at x, where the signal's blocks stand from index `first` on; `derivatives` asks for the gradient and
  /// the second derivative.
  virtual void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const = 0;
};

/// Component i of a coordinate, state or multiplier block.
TRAMMEL_API std::shared_ptr<const Signal> component_signal(BlockId block, BlockKind kind, int size,
                                                           int component, std::string unit);
/// Component of the position of marker B from marker A, in A's axes [m].
TRAMMEL_API std::shared_ptr<const Signal> position_signal(Marker a, Marker b, int component);
/// Component of the velocity of marker B as seen from marker A, in A's axes: of its origin [m/s] for 0 to 2, its angular
/// velocity in B's axes [rad/s] for 3 to 5. It knows no second rate.
TRAMMEL_API std::shared_ptr<const Signal> velocity_signal(Marker a, Marker b, int component);
/// Distance between the origins of two markers [m].
TRAMMEL_API std::shared_ptr<const Signal> distance_signal(Marker a, Marker b);
/// Time [s].
TRAMMEL_API std::shared_ptr<const Signal> time_signal();

}  // namespace trammel
