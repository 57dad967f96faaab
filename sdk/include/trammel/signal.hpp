#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/marker.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// Value and derivatives of a signal at one state. Derivatives are in the order of the signal's blocks.
struct SignalValue {
  double value = 0;
  double rate = 0;                 ///< first time derivative; NaN if unknown
  double second_rate = 0;          ///< second time derivative; NaN if unknown
  Eigen::VectorXd gradient;        ///< by the increments of the blocks, including states and multipliers
  Eigen::MatrixXd second;          ///< derivative of the gradient by the increments; empty if unknown
  Eigen::VectorXd by_rate;         ///< by the rates of the blocks; empty means zero
  Eigen::VectorXd by_second_rate;  ///< by the second rates of the blocks; empty means zero
  Reserved<4> reserved{};

  /// A reader of `by_rate` and `by_second_rate` calls this before each evaluation.
  void forget_rates() {
    by_rate.resize(0);
    by_second_rate.resize(0);
  }
};

/// A named scalar function of blocks: the coordinate of a joint, a distance, a reaction, an energy, time. Sensors, couplings,
/// functions and events read the model through signals only. The stencil of a reader includes the signal's blocks. A signal in a
/// force may depend on rates. A signal in a constraint needs `second` and both rates.
class TRAMMEL_API Signal {
 public:
  virtual ~Signal() = default;
  virtual std::string unit() const = 0;
  virtual std::vector<BlockId> blocks() const = 0;
  /// Evaluates at x, in which the signal's blocks begin at index `first`. `derivatives` requests the gradient and the second
  /// derivative.
  virtual void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const = 0;
  /// The value alone, the same as that of `evaluate`. To be overridden where it costs less: residuals of forces ask for it.
  virtual double value_at(const LocalState& x, int first) const;
};

/// Component i of a coordinate, state or multiplier block.
TRAMMEL_API std::shared_ptr<const Signal> component_signal(BlockId block, BlockKind kind, int size,
                                                           int component, std::string unit);
/// Component of the position of marker B relative to marker A, in A's axes [m].
TRAMMEL_API std::shared_ptr<const Signal> position_signal(Marker a, Marker b, int component);
/// Component of the velocity of marker B relative to marker A. Components 0 to 2: the velocity of B's origin as seen from A, in A's
/// axes [m/s]. Components 3 to 5: the relative angular velocity, in B's axes [rad/s]. Its second rate is unknown.
TRAMMEL_API std::shared_ptr<const Signal> velocity_signal(Marker a, Marker b, int component);
/// Distance between the origins of two markers [m].
TRAMMEL_API std::shared_ptr<const Signal> distance_signal(Marker a, Marker b);
/// Time [s].
TRAMMEL_API std::shared_ptr<const Signal> time_signal();

}  // namespace trammel
