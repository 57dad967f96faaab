#pragma once

#include <optional>
#include <vector>

#include "trammel/block.hpp"

namespace trammel {

/// What an instance says of a converged step. Reviews are merged over all ranks; anything but `keep` is answered by
/// solving the step again, a limited number of times.
struct Review {
  enum class Verdict { keep, changed, cut };

  Verdict verdict = Verdict::keep;
  /// With `cut`: the time inside the step at which the event lies.
  double cut_time = 0;
  /// The blocks that the instance reads from now on: a new revision of the layout.
  std::optional<std::vector<BlockId>> new_stencil;

  static Review keep() { return {}; }
  static Review changed() { return {Verdict::changed, 0, {}}; }
  static Review cut(double time) { return {Verdict::cut, time, {}}; }
  static Review move(std::vector<BlockId> stencil, bool solve_again) {
    return {solve_again ? Verdict::changed : Verdict::keep, 0, std::move(stencil)};
  }
};

}  // namespace trammel
