#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/constraints/constraint_rank.hpp"

namespace trammel {

/// Monitors the closed loops of constraints during a stage: removes redundant equations, replaces multipliers by
/// those of least norm, and reports singular configurations. Collective.
class RedundancyMonitor {
 public:
  /// `before_change` is called before other equations are removed.
  RedundancyMonitor(Assembler& assembler, double length, std::function<void()> before_change)
      : assembler_(assembler),
        rank_(assembler, length),
        length_(length),
        before_change_(std::move(before_change)) {}

  /// Finds the rank at `state` and removes redundant equations. Returns a line for the log for each entity with
  /// redundant equations.
  std::vector<std::string> begin(const State& state);
  /// Call after a change of the statuses of rows. `active_before`: rows that were active already, and
  /// whose equations are others now. Returns a line for the log, or an empty text.
  std::string follow_switches(const State& state, std::span<const RowSwitch> rows,
                              const std::set<ConstraintRow>& active_before = {});
  /// Whether matrices made before the last call of a function that removes other equations are invalid.
  bool pattern_changed() const { return pattern_changed_; }
  /// After stencils moved.
  void revise() { rank_.revise(); }
  bool has_redundant() const { return !assembler_.redundant_rows().empty(); }
  /// The largest allowed violation of a redundant equation [m or rad].
  double allowed() const;
  /// Finds the rank anew; false where the same equations are redundant.
  bool find_anew(const State& state);
  /// Takes the multipliers of least norm at the state where the rank was found last.
  void take_least_norm(State& state) { rank_.least_norm(state); }
  /// At an accepted state: takes the multipliers of least norm. Returns a message if the loops came close to a
  /// singular configuration, otherwise an empty text. Without redundant equations, and far from such a configuration, up to nine states
  /// are passed over.
  std::string follow(State& state);
  /// After `follow`: removes other equations where those that remain have come close to depend on each other. False
  /// where the same equations stay removed.
  bool exchange();
  std::string in_words() const;

  /// Writes or reads what it knows; redundant rows are the assembler's.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank_, small_, before_, last_, widest_, last_time_, change_, to_pass_, passed_);
  }

 private:
  void take(const State& state);
  void remove(std::vector<ConstraintRow> rows);

  Assembler& assembler_;
  ConstraintRank rank_;
  double length_;
  std::function<void()> before_change_;
  bool pattern_changed_ = false;
  bool small_ = false;  ///< the loops are small enough to be looked at after each step
  double before_ = 1, last_ = 1, widest_ = 0;
  double last_time_ = 0;
  double change_ = 0;             ///< of the least pivot in a step
  int to_pass_ = 0, passed_ = 0;  ///< steps that need no look, and those since the last look
};

}  // namespace trammel
