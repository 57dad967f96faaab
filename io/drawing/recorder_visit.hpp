#pragma once

#include <new>
#include <span>
#include <string>
#include <vector>

#include "io/process/recorder_ranks.hpp"
#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"
#include "kernel/plugin_call.hpp"
#include "solvers/reactions/joint_reactions.hpp"

namespace trammel {

/// Stores the first exception of a visitor of instances, as a text that names the entity. After it no further
/// instance is visited.
class VisitFault {
 public:
  template <class Visit>
  void guard(const Assembler& assembler, int entity, const Visit& visit) {
    if (!text_.empty()) return;
    try {
      visit();
    } catch (const std::bad_alloc&) {
      keep(assembler, entity, "out of memory");
    } catch (const std::exception& e) {
      keep(assembler, entity, e.what());
    } catch (...) {
      keep(assembler, entity, "something was thrown that is no exception");
    }
  }
  const std::string& text() const { return text_; }

 private:
  void keep(const Assembler& assembler, int number, const std::string& what) {
    const Entity& entity = assembler.model().entities[static_cast<std::size_t>(number)];
    const std::string place = entity.where.text();
    text_ = (place.empty() ? "" : place + ": ") + entity.category + " '" + entity.name + "' (" + entity.type +
            "), while it is recorded: " + what;
  }

  std::string text_;
};

/// Calls `visitor(range, instance, local state, contributions to reactions)` for this rank's instances of the `wanted` entities. What it
/// throws is left in `fault`.
template <class Visitor>
void visit_wanted(const Assembler& assembler, const JointReactions& reactions, const State& state,
                  std::span<const char> wanted, const Visitor& visitor, VisitFault& fault) {
  for (const RangePlan& plan : assembler.plans()) {
    int i = 0;
    const PluginCall call(assembler.model(), *plan.range, i);
    for (const int own : plan.instances) {
      i = own;
      const int entity = plan.range->entity(i);
      if (wanted[static_cast<std::size_t>(entity)] == 0) continue;
      fault.guard(assembler, entity, [&] {
        visitor(*plan.range, i, LocalState(state, plan.offset_of[static_cast<std::size_t>(i)]),
                reactions.of(plan, i));
      });
    }
  }
}

/// The same for all instances, with the reactions at `state`. If the visitor throws on any rank, all ranks throw one Error that names the
/// entity. Collective.
template <class Visitor>
void visit_together(Assembler& assembler, const State& state, const Visitor& visitor) {
  JointReactions reactions(assembler);
  reactions.update(state);
  const std::vector<char> all(assembler.model().entities.size(), 1);
  VisitFault fault;
  visit_wanted(assembler, reactions, state, all, visitor, fault);
  agree_on_errors(assembler.layout().comm(), fault.text());
}

}  // namespace trammel
