#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/range_sink.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// Takes residual contributions by offset into `r`, with the chosen equations in the rows of multipliers. `other` takes, in a stabilizing
/// layout, the rates of constraints, and at velocity level the position equations.
class ResidualSink final : public RangeSink {
 public:
  ResidualSink(ConstraintLevel level, bool stabilizing, const RowStatuses& statuses, double* r,
               std::vector<double>& other, FieldScales& fields)
      : level_(level),
        stabilizing_(stabilizing),
        statuses_(statuses),
        r_(r),
        other_(other),
        fields_(fields) {}

  void add(int i, LocalSystem& contribution) override {
    const BlockOffset* place = plan_->offset_of[at(i)];
    const auto blocks = plan_->shape(i);
    for (const StencilBlock *b = blocks.data(), *const end = b + blocks.size(); b != end; ++b, ++place) {
      if (!b->begins_frame) {
        add_block(i, *b, place->dof, contribution);
        continue;
      }
      const Frame forces = Eigen::Map<const Frame>(contribution.residual().data() + b->offset);
      Eigen::Map<Frame>(r_ + place->dof) += forces;
      of_frames_ = of_frames_.max(forces.abs());
      ++b, ++place;
    }
    evaluated = i + 1;
  }

  /// Enters the largest contributions into the scales, after the last one.
  void end() {
    enter(BlockKind::position, of_frames_.head<3>().maxCoeff());
    enter(BlockKind::rotation, of_frames_.tail<3>().maxCoeff());
  }

 private:
  /// A position and its rotation; sizes of six numbers at once cost less than those of two blocks.
  using Frame = Eigen::Array<double, 6, 1>;

  void enter(BlockKind kind, double largest) {
    double& field = fields_.contribution[at(static_cast<int>(kind))];
    if (largest > field) field = largest;
  }

  void add_block(int i, const StencilBlock& b, int dof, LocalSystem& contribution) {
    if (is_multiplier(b.kind) && level_ != ConstraintLevel::position) differentiate(i, b, dof, contribution);
    const double* const rows = contribution.residual().data() + b.offset;
    const Row* const nominal = b.nominal();
    double largest = 0, *const to = r_ + dof;
    const auto add_rows = [&](auto size) {
      for (int j = 0; j < size; ++j) {
        const double row = rows[j];
        to[j] += row;
        largest = std::max(largest, nominal == nullptr ? std::abs(row) : measured(row, nominal[j].measure));
      }
    };
    b.size == 3 ? add_rows(std::integral_constant<int, 3>()) : add_rows(int{b.size});
    enter(b.kind, largest);
    if (stabilizing_ && b.kind == BlockKind::multiplier && contribution.has_rate())
      for (int j = 0; j < b.size; ++j) other_[at(dof + j)] += contribution.rate()[b.offset + j];
  }

  /// Puts the chosen equations into the rows of a multiplier.
  void differentiate(int i, const StencilBlock& b, int dof, LocalSystem& contribution) const {
    double* const rows = contribution.residual().data() + b.offset;
    if (level_ == ConstraintLevel::velocity) {
      if (b.kind != BlockKind::multiplier) return;
      for (int j = 0; const double rate : std::span(contribution.rate().data() + b.offset, at(b.size))) {
        if (!stabilizing_) other_[at(dof + j)] = rows[j];
        rows[j++] = rate;
      }
      return;
    }
    const bool position = b.kind == BlockKind::multiplier;
    if (!position && b.may_rest && statuses_.of(b.id, 0) == RowStatus::slips) return;
    std::copy_n(contribution.bias().data() + b.offset, b.size, rows);
    add_accelerations(plan_->stencil(i), plan_->offset_of[at(i)], *state_, b,
                      position ? contribution.K() : contribution.D(), rows);
  }

  /// A force on a nominal coordinate is measured by what it does along this size.
  static double measured(double force, const Measure& measure) {
    return std::abs(force) * (measure.dimension == Dimension::nominal ? measure.size : 1.0);
  }

  ConstraintLevel level_;
  bool stabilizing_;
  const RowStatuses& statuses_;
  double* r_;
  std::vector<double>& other_;
  FieldScales& fields_;
  Frame of_frames_ = Frame::Zero();
};

}  // namespace trammel
