#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/reviews/activity_review.hpp"
#include "solvers/reviews/law_review.hpp"
#include "solvers/reviews/merged_review.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// The name of an instance: the entity, the C++ type, and the number among the entity's instances of this type.
struct InstanceName {
  int entity = -1;
  std::string type;  ///< and its plugin
  int ordinal = 0;

  void serialize(Archive& archive) { archive(entity, type, ordinal); }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes what the compiler writes here for a pointer
  friend auto operator<=>(const InstanceName&, const InstanceName&) = default;
};

/// Serialized stencils and histories of instances.
using InstanceHistories = std::map<InstanceName, std::vector<std::byte>>;

/// The histories of the instances, rows and joints of a model, and their requests after a step has converged.
/// Decides which rows are active, and tells the assembler.
///
/// Every public function is collective, and fails as those of Assembler do.
class ModelHistory {
 public:
  explicit ModelHistory(Assembler& assembler)
      : assembler_(assembler), laws_(assembler.model(), assembler.row_states()) {}
  ModelHistory(const ModelHistory&) = delete;
  ModelHistory& operator=(const ModelHistory&) = delete;

  Assembler& assembler() const { return assembler_; }
  /// `tell` is called before instances change, and before the pattern or the layout does. It may be collective.
  void tell_before_changes(std::function<void()> tell) { tell_ = std::move(tell); }
  /// Call before a change of the pattern or layout that no function of this class asks for.
  void before_change() const {
    if (tell_) tell_();
  }

  /// For the laws of rows: the model's length, and the number of steps for which the signs of multipliers mean nothing yet
  /// (the start-up transient of index 3).
  void scale_laws(double length, int transient);
  /// Tells every instance that it begins at `state`, and sets the statuses of joints that a function of time switches, and
  /// where a stage begins those of unilateral rows by their gaps.
  void begin(State& state, const Begin& how);
  /// Switches the status of rows from `state` on; the same rows on every rank. In `state` the multipliers of
  /// inactive rows become zero, and coordinates that only inactive rows determine come to rest. Calls `begin` of
  /// instances that become active; throws Error if their equations are not satisfied.
  void switch_rows(std::span<const RowSwitch> rows, State& state, const Begin& how);
  /// At a state with consistent velocities, accelerations and multipliers: switches the rows whose laws request it.
  /// If anything changes, the caller must compute accelerations and multipliers again.
  LawChange settle_laws(State& state, const Begin& how);

  /// Calls `review` of every instance, and checks the laws of rows and the activities of joints. If `new_stencil`
  /// is true, the ranges have new stencils already: call Layout::revise and Assembler::revise, and create matrices
  /// again.
  MergedReview review(const State& state, const StepInfo& step);
  /// Tells every instance that `state` ends a step. Not collective: what an instance throws is stored in `fault`. When the ranks have
  /// agreed on it, call `committed`.
  void commit(const State& state, const StepInfo& step, LocalFault& fault);
  void committed(const State& state);
  /// Restores the histories of the last commit, because the step is rejected or shortened. True if stencils changed
  /// back: then call Layout::revise and Assembler::revise, and create matrices again.
  bool reject();

  /// Writes the committed histories of instances, rows and joints (those of the whole model on rank 0), or reads
  /// this rank's part of them. After reading call Assembler::revise, then `begin` with Begin::Why::restore.
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
  std::function<void()> tell_;
  LawReview laws_;
  ActivityReview activities_;
  int pattern_ = -1;  ///< of the assembler, that the laws were found in
  // On some rank:
  bool reviews_ = true;       ///< an instance has a review
  bool steps_change_ = true;  ///< reviews or commits may change an instance
};

}  // namespace trammel
