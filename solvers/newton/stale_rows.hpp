#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"
#include "solvers/newton/block_runs.hpp"
#include "solvers/newton/numbers_after_frames.hpp"

namespace trammel {

/// Finds the rows of a kept tangent that are stale: those that no longer are the derivatives of their equations. Of the residual that an
/// increment by the tangent leaves, each row is, to first order, the error of this row of the tangent times the increment. Where few rows
/// are stale, because little of a large model turns or touches something new, they alone are assembled and factorized again.
class StaleRows {
 public:
  /// Of a row, by kind of block.
  using Limits = std::array<double, block_kinds>;

  /// Unknowns of a rank on average. Rows of smaller models are not followed: there a whole tangent costs next to nothing.
  static constexpr int least_unknowns = 3000;
  /// Part of a rank's rows up to which they are few.
  static constexpr double few = 0.1;
  static bool follows(const Layout& layout) {
    return !layout.stabilized() && layout.global_size() / layout.ranks() >= least_unknowns;
  }

  /// Looks at a residual f that an increment has left: rows of this rank with numbers beyond these limits are stale. Numbers of rows of
  /// constraints, states and coordinates are multiplied by those of `of_row` before.
  void look_at(const double* f, const Layout& layout, std::span<const BlockRun> runs,
               const NumbersAfterFrames& of_row, const Limits& most);
  /// The same for a residual that may be one of rounding errors: too many rows are no more than those found before.
  void look_again(const double* f, const Layout& layout, std::span<const BlockRun> runs,
                  const NumbersAfterFrames& of_row, const Limits& most);
  /// None is stale.
  void clear();

  /// The part of its columns that this rank had to find again when they were last renewed.
  void cost(double part, const Layout& layout);
  /// What this rank has to tell others of its rows; becomes the maximum of the ranks where these exchange numbers.
  std::span<double> to_tell(const Layout& layout);
  /// Whether there are some, and on no rank more than few, so that to renew them is cheap beside the whole; on several ranks as last told.
  bool are_few() const { return told_[0] > 0 && told_[0] <= 1; }
  /// The largest `cost` of the ranks, on several as last told.
  double cost() const { return told_[1]; }
  void forget_cost() { cost_ = told_[1] = 0; }
  /// What the assembler has to do for them; valid until the next call, or change of the pattern. Adds the rows of constraints whose bodies'
  /// rows are stale: their own residuals may be lost in the rounding errors of positions. Collective.
  RenewedRows renewed(Assembler& assembler);
  /// The numbers of this rank's, ascending.
  std::vector<int> numbers(const Layout& layout) const;

 private:
  bool are_few_here(const Layout& layout) const;
  bool too_many(const Layout& layout) const;
  /// Owners of rows tell other ranks which are stale; before, if `from_ghosts`, these tell the owners what they have found.
  void exchange(const Layout& layout, bool from_ghosts);
  void mark(const UnknownBlock& block, int unknown);
  void look_at_frames(const double* f, std::span<const UnknownBlock> unknowns, const BlockRun& run,
                      const Limits& most);
  /// Of blocks [first, last) of one kind, whose numbers lie without gaps.
  void look_at_numbers(const double* f, std::span<const UnknownBlock> unknowns, int first, int last,
                       const NumbersAfterFrames& of_row, const Limits& most);

  std::vector<char> stale_;  ///< by unknown; empty where none is
  int rows_ = 0;
  double cost_ = 0;
  std::array<double, 2> told_{};  ///< rows, over how many are few; and `cost`
  std::vector<std::vector<InstanceRun>> instances_;
};

}  // namespace trammel
