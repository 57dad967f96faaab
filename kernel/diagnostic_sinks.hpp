#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"

/// What looks at the contributions of instances one by one after a solve has failed.

namespace trammel {

/// Remembers which instance contributes most to the rows of one unknown block.
class WorstShareSink final : public ShareSink {
 public:
  WorstShareSink(std::int32_t unknown, int component) : unknown_(unknown), component_(component) {}

  void begin(const RangePlan& plan) {
    plan_ = &plan;
    evaluated = 0;
  }
  void add(int i, LocalSystem& share) override {
    evaluated = i + 1;
    for (const StencilBlock& b : plan_->stencil(i)) {
      if (b.unknown != unknown_) continue;
      double value = std::abs(share.residual()[b.offset + component_]);
      if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
      if (value > largest || entity < 0) {
        largest = value;
        entity = plan_->range->entity(i);
      }
    }
  }

  double largest = -1;
  int entity = -1;
  int evaluated = 0;

 private:
  const RangePlan* plan_ = nullptr;
  std::int32_t unknown_;
  int component_;
};

/// Whether an instance's numbers are finite, those of its tangent by the weights that they get.
class FiniteSink final : public ShareSink {
 public:
  explicit FiniteSink(const TangentWeights& weights) : weights_(weights) {}

  void add(int, LocalSystem& share) override {
    residual = share.residual().allFinite() && (!share.has_rate() || share.rate().allFinite()) &&
               (!share.has_bias() || share.bias().allFinite());
    tangent = (!share.has_K() || (weights_.stiffness * share.K()).allFinite()) &&
              (!share.has_D() || (weights_.damping * share.D()).allFinite()) &&
              (!share.has_M() || (weights_.mass * share.M()).allFinite()) &&
              (!share.has_rate_gradient() || share.rate_gradient().allFinite());
  }

  bool residual = true, tangent = true;

 private:
  const TangentWeights& weights_;
};

}  // namespace trammel
