#pragma once

#include <array>
#include <vector>

#include "solvers/petsc_owned.hpp"
#include "trammel/assembler.hpp"

namespace trammel {

/// Whether the equations of motion change at one state, where instances commit an event: a joint lets go or begins to
/// hold, a force sets in. A stop that is met changes nothing, since its force is continuous. Collective.
class ForceJump {
 public:
  /// Takes the residual before the change; the constraints at acceleration level.
  ForceJump(Assembler& assembler, const State& state);
  /// Whether it is another one now, by more than a millionth of the largest share of its kind; of a coordinate,
  /// of its kind or of bodies.
  bool at(const State& state);

 private:
  std::vector<double> residual(const State& state);
  double scale(const UnknownBlock& u) const;

  Assembler& assembler_;
  OwnedVec r_;
  std::array<double, 6> scale_{};  ///< by kind of block
  std::vector<double> before_;
};

}  // namespace trammel
