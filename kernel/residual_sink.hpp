#pragma once

#include <algorithm>
#include <cmath>
#include <span>
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
    LocalSystem* const one = &contribution;
    add_together(i, {&one, 1});
  }

  void add_together(int first, std::span<LocalSystem* const> contributions) override {
    Frame of_frames = of_frames_;
    for (LocalSystem* const contribution : contributions) take(first++, *contribution, of_frames);
    of_frames_ = of_frames;
    evaluated = first;
  }

  /// Enters the largest contributions into the scales, after the last one.
  void end() {
    enter(BlockKind::position, of_frames_.head<3>().maxCoeff());
    enter(BlockKind::rotation, of_frames_.tail<3>().maxCoeff());
    enter(BlockKind::multiplier, of_multipliers_);
  }

 private:
  /// A position and its rotation; sizes of six numbers at once cost less than those of two blocks.
  using Frame = Eigen::Array<double, 6, 1>;

  // Inline, so that the sizes stay in registers from one instance to the next.
  [[gnu::always_inline]] void take(int i, LocalSystem& contribution, Frame& of_frames) {
    const auto blocks = plan_->shape(i);
    if (blocks.data() != shape_.data() || blocks.size() != shape_.size()) look_at(blocks);
    const BlockOffset* place = plan_->offset_of[at(i)];
    const double* rows = contribution.residual().data();
    for (int k = 0; k < frames_; ++k, rows += 6, place += 2) {
      const Frame forces = Eigen::Map<const Frame>(rows);
      Eigen::Map<Frame>(r_ + place->dof) += forces;
      of_frames = of_frames.max(forces.abs());
    }
    for (const StencilBlock& b : others_) {
      const int dof = (place++)->dof;
      if (b.kind != BlockKind::multiplier || stabilizing_ || level_ == ConstraintLevel::acceleration)
        add_block(i, b, dof, contribution);
      else
        add_constraints(b, dof, contribution);
    }
  }

  [[gnu::noinline]] void look_at(std::span<const StencilBlock> blocks) {
    shape_ = others_ = blocks;
    for (frames_ = 0; others_.size() > 1 && others_[0].begins_frame && others_[0].offset == 6 * frames_;
         ++frames_)
      others_ = others_.subspan(2);
  }

  /// Of positions, or their rates: then `other_` takes the positions.
  [[gnu::always_inline]] void add_constraints(const StencilBlock& b, int dof, LocalSystem& contribution) {
    const double* rows = contribution.residual().data() + b.offset;
    if (level_ == ConstraintLevel::velocity) {
      for (int j = 0; j < b.size; ++j) other_[at(dof + j)] = rows[j];
      rows = contribution.rate().data() + b.offset;
    }
    const auto add = [&]<class Rows>(const Rows& its) {
      Eigen::Map<typename Rows::PlainObject>(r_ + dof, its.size()) += its;
      of_multipliers_ = std::max(of_multipliers_, its.abs().maxCoeff());
    };
    b.size == 3 ? add(Eigen::Array3d::ConstMapType(rows)) : add(Eigen::ArrayXd::ConstMapType(rows, b.size));
  }

  void enter(BlockKind kind, double largest) {
    double& field = fields_.contribution[at(static_cast<int>(kind))];
    if (largest > field) field = largest;
  }

  [[gnu::noinline]] void add_block(int i, const StencilBlock& b, int dof, LocalSystem& contribution) {
    if (is_multiplier(b.kind) && level_ == ConstraintLevel::acceleration) differentiate(i, b, contribution);
    const bool rates = b.kind == BlockKind::multiplier && level_ == ConstraintLevel::velocity;
    const double* const rows = (rates ? contribution.rate() : contribution.residual()).data() + b.offset;
    const Row* const nominal = b.nominal();
    double largest = 0, *const to = r_ + dof;
    for (int j = 0; j < b.size; ++j) {
      to[j] += rows[j];
      largest =
          std::max(largest, nominal == nullptr ? std::abs(rows[j]) : measured(rows[j], nominal[j].measure));
    }
    enter(b.kind, largest);
    if (stabilizing_ && b.kind == BlockKind::multiplier && contribution.has_rate())
      for (int j = 0; j < b.size; ++j) other_[at(dof + j)] += contribution.rate()[b.offset + j];
  }

  /// Puts the equations of accelerations into the rows of a multiplier.
  void differentiate(int i, const StencilBlock& b, LocalSystem& contribution) const {
    double* const rows = contribution.residual().data() + b.offset;
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
  double of_multipliers_ = 0;
  std::span<const StencilBlock> shape_, others_;  ///< of the last instance: `frames_`, and then others
  int frames_ = 0;
};

}  // namespace trammel
