#pragma once

#include <optional>
#include <vector>

#include "trammel/assembler.hpp"

namespace trammel {

/// Which constraints hold at a state, of those that may be released or activated in a run: rows that equal their
/// multiplier stand for none. Each instance is evaluated alone, so that the rest of the model costs nothing.
class ReleaseWatch {
 public:
  /// Finds who may change: instances in which some multiplier couples with itself. Collective.
  explicit ReleaseWatch(Assembler& assembler);

  /// Whether there is any, on any rank.
  bool needed() const { return needed_; }
  /// The rows that hold nothing, of all ranks and the same on each, in order. Nothing where an instance refuses the state
  /// (RejectStep): the next evaluation of the whole model tells why. Throws Error on every rank where an instance throws
  /// anything else. Collective.
  std::optional<std::vector<ConstraintRow>> released(const State& state) const;

 private:
  struct Candidate {
    const ElementRange* range = nullptr;
    int instance = 0;
  };

  Assembler& assembler_;
  std::vector<Candidate> candidates_;  ///< of this rank
  bool needed_ = false;
};

}  // namespace trammel
