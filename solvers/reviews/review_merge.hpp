#pragma once

#include <mpi.h>

#include <limits>
#include <map>
#include <span>

#include "kernel/assembler.hpp"
#include "kernel/collective_errors.hpp"
#include "kernel/instance_plan.hpp"
#include "solvers/reviews/merged_review.hpp"

namespace trammel {

/// Merges what instances answer to a converged step, first on this rank and then over all.
class ReviewMerge {
 public:
  explicit ReviewMerge(const StepInfo& step) : step_(step) {}

  void add(const Review& answer, int entity);
  /// `fault`: of the instances on this rank that were asked. Collective.
  MergedReview over_ranks(Assembler& assembler, LocalFault& fault) const;

 private:
  struct Earliest {
    double time = std::numeric_limits<double>::infinity();
    int entity = std::numeric_limits<int>::max();
  };
  std::vector<RowSwitch> rows_of(std::span<const RangePlan> plans, const std::map<int, RowStatus>& entities,
                                 MPI_Comm comm) const;

  StepInfo step_;
  bool changed_ = false, new_stencil_ = false, event_ = false;
  int who_changed_ = std::numeric_limits<int>::max();
  Earliest inside_;
  std::map<int, RowStatus> at_begin_, at_end_;  ///< by entity
};

}  // namespace trammel
