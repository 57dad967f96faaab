#pragma once

#include <petscsystypes.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"

namespace trammel {

/// Combines K, D and M of each instance by the solver's weights and writes them as matrix entries, in the order of
/// the EntryPattern.
class TangentSink final : public ContributionSink {
 public:
  TangentSink(const TangentWeights& weights, const RowStatuses& statuses, std::vector<PetscScalar>& entries,
              const std::vector<double>& kept)
      : weights_(weights), statuses_(statuses), entries_(entries), kept_(kept) {}

  void begin(const RangePlan& plan, const State& state) {
    plan_ = &plan;
    state_ = &state;
    evaluated = 0;
  }
  void add(int i, LocalSystem& contribution) override;

  int evaluated = 0;

 private:
  /// A dense block of numbers, by columns. Up to inline_block_size by inline_block_size it needs no heap memory.
  class Small {
   public:
    /// Makes it a block of zeros.
    void clear(int rows_now, int columns_now) {
      rows = rows_now;
      columns = columns_now;
      if (rows * columns > few_size) {
        many_.resize(std::max(many_.size(), static_cast<std::size_t>(rows * columns)));
        number = many_.data();
      }
      std::fill_n(number, rows * columns, 0.0);
    }
    Small() = default;
    Small(const Small&) = delete;
    Small& operator=(const Small&) = delete;

    double* number = few_;
    int rows = 0, columns = 0;

   private:
    static constexpr int few_size = inline_block_size * inline_block_size;
    double few_[few_size];
    std::vector<double> many_;
  };

  static void take(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column,
                   const Mat3* right, Small& out);
  /// Adds `weight` times what `take` takes.
  static void add_part(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column,
                       const Mat3* right, double weight, Small& sum);
  void turn_rows(const StencilBlock& row, Small& block) const;
  /// Adds the derivative of B a + bias by the velocity of block `k` of instance i, times weights_.bias_rate.
  void add_bias_rate(int i, std::size_t k, LocalSystem& contribution, const StencilBlock& row,
                     const StencilBlock& column, const Mat3* rate, Small& sum) const;
  /// Sets to zero, in a block of derivatives of constraint rows by multipliers, the active compliant rows.
  void drop_compliance(const StencilBlock& row, Small& block) const;
  /// Scales the rows and columns of algebraic unknowns, or sets them to zero.
  void fit_algebraic(const StencilBlock& row, const StencilBlock& column, Small& block) const;
  PetscScalar* write(PetscScalar* to, const Small& block, double scale) const;
  double row_scale(const StencilBlock& b) const { return weights_.row[static_cast<std::size_t>(b.kind)]; }
  double column_scale(const StencilBlock& b) const {
    return weights_.column[static_cast<std::size_t>(b.kind)];
  }

  const TangentWeights& weights_;
  const RowStatuses& statuses_;
  std::vector<PetscScalar>& entries_;
  const std::vector<double>& kept_;
  const RangePlan* plan_ = nullptr;
  const State* state_ = nullptr;
  /// By stencil block: the matrix that converts its columns to those of its root.
  std::vector<Mat3> increment_, rate_;
  std::vector<char> has_increment_, has_rate_;
};

/// Stores B^T of position constraints, block by block, for the corrections of the stabilized form.
class GradientSink final : public ContributionSink {
 public:
  explicit GradientSink(std::vector<double>& kept) : kept_(kept) {}

  void begin(const RangePlan& plan) {
    plan_ = &plan;
    evaluated = 0;
  }
  void add(int i, LocalSystem& contribution) override;

  int evaluated = 0;

 private:
  std::vector<double>& kept_;
  const RangePlan* plan_ = nullptr;
};

}  // namespace trammel
