#pragma once

#include <petscsystypes.h>

#include <span>
#include <utility>
#include <vector>

#include "instance_plan.hpp"
#include "trammel/assembler.hpp"

namespace trammel {

/// Rows of an instance's position constraints at multipliers of zero.
struct ConstraintRows {
  Eigen::MatrixXd K, rate_gradient;
};

/// Combines K, D and M of each instance by the solver's weights and writes them as matrix entries, in the order of
/// the EntryPattern.
class TangentSink final : public ShareSink {
 public:
  TangentSink(const TangentWeights& weights, std::span<const UnknownBlock> unknowns,
              std::vector<PetscScalar>& entries, const std::vector<double>& kept)
      : weights_(weights), unknowns_(unknowns), entries_(entries), kept_(kept) {}

  /// `rows`: by instance, null where they do not depend on multipliers, and empty where none does.
  void begin(const RangePlan& plan, const State& state, std::vector<const ConstraintRows*> rows) {
    plan_ = &plan;
    state_ = &state;
    rows_ = std::move(rows);
    evaluated = 0;
  }
  void add(int i, LocalSystem& share) override;

  int evaluated = 0;

 private:
  /// Puts rows at multipliers of zero into the share of an instance, but for those of joints that do not hold.
  void take_rows(int i, const ConstraintRows& rows, LocalSystem& share) const;
  /// Whether row `a` of a multiplier is that of a joint which does not hold at present: it is the multiplier.
  bool is_idle(const StencilBlock& row, const BlockPlace& place, int a, LocalSystem& share) const;
  /// A block of at most max_block_size by max_block_size numbers, by columns.
  struct Small {
    double number[max_block_size * max_block_size];
    int rows = 0, columns = 0;
  };

  void take(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column, const Mat3* right,
            Small& out) const;
  void turn_rows(const StencilBlock& row, Small& block) const;
  /// Adds the derivative of B a + bias by the velocity of block `k` of instance i, times weights_.bias_rate.
  void add_bias_rate(int i, std::size_t k, LocalSystem& share, const StencilBlock& row,
                     const StencilBlock& column, const Mat3* rate, Small& sum) const;
  /// Leaves of a block of a constraint's rows by multipliers only the rows of joints that do not hold: the others are
  /// those at multipliers of zero.
  void drop_compliance(int i, std::size_t k, LocalSystem& share, const StencilBlock& row,
                       const StencilBlock& column, Small& block) const;
  PetscScalar* write(PetscScalar* to, const Small& block, double scale) const;
  double row_scale(const StencilBlock& b) const { return weights_.row[static_cast<std::size_t>(b.kind)]; }
  double column_scale(const StencilBlock& b) const {
    return weights_.column[static_cast<std::size_t>(b.kind)];
  }

  const TangentWeights& weights_;
  std::span<const UnknownBlock> unknowns_;
  std::vector<PetscScalar>& entries_;
  const std::vector<double>& kept_;
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
  std::vector<const ConstraintRows*> rows_;
  std::vector<Mat3> increment_, rate_;  ///< by stencil block: what turns a block's columns into its root's
  std::vector<char> has_increment_, has_rate_;
};

/// Stores B^T of position constraints, block by block, for the corrections of the stabilized form.
class GradientSink final : public ShareSink {
 public:
  explicit GradientSink(std::vector<double>& kept) : kept_(kept) {}

  void begin(const RangePlan& plan) {
    plan_ = &plan;
    evaluated = 0;
  }
  void add(int i, LocalSystem& share) override;

  int evaluated = 0;

 private:
  std::vector<double>& kept_;
  const RangePlan* plan_ = nullptr;
};

}  // namespace trammel
