#pragma once

#include <array>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/algebraic_sizes.hpp"
#include "solvers/newton/convergence.hpp"

namespace trammel {

/// Whether the equations of motion jump at a state at which instances commit an event: a joint becomes inactive or
/// active, a force sets in. Contact with an elastic stop is no jump, because its force is continuous. Collective.
class ForceJump {
 public:
  /// Evaluates the residual before the change, with the constraints at acceleration level.
  ForceJump(Assembler& assembler, const State& state);
  /// Whether the residual has changed by more than a millionth of a comparison value. This value is the largest
  /// contribution of the same kind; for a coordinate, that of its kind or of bodies; for a state, the largest rate
  /// (rates over the sizes of their states); for an algebraic equation, its own size.
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
