#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "solvers/model_history.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// All that a run needs to go on from an accepted state: on this rank, the fields of the state by block, the histories of
/// elements by entity and type, and the place in the run with all that belongs to it. No factorization.
class Snapshot {
 public:
  static constexpr int version = 3;

  /// Index of the stage that was under way.
  int stage() const { return stage_; }
  /// Writes, or reads; Error where what is read is of another version.
  void serialize(Archive& archive);

 private:
  friend class StageRun;
  friend class StepLoop;

  void take(int stage, const State& state, ModelHistory& history);
  /// Gives instances, rows and joints what they remember, and instances their stencils. Error where they are others.
  void restore_histories(ModelHistory& history) const;
  /// Renews the layout for those stencils, and gives the state in it. Collective.
  State restore_state(const Model& model, Layout& layout) const;

  int stage_ = 0;
  int rank_ = 0, ranks_ = 1;
  double time_ = 0;
  std::map<BlockId, std::vector<double>> blocks_;  ///< owned ones: value, then the fields by dof
  std::vector<std::byte> histories_;               ///< written by the assembler
  std::vector<std::byte> run_;                     ///< written by the stage and its loop
};

}  // namespace trammel
