#pragma once

#include <map>
#include <string>
#include <vector>

#include "solvers/constraint_rank.hpp"
#include "solvers/release_watch.hpp"

namespace trammel {

/// Follows closed loops of constraints through a stage: leaves out equations that repeat others, keeps the multipliers
/// of least norm, and tells of singular configurations. Collective.
class LoopWatch {
 public:
  LoopWatch(Assembler& assembler, double length)
      : assembler_(assembler), rank_(assembler, length), releases_(assembler), length_(length) {}

  /// Finds the rank at `state` and leaves out what repeats. A line in words for each entity that does.
  std::vector<std::string> begin(const State& state);
  /// Whether joints hold at `state` that did not when the rank was found, or the other way round.
  bool status_changed(const State& state);
  /// Finds the rank anew after that. Matrices made before are invalid afterwards. What changed, in words.
  std::string renew(const State& state);
  /// Joints that hold since then and did not before: entities with their multipliers.
  const std::map<int, std::vector<BlockId>>& activated() const { return activated_; }
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

 private:
  void take(const State& state);

  Assembler& assembler_;
  ConstraintRank rank_;
  ReleaseWatch releases_;
  std::vector<ConstraintRow> released_;  ///< when the rank was found
  double length_;
  std::map<int, std::vector<BlockId>> activated_;
  bool small_ = false;  ///< the loops are small enough to be looked at after each step
  double before_ = 1, last_ = 1, widest_ = 0;
  double last_time_ = 0;
};

}  // namespace trammel
