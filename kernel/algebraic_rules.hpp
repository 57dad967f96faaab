#pragma once

#include <vector>

#include "kernel/instance_plan.hpp"

namespace trammel {

/// Throws Error if the tangents of an instance violate the rules of algebraic unknowns (see
/// trammel/algebraic_rules.hpp).
class AlgebraicRulesSink final : public ContributionSink {
 public:
  explicit AlgebraicRulesSink(const Model& model) : model_(model) {}

  void begin(const RangePlan& plan) {
    plan_ = &plan;
    evaluated = 0;
  }
  void add(int i, LocalSystem& contribution) override;

  int evaluated = 0;

 private:
  const Model& model_;
  const RangePlan* plan_ = nullptr;
  std::vector<const Block*> blocks_;
};

/// `state` with all values that this rank knows changed by random amounts of moderate size. Only for the inspection
/// of derivatives.
State disturbed(const Model& model, const Layout& layout, State state, double model_length, unsigned seed);

}  // namespace trammel
