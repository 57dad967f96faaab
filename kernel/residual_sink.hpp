#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/range_sink.hpp"

namespace trammel {

/// Takes residual contributions by offset, with the chosen equations in the rows of multipliers.
class ResidualSink final : public RangeSink {
 public:
  ResidualSink(ConstraintLevel level, bool stabilizing, const RowStatuses& statuses, std::vector<double>& r,
               std::vector<double>& rates, FieldScales& fields)
      : level_(level),
        stabilizing_(stabilizing),
        statuses_(statuses),
        r_(r),
        rates_(rates),
        fields_(fields) {}

  void add(int i, LocalSystem& contribution) override {
    double* const numbers = contribution.residual().data();
    const BlockOffset* place = plan_->offset_of[static_cast<std::size_t>(i)];
    for (const StencilBlock& b : plan_->stencil(i)) {
      double* const rows = numbers + b.offset;
      if (is_multiplier(b.kind) && level_ != ConstraintLevel::position) differentiate(i, b, contribution);
      double* const to = r_.data() + place->dof;
      double largest = 0;
      if (b.size == 3) {
        // Read before anything is written: for the compiler `to` may lie anywhere.
        const double r0 = rows[0], r1 = rows[1], r2 = rows[2];
        to[0] += r0;
        to[1] += r1;
        to[2] += r2;
        largest = std::max(std::max(std::abs(r0), std::abs(r1)), std::abs(r2));
      } else {
        for (int j = 0; j < b.size; ++j) {
          to[j] += rows[j];
          largest = std::max(largest, std::abs(rows[j]));
        }
      }
      if (b.nominal != nullptr) largest = largest_of_nominal(b, Eigen::Map<Eigen::VectorXd>(rows, b.size));
      double& field = fields_.contribution[static_cast<std::size_t>(b.kind)];
      if (largest > field) field = largest;
      if (stabilizing_ && b.kind == BlockKind::multiplier && contribution.has_rate())
        for (int j = 0; j < b.size; ++j)
          rates_[static_cast<std::size_t>(place->dof + j)] += contribution.rate()[b.offset + j];
      ++place;
    }
    evaluated = i + 1;
  }

 private:
  /// Puts the chosen equations into the rows of a multiplier.
  void differentiate(int i, const StencilBlock& b, LocalSystem& contribution) const {
    double* const rows = contribution.residual().data() + b.offset;
    if (level_ == ConstraintLevel::velocity) {
      if (b.kind == BlockKind::multiplier) std::copy_n(contribution.rate().data() + b.offset, b.size, rows);
      return;
    }
    const bool position = b.kind == BlockKind::multiplier;
    if (!position && b.may_rest && statuses_.of(b.id, 0) == RowStatus::slips) return;
    Eigen::Map<Eigen::VectorXd>(rows, b.size) = at_acceleration_level(
        plan_->stencil(i), plan_->offset_of[static_cast<std::size_t>(i)], *state_, b,
        contribution.bias().segment(b.offset, b.size), position ? contribution.K() : contribution.D());
  }

  /// The largest of forces on coordinates; on a nominal one by what it does along its size.
  static double largest_of_nominal(const StencilBlock& b, const Eigen::Ref<const Eigen::VectorXd>& forces) {
    double largest = 0;
    for (int j = 0; j < b.size; ++j) {
      const Measure& measure = b.nominal[j].measure;
      const double size = measure.dimension == Dimension::nominal ? measure.size : 1.0;
      largest = std::max(largest, std::abs(forces[j]) * size);
    }
    return largest;
  }

  ConstraintLevel level_;
  bool stabilizing_;
  const RowStatuses& statuses_;
  std::vector<double>&r_, &rates_;
  FieldScales& fields_;
};

}  // namespace trammel
