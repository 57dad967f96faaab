#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/constraint_rank.hpp"

namespace trammel {

/// Follows closed loops of constraints through a stage: leaves out equations that repeat others, keeps the multipliers
/// of least norm, and tells of singular configurations. Collective.
class LoopWatch {
 public:
  LoopWatch(Assembler& assembler, double length)
      : assembler_(assembler), rank_(assembler, length), length_(length) {}

  /// Finds the rank at `state` and leaves out what repeats. A line in words for each entity that does.
  std::vector<std::string> begin(const State& state);
  /// After the statuses of rows changed. What changed, in words.
  std::string follow_switches(const State& state, std::span<const RowSwitch> rows);
  /// Whether matrices made before the last call of a function that leaves out other equations are invalid.
  bool pattern_changed() const { return pattern_changed_; }
  /// After stencils moved.
  void revise() { rank_.revise(); }
  bool leaves_out() const { return !assembler_.left_out().empty(); }
  /// How far an equation that was left out may be open [m or rad].
  double allowed() const;
  /// Finds the rank anew; false where the same equations repeat.
  bool find_anew(const State& state);
  /// Takes the multipliers of least norm at the state where the rank was found last.
  void settle(State& state) const { rank_.least_norm(state); }
  /// At an accepted state: takes the multipliers of least norm; a message where the loops came close to a singular
  /// configuration, else empty.
  std::string follow(State& state);
  std::string in_words() const;

  /// Writes or reads what it knows; rows that are left out are the assembler's.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank_, small_, before_, last_, widest_, last_time_);
  }

 private:
  void take(const State& state);
  void leave_out_dependent();

  Assembler& assembler_;
  ConstraintRank rank_;
  double length_;
  bool pattern_changed_ = false;
  bool small_ = false;  ///< the loops are small enough to be looked at after each step
  double before_ = 1, last_ = 1, widest_ = 0;
  double last_time_ = 0;
};

}  // namespace trammel
