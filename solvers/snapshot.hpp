#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "solvers/model_history.hpp"
#include "solvers/monitor.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// Everything that a run needs to continue from an accepted state, for the whole model, by block and entity, so
/// that it can be read on any number of ranks: the fields of the state, the histories of elements, and the data of
/// the stage and its steps. Without factorizations.
struct SnapshotContents {
  int stage = 0;             ///< index of the present stage
  bool stage_ended = false;  ///< the stage is complete
  double time = 0;           ///< [s]
  /// Of blocks with unknowns: value, then the fields by dof (State::fields_by_dof).
  std::map<BlockId, std::vector<double>> blocks;
  InstanceHistories histories;
  std::vector<std::byte> rows;  ///< statuses of rows, what laws remember, redundant rows
  std::vector<std::byte> run;   ///< written by the stage and its loop

  void serialize(Archive& archive) { archive(stage, stage_ended, time, blocks, histories, rows, run); }
};

/// A snapshot. Complete on rank 0 when a run has taken it, and on every rank when a run continues from it.
class Snapshot {
 public:
  static constexpr int version = 4;

  Snapshot() = default;
  explicit Snapshot(SnapshotContents contents) : contents_(std::move(contents)) {}

  /// Complete on rank 0 alone where a run has just taken it.
  const SnapshotContents& contents() const { return contents_; }
  int stage() const { return contents_.stage; }
  /// Writes, or reads; Error where what is read is of another version.
  void serialize(Archive& archive);

 private:
  friend class StageRun;
  friend class StepLoop;

  /// Collective.
  void take(const StepReport& report, const State& state, ModelHistory& history);
  /// Restores the histories of instances, rows and joints, and the stencils of instances. Throws Error if the model
  /// has other instances.
  void restore_histories(ModelHistory& history) const;
  /// Renews the layout for those stencils, and gives the state in it. Collective.
  State restore_state(const Model& model, Layout& layout) const;

  SnapshotContents contents_;
};

}  // namespace trammel
