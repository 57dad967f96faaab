#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "solvers/reviews/model_history.hpp"
#include "solvers/run/monitor.hpp"
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
  /// Of blocks without unknowns of their own, which joints identified with others or with the ground: value, rate and
  /// acceleration. For runs of another model alone.
  std::map<BlockId, std::vector<double>> identified;
  InstanceHistories histories;
  std::vector<std::byte> rows;  ///< statuses of rows, what laws remember, redundant rows
  std::vector<std::byte> run;   ///< written by the stage and its loop

  void serialize(Archive& archive) {
    archive(stage, stage_ended, time, blocks, identified, histories, rows, run);
  }
};

/// A snapshot. Complete on rank 0 when a run has taken it, and on every rank when a run continues from it.
class Snapshot {
 public:
  static constexpr int version = 15;

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
  friend class Simulation;

  /// Collective.
  void take(const StepReport& report, const State& state, ModelHistory& history);
  /// Restores the histories of instances, rows and joints, and the stencils of instances. Throws Error if the model
  /// has other instances.
  void restore_histories(ModelHistory& history) const;
  /// Renews the layout for those stencils, and gives the state in it. Collective.
  State restore_state(const Model& model, Layout& layout) const;
  /// For another model, by whose numbers the contents are: gives rows, instances and blocks what was saved of them, and leaves
  /// the others at their initial values. Throws Error where blocks that are identified now had come apart. Collective.
  State transfer(const Model& model, ModelHistory& history) const;
  void require_together(const Model& model, const Layout& layout, const State& state) const;

  SnapshotContents contents_;
};

}  // namespace trammel
