#pragma once

#include <optional>
#include <vector>

#include "trammel/row_status.hpp"

namespace trammel {

/// Merged answer of all instances on all ranks to a converged step; the same on every rank.
struct MergedReview {
  bool solve_again = false;
  std::optional<double> cut_time;  ///< inside the step
  bool new_stencil = false;
  bool rejected = false;  ///< an instance refuses the state (RejectStep)
  bool event = false;     ///< the step ends where an instance asked for it to be cut
  /// Switches of rows when the step is accepted (`at_end`), or at its start, in which case the trial is rejected
  /// (`at_begin`).
  std::vector<RowSwitch> at_end, at_begin;
  /// The entity that requests the earliest end of the step, or else that requests another solution; -1: none.
  int asker = -1;
};

}  // namespace trammel
