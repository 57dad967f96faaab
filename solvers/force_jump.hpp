#pragma once

#include <array>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/convergence.hpp"
#include "solvers/petsc_owned.hpp"

namespace trammel {

/// Whether the equations of motion change at one state, where instances commit an event: a joint becomes inactive or
/// active, a force sets in. A stop that is met changes nothing, since its force is continuous. Collective.
class ForceJump {
 public:
  /// Takes the residual before the change; the constraints at acceleration level.
  ForceJump(Assembler& assembler, const State& state);
  /// Whether it is another one now, by more than a millionth of the largest contribution of its kind; of a coordinate,
  /// of its kind or of bodies; of a state, of the largest rate, each over the size of its state; of an algebraic equation, of
  /// its own size.
  bool at(const State& state);

 private:
  std::vector<double> residual(const State& state);
  double size(const UnknownBlock& state_block, int k, const State& state) const;
  double scale(const UnknownBlock& u, int k, const State& state, const AlgebraicSizes& algebraic) const;

  Assembler& assembler_;
  OwnedVec r_;
  std::array<double, block_kinds> scale_{};  ///< by kind of block
  double state_scale_ = 0;                   ///< [1/s]
  std::vector<double> before_;
};

}  // namespace trammel
