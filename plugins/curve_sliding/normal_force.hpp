#pragma once

#include <memory>

#include "trammel/curve.hpp"
#include "trammel/signal.hpp"

namespace trammel::curve_sliding {

/// The force that presses slider and curve together, |lambda - (lambda . t) t| [N]: what friction on s multiplies.
/// Blocks: [eta, s], the multipliers of the joint, of which the first three are lambda in axes of A.
class NormalForce final : public Signal {
 public:
  NormalForce(std::shared_ptr<const Curve> curve, BlockId coordinates, BlockId multipliers,
              int multiplier_count)
      : curve_(std::move(curve)), blocks_{coordinates, multipliers}, width_(2 + multiplier_count) {}

  std::string unit() const override { return "N"; }
  std::vector<BlockId> blocks() const override { return {blocks_.begin(), blocks_.end()}; }
  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override;

 private:
  std::shared_ptr<const Curve> curve_;
  std::array<BlockId, 2> blocks_;
  int width_;
};

}  // namespace trammel::curve_sliding
