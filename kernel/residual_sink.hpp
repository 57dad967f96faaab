#pragma once

#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"

namespace trammel {

/// Takes residual contributions by offset, with the chosen equations in the rows of multipliers.
class ResidualSink final : public ContributionSink {
 public:
  ResidualSink(ConstraintLevel level, bool stabilizing, const RowStatuses& statuses, std::vector<double>& r,
               std::vector<double>& rates, FieldScales& fields)
      : level_(level),
        stabilizing_(stabilizing),
        statuses_(statuses),
        r_(r),
        rates_(rates),
        fields_(fields) {}

  void begin(const RangePlan& plan, const State& state) {
    plan_ = &plan;
    state_ = &state;
    evaluated = 0;
  }
  void add(int i, LocalSystem& contribution) override;

  int evaluated = 0;

 private:
  /// Puts the chosen equations into the rows of a multiplier.
  void differentiate(int i, const StencilBlock& b, LocalSystem& contribution) const;

  ConstraintLevel level_;
  bool stabilizing_;
  const RowStatuses& statuses_;
  std::vector<double>&r_, &rates_;
  FieldScales& fields_;
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
};

}  // namespace trammel
