#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/range_sink.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// Combines K, D and M of each instance by the solver's weights and adds them to the matrix's entries, whose pattern has a slot for
/// each row of each block.
class TangentSink final : public RangeSink {
 public:
  TangentSink(const TangentWeights& weights, const RowStatuses& statuses, const MatrixPattern& pattern,
              PetscScalar* entries, const std::vector<double>& kept)
      : weights_(weights), statuses_(statuses), slots_(pattern.slots()), entries_(entries), kept_(kept) {}

  void add(int i, LocalSystem& contribution) override;
  std::span<const char> rows;  ///< by unknown: whether its rows are added to; empty: all are

 private:
  /// A block of numbers, by columns.
  struct Small {
    /// Makes it a block of zeros.
    void clear(int rows_now, int columns_now) {
      rows = rows_now, columns = columns_now;
      numbers.assign(at(rows * columns), 0.0);
      number = numbers.data();
    }
    double* number = nullptr;
    int rows = 0, columns = 0;
    std::vector<double> numbers;
  };

  /// What the tangent of one instance is to know of a block of its stencil.
  struct Seen {
    /// What turns the columns of a block into those of its root, where something does: of K, and of D and M.
    const Mat3 *increment, *rate;
    bool multiplier;
    /// Its pairs with others like it need no more than weights: numbers which nothing scales or replaces, and turns but T.
    bool plain;
    Mat3 turned_increment, turned_rate;
  };
  void look_at(std::span<const StencilBlock> blocks);
  /// Adds the weighted sum of the tangents' parts of two plain blocks, not both multipliers.
  void add_plain(LocalSystem& from, const StencilBlock& row, const StencilBlock& column, const Mat3* T,
                 double wK, const PetscInt* slot);
  /// The same for blocks of any sizes.
  void add_plain_of_any_size(LocalSystem& from, const StencilBlock& row, const StencilBlock& column,
                             const Mat3* T, double wK, const PetscInt* slot);
  static void take(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column,
                   const Mat3* right, Small& out);
  /// Adds `weight` times what `take` takes.
  static void add_part(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column,
                       const Mat3* right, double weight, Small& sum);
  /// Adds the derivative of B a + bias by the velocity of block `k` of instance i, times weights_.bias_rate.
  void add_bias_rate(int i, std::size_t k, LocalSystem& contribution, const StencilBlock& row,
                     const StencilBlock& column, const Mat3* rate, Small& sum);
  /// Sets to zero, in a block of derivatives of constraint rows by multipliers, the active compliant rows.
  void drop_compliance(const StencilBlock& row, Small& block) const;
  /// Scales the rows and columns of algebraic unknowns, or sets them to zero.
  void fit_algebraic(const StencilBlock& row, const StencilBlock& column, Small& block) const;
  /// Adds `scale` times a block of numbers by columns, as large as `size`; returns the slot after its own.
  const PetscInt* add_block(const PetscInt* slot, const double* number, const Small& size,
                            double scale) const;
  double row_scale(const StencilBlock& b) const { return weights_.row[at(static_cast<int>(b.kind))]; }
  double column_scale(const StencilBlock& b) const { return weights_.column[at(static_cast<int>(b.kind))]; }

  const TangentWeights& weights_;
  const RowStatuses& statuses_;
  const PetscInt* slots_;
  PetscScalar* entries_;
  const std::vector<double>& kept_;
  std::vector<Seen> seen_;                    ///< by stencil block
  Small stiffness_, part_, sum_, rate_part_;  ///< room that is used again
};

/// Stores B^T of position constraints, block by block, for the corrections of the stabilized form.
class GradientSink final : public RangeSink {
 public:
  explicit GradientSink(std::vector<double>& kept) : kept_(kept) {}

  void add(int i, LocalSystem& contribution) override;

 private:
  std::vector<double>& kept_;
};

}  // namespace trammel
