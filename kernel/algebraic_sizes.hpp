#pragma once

#include <span>
#include <vector>

#include "kernel/range_sink.hpp"

namespace trammel {

/// Sums of |dg/dx| over the variables x, for each row g of an algebraic unknown, from the instances of this rank.
/// The arrays are indexed by local offset (Layout).
class AlgebraicSizesSink final : public RangeSink {
 public:
  AlgebraicSizesSink(const Model& model, std::span<const UnknownBlock> unknowns, std::size_t local_size,
                     double model_length)
      : by_algebraic(local_size, 0.0),
        by_others(local_size, 0.0),
        rounding(local_size, 0.0),
        model_(model),
        unknowns_(unknowns),
        model_length_(model_length) {}

  void add(int i, LocalSystem& contribution) override;

  std::vector<double> by_algebraic;  ///< over the algebraic unknowns, each term times the size of its unknown
  std::vector<double> by_others;     ///< over all other variables, each term times the size of its variable
  /// Over all variables, each term times the value of its variable and the rounding unit.
  std::vector<double> rounding;

 private:
  const Model& model_;
  std::span<const UnknownBlock> unknowns_;
  double model_length_;
};

}  // namespace trammel
