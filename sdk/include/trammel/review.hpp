#pragma once

#include <optional>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/reserved.hpp"
#include "trammel/row_status.hpp"

namespace trammel {

/// The answer of an element to `review`, after Newton's method has converged on a step. The answers of all elements on all ranks
/// are merged into one decision; the earliest event counts. See docs/life_of_a_step.md.
///
/// `keep`: the step may be accepted. `changed`: the element has changed its trial history; the same step is solved again with it, at
/// most 20 times. `cut`: the step is rejected and repeated so that it ends at `cut_time`.
struct Review {
  enum class Verdict { keep, changed, cut };

  Verdict verdict = Verdict::keep;
  /// With `cut`: the time inside the step at which the event lies.
  double cut_time = 0;
  /// With `cut`: the status of all rows of this element from that time on. If the time is close to the start of the step, the
  /// rows change at the start, and the motion restarts there.
  std::optional<RowStatus> rows;
  /// The new stencil: the blocks that the element reads from now on. The kernel then renews ghost blocks and sparsity pattern.
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
