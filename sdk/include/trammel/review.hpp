#pragma once

#include <optional>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/reserved.hpp"
#include "trammel/row_status.hpp"

namespace trammel {

/// What an instance says of a converged step. Reviews are merged over all ranks; anything but `keep` is answered by
/// solving the step again, a limited number of times.
struct Review {
  enum class Verdict { keep, changed, cut };

  Verdict verdict = Verdict::keep;
  /// With `cut`: the time inside the step at which the event lies.
  double cut_time = 0;
  /// With `cut`: what all rows of the instance's own do from then on. Next to the step's begin they do so at the begin, and
  /// the motion restarts there.
  std::optional<RowStatus> rows;
  /// The blocks that the instance reads from now on: a new revision of the layout.
  std::optional<std::vector<BlockId>> new_stencil;
  Reserved<4> reserved{};

  static Review keep() { return {}; }
  static Review changed() { return {Verdict::changed, 0, {}, {}}; }
  static Review cut(double time) { return {Verdict::cut, time, {}, {}}; }
  static Review switch_rows(double time, RowStatus status) { return {Verdict::cut, time, status, {}}; }
  static Review move(std::vector<BlockId> stencil, bool solve_again) {
    return {solve_again ? Verdict::changed : Verdict::keep, 0, {}, std::move(stencil)};
  }
};

}  // namespace trammel
