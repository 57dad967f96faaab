#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/collective_errors.hpp"
#include "solvers/ranks/carried_totals.hpp"

namespace trammel {

/// Collects numbers of this rank that one reduction then replaces by those of all ranks, together with the agreement on
/// faults. Whoever adds numbers may read them once `agree` was called.
class RankTotals {
 public:
  LocalFault fault;  ///< of whatever this rank does until then

  /// `numbers` will be the maxima over the ranks. They must stay where they are until then.
  void add_maxima(std::span<double> numbers) { maxima_.push_back(numbers); }
  /// `numbers` will be the sums over the ranks.
  void add_sums(std::span<double> numbers) { sums_.push_back(numbers); }
  /// The totals travel with other messages among all ranks, which `carry` sends, in place of a reduction. At most one.
  void travel_with(std::function<void(const CarriedTotals&)> carry) { carry_ = std::move(carry); }
  /// Makes the totals, and merges the faults of all ranks as Assembler::agree does. Collective.
  bool agree(Assembler& assembler);

 private:
  std::vector<std::span<double>> maxima_, sums_;
  std::function<void(const CarriedTotals&)> carry_;
};

/// Assembler::agree, where `maxima` become the maxima over the ranks too. Collective.
bool agree(Assembler& assembler, const LocalFault& fault, std::span<double> maxima);

}  // namespace trammel
