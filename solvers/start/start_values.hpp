#pragma once

#include <string>
#include <vector>

#include "kernel/start_rows.hpp"
#include "solvers/start/consistent_start.hpp"

namespace trammel {

/// The initial values and rates of coordinates in a case: additional equations during the computation of a start.
/// Collective.
class StartValues {
 public:
  explicit StartValues(ModelHistory& history);

  bool any(StartPhase phase) const;
  /// Moves `state`, whose joints are closed, until the coordinates have their values. The joints stay closed, and
  /// the increments have moderate size. Throws Error if the values contradict each other or the joints, or cannot
  /// be reached.
  void assemble(State& state, const ModelScales& scales, const AssembleStage& options, Timings& timings);
  /// Changes velocities by the mass-weighted smallest amount that satisfies the rates and all constraints. Returns
  /// the kinetic energy that this adds [J].
  double velocities(State& state, const ModelScales& scales, Timings& timings);

 private:
  /// Activates the equations of a phase during its lifetime, without redundant ones.
  class Hold;
  /// Strain energy of bodies, by entity [J].
  std::vector<double> strain(const State& state) const;
  /// Throws Error if a body has more strain energy than before.
  void require_unstrained(const std::vector<double>& before, const State& state,
                          const ModelScales& scales) const;
  bool is_condition(int entity) const { return of_condition_[static_cast<std::size_t>(entity)] != 0; }

  ModelHistory& history_;
  Assembler& assembler_;
  std::vector<StartConditions*> conditions_;  ///< of this rank
  std::vector<signed char> of_condition_;     ///< by entity
};

}  // namespace trammel
