#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/marker.hpp"

namespace trammel {

/// Value of a signal at one state; gradient and second derivative in the order of the signal's blocks.
struct SignalValue {
  double value = 0;
  double rate = 0;         ///< d/dt
  double second_rate = 0;  ///< d2/dt2
  Eigen::VectorXd gradient;
  Eigen::MatrixXd second;  ///< derivative of the gradient along the increments
};

/// A named scalar function of blocks: a joint coordinate, a distance, a multiplier, time. Sensors, couplings,
/// functions and events read signals only, and a reader's stencil takes the signal's blocks along.
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
/// Distance between the origins of two markers [m].
TRAMMEL_API std::shared_ptr<const Signal> distance_signal(Marker a, Marker b);
/// Time [s].
TRAMMEL_API std::shared_ptr<const Signal> time_signal();

}  // namespace trammel
