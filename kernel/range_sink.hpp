#pragma once

#include "kernel/instance_plan.hpp"

namespace trammel {

/// Takes contributions range by range.
class RangeSink : public ContributionSink {
 public:
  void begin(const RangePlan& plan, const State& state) {
    plan_ = &plan;
    state_ = &state;
    evaluated = 0;
  }

  int evaluated = 0;  ///< number of the instance that is evaluated, or comes next

 protected:
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
};

}  // namespace trammel
