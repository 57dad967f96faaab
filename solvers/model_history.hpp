#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/activity_review.hpp"
#include "solvers/law_review.hpp"
#include "solvers/merged_review.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// An instance: of its entity's instances of one type, which one.
struct InstanceName {
  int entity = -1;
  std::string type;  ///< and its plugin
  int ordinal = 0;

  void serialize(Archive& archive) { archive(entity, type, ordinal); }
  friend auto operator<=>(const InstanceName&, const InstanceName&) = default;
};

/// Stencils and histories, as the instances write them.
using InstanceHistories = std::map<InstanceName, std::vector<std::byte>>;

/// What the instances, rows and joints of a model remember from step to step, and what they ask for after a step has
/// converged: it decides which rows are active, and tells the assembler.
///
/// Every public function is collective, and fails as those of Assembler do.
class ModelHistory {
 public:
  explicit ModelHistory(Assembler& assembler)
      : assembler_(assembler), laws_(assembler.model(), assembler.row_states()) {}
  ModelHistory(const ModelHistory&) = delete;
  ModelHistory& operator=(const ModelHistory&) = delete;

  Assembler& assembler() const { return assembler_; }

  /// For the laws of rows: the model's length, and the number of steps for which the signs of multipliers mean nothing yet
  /// (the start-up transient of index 3).
  void scale_laws(double length, int transient);
  /// Tells every instance that it begins at `state`, and sets the statuses of joints that a function of time switches, and
  /// where a stage begins those of unilateral rows by their gaps.
  void begin(State& state, const Begin& how);
  /// Lets rows do something else from `state` on, whose multipliers of inactive rows become zero, and whose coordinates that
  /// only inactive rows determine come to rest. The same rows on every rank. Instances that become active are told, and
  /// what holds them must be closed: Error otherwise.
  void switch_rows(std::span<const RowSwitch> rows, State& state, const Begin& how);
  /// At a state with consistent velocities, accelerations and multipliers: switches the rows whose laws ask for it at once.
  /// Where it changes anything, accelerations and multipliers are to be found again.
  LawChange settle_laws(State& state, const Begin& how);

  /// Asks every instance, the laws of rows and the activities of joints. New stencils are already set in the ranges when
  /// `new_stencil` is true; call Layout::revise and Assembler::revise then, and make matrices anew.
  MergedReview review(const State& state, const StepInfo& step);
  void commit(const State& state, const StepInfo& step);
  /// Takes what reviews changed back to the last commit: the step is given up or cut. True where stencils moved back: then
  /// call Layout::revise and Assembler::revise, and make matrices anew.
  bool reject();

  /// Writes what instances, rows and joints remember of the last commit, that of the whole model on rank 0, or reads this rank's
  /// part of it. After reading, Assembler::revise and then `begin` with Begin::Why::restore.
  void serialize(Archive& rows, InstanceHistories& instances);
  /// Reads what was saved of instances of another model: those that have something to read, and could have come to the stencil
  /// that was saved. Others stay as they are.
  void transfer(const InstanceHistories& instances);

 private:
  /// Finds the rows with laws where the assembler was revised.
  void follow_pattern();
  bool laws_matter();
  /// Reads the rows with laws at `state`, where they have been evaluated before.
  void read_laws(const State& state, bool accelerations = false);
  /// The next step begins from `state`.
  void remember_laws(const State& state);
  StepInfo info_of(const RangePlan& plan, int i, const StepInfo& step) const;
  void require_statics(const RangePlan& plan, int i) const;
  void hold(std::vector<BlockId> blocks, std::vector<BlockId> let_go, State& state);
  void broadcast_coordinates(const std::vector<BlockId>& blocks, State& state) const;
  void write(InstanceHistories& all) const;
  void read(const InstanceHistories& all, bool of_another_model) const;

  Assembler& assembler_;
  LawReview laws_;
  ActivityReview activities_;
  int pattern_ = -1;  ///< of the assembler, that the laws were found in
};

}  // namespace trammel
