#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "io/drawing/recorder_visit.hpp"
#include "kernel/assembler.hpp"

namespace trammel {

/// A state and the reactions in it, copied, so that instances can be visited there on another thread while the computation
/// continues. Takes no memory from the heap where it did not grow.
class RecordedState {
 public:
  explicit RecordedState(Assembler& assembler) : assembler_(assembler), reactions_(assembler) {}

  /// Throws Error, on all ranks, if an instance rejects the state. Collective.
  void take(const State& state);

  /// Calls `visitor` as visit_together does, on any thread and without MPI. Returns the text of the first exception, "" if there was
  /// none. Until it returns, instances must not change their histories and the layout must not be revised.
  template <class Visitor>
  std::string visit(const Visitor& visitor) const {
    static const ReactionContributions none;
    VisitFault fault;
    std::size_t number = 0;
    auto next = special_.begin();
    for (const RangePlan& plan : assembler_.plans()) {
      int i = 0;
      const PluginCall call(assembler_.model(), *plan.range, i);
      for (const int own : plan.instances) {
        i = own;
        const bool is_special = next != special_.end() && next->first == number++;
        fault.guard(assembler_, plan.range->entity(i), [&] {
          visitor(*plan.range, i, LocalState(state_, plan.offset_of[static_cast<std::size_t>(i)]),
                  is_special ? next->second : none);
        });
        if (is_special) ++next;
      }
    }
    return fault.text();
  }

 private:
  Assembler& assembler_;
  JointReactions reactions_;
  State state_;  ///< what elements read of it
  /// Contributions that are not empty, by the number of the visit, in order.
  std::vector<std::pair<std::size_t, ReactionContributions>> special_;
};

}  // namespace trammel
