#pragma once

#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// Attributes energy without a source to entities: for each entity, the energy that it stores and dissipates minus
/// the work done on it. The sum over all entities is the gain of the balance, because their forces are in
/// equilibrium at the end of each step. For a constraint it is the integral of -lambda . (B v + C_t).
class EnergySources {
 public:
  explicit EnergySources(Assembler& assembler) : assembler_(assembler) {}

  /// Adds the step of size h from `before` to `after`. Collective.
  void add(const State& before, const State& after, double h);
  bool empty() const { return gained_.empty(); }

  /// The entity with the largest part [J]; the same on every rank. Collective.
  struct Source {
    int entity = -1;
    double energy = 0;
  };
  Source largest() const;
  /// Entities with instances that report no energy although their forces did more work than `least` [J]; the same
  /// on every rank. Collective.
  std::vector<int> silent(double least) const;

  /// Writes (collective) or reads. Every rank knows a part of each number; after reading, rank 0 the whole.
  void serialize(Archive& archive);

 private:
  struct Account {
    /// By entity. `silent`: power of the forces, without those of multipliers, of instances that report no energy.
    std::vector<double> stored, dissipated_less_work, silent;
  };
  Account account(const State& state) const;
  std::vector<double> over_ranks(std::vector<double> mine) const;

  Assembler& assembler_;
  std::vector<double> gained_, silent_work_;  ///< by entity [J]
};

}  // namespace trammel
