#pragma once

#include <functional>
#include <optional>
#include <string>

#include "solvers/run/energy_ledger.hpp"
#include "solvers/run/energy_sources.hpp"
#include "trammel/error.hpp"

namespace trammel {

/// The run ends because energy without a source appeared. The same on every rank.
class EnergyError : public Error {
 public:
  using Error::Error;
};

/// Monitors the energy balance of a dynamic stage: logs a warning if the energy without a source exceeds the
/// fraction `noted` of the largest energy of the motion, and ends the run beyond `stops`, unless the stage says
/// otherwise. Every function is collective.
class EnergyGuard {
 public:
  static constexpr double noted = 0.05, stops = 0.2;

  /// `note` takes lines for the log.
  EnergyGuard(Assembler& assembler, const EnergyLedger& ledger, const DynamicStage& stage,
              std::function<void(const std::string&)> note);

  /// Whether a converged step of size h to `trial` leaves the gain below what ends the run. Collective.
  bool allows(const State& trial, double h) const;
  /// Call after the ledger has included a step of size h from `before` to `state`. Without `before`, because the layout of states
  /// changed, the step is not attributed to entities. Returns the message of the EnergyError that must end the run, or nothing.
  std::optional<std::string> judge(const State* before, const State& state, double h);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(policy_, noted_, sources_);
  }

 private:
  /// "joint 'rod' (distance)".
  std::string name(int entity) const;
  std::string in_words(const State& state, double h) const;
  void name_silent();

  Assembler& assembler_;
  const EnergyLedger& ledger_;
  const DynamicStage& stage_;
  std::function<void(const std::string&)> note_;
  DynamicStage::EnergyPolicy policy_;
  EnergySources sources_;
  bool noted_ = false;  ///< in this stage
};

}  // namespace trammel
