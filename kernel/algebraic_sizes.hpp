#pragma once

#include <span>
#include <vector>

#include "kernel/range_sink.hpp"

namespace trammel {

/// Sums of the magnitudes of dg/dx in the rows of algebraic unknowns, by Layout local offset: of this rank's instances.
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

  std::vector<double> by_algebraic;  ///< over algebraic unknowns, each times its size
  std::vector<double> by_others;     ///< over all else, each times its size
  std::vector<double> rounding;      ///< over all, each times its value and the rounding of one

 private:
  const Model& model_;
  std::span<const UnknownBlock> unknowns_;
  double model_length_;
};

}  // namespace trammel
