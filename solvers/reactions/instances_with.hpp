#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernel/instance_plan.hpp"

namespace trammel {

/// By range: the instances of this rank of which `has(block)` holds for a block of their stencil.
template <class Has>
std::vector<std::vector<InstanceRun>> instances_with(std::span<const RangePlan> plans, Has&& has) {
  std::vector<std::vector<InstanceRun>> all;
  for (const RangePlan& plan : plans) {
    std::vector<InstanceRun>& its = all.emplace_back();
    for (const InstanceRun& run : plan.runs)
      for (int i = run.first; i < run.last; ++i)
        if (std::ranges::any_of(plan.stencil(i), has)) append(its, i, run.special);
  }
  return all;
}

}  // namespace trammel
