#pragma once

#include <string>
#include <vector>

#include "kernel/start_rows.hpp"
#include "solvers/consistent_start.hpp"

namespace trammel {

/// The initial values and rates of coordinates that a case gives: equations that hold while a start is made. Collective.
class StartValues {
 public:
  explicit StartValues(ModelHistory& history);

  bool any(StartPhase phase) const;
  /// Moves `state`, whose joints are closed, until the coordinates have their values: on the way of the joints, by moves of
  /// moderate size. Throws Error where they contradict each other or the joints, or cannot be reached.
  void assemble(State& state, const ModelScales& scales, const AssembleStage& options, Timings& timings);
  /// The mass-weighted least change of velocities with which the rates and all constraints hold. Gives the kinetic energy
  /// that it adds [J].
  double velocities(State& state, const ModelScales& scales, Timings& timings);

 private:
  /// Lets the equations of a phase hold while it lives, and leaves out those that repeat others.
  class Hold;
  /// Strain energy of bodies, by entity [J].
  std::vector<double> strain(const State& state) const;
  /// Throws Error where a body is strained more than before.
  void require_unstrained(const std::vector<double>& before, const State& state,
                          const ModelScales& scales) const;
  bool is_condition(int entity) const { return of_condition_[static_cast<std::size_t>(entity)] != 0; }

  ModelHistory& history_;
  Assembler& assembler_;
  std::vector<StartConditions*> conditions_;  ///< of this rank
  std::vector<signed char> of_condition_;     ///< by entity
};

}  // namespace trammel
