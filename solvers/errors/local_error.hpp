#pragma once

#include <vector>

#include "kernel/layout.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// The local error of one step, for the blocks with rates that this rank owns, in the order of the layout, which
/// does not change with the pattern. In the units of the blocks.
struct LocalError {
  std::vector<double>
      displacement;              ///< of positions, rotations (body frame), coordinates and first-order states
  std::vector<double> velocity;  ///< of kinematic blocks
  /// Of displacements: what the polynomials of DenseOutput miss inside the step. Zero where `knows_between`, which all ranks have
  /// alike, is false.
  std::vector<double> between;
  bool knows_between = false;
  /// Whether what they leave in fast vibrations is taken out of both.
  bool without_vibrations = false;
  /// Then: of a vibration of the frequency W the part 1/(1 + W^2/c_a) remained [1/s^2].
  double c_a = 0;
  /// Then: what was taken, as displacements; and the displacements of these vibrations at the end of the step, where they were looked
  /// at, else empty.
  std::vector<double> vibrating, vibration;
  /// Displacements over h^3 v'', and velocities over h^3 v'''.
  double of_jerk = 0, of_snap = 0;
};

/// Calls use(block, its place) for the blocks that have a place in the vectors of a LocalError.
template <class Use>
void each_with_error(const Layout& layout, Use&& use) {
  std::size_t place = 0;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !has_rate(u.kind)) continue;
    use(u, place);
    place += at(u.size);
  }
}

}  // namespace trammel
