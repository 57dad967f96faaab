#pragma once

#include <new>
#include <span>
#include <string>

#include "io/process/recorder_ranks.hpp"
#include "kernel/assembler.hpp"
#include "kernel/instance_plan.hpp"
#include "kernel/plugin_call.hpp"

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

/// What an instance is told where its reaction is its multipliers alone.
inline ReactionContributions activity_of(const Assembler& assembler, const RangePlan& plan, int i) {
  const InstanceTraits& traits = plan.traits[static_cast<std::size_t>(i)];
  ReactionContributions contributions;
  if (!traits.may_rest) return contributions;
  contributions.may_rest = traits.first_of_entity;
  contributions.active = !assembler.asleep(plan, i);
  return contributions;
}

/// Calls `visitor(range, instance, local state, contributions to reactions)` for this rank's instances. If it
/// throws on any rank, all ranks throw one Error that names the entity. Collective.
template <class Visitor>
void visit_together(Assembler& assembler, const State& state, const Visitor& visitor) {
  VisitFault fault;
  assembler.visit(state, [&](const ElementRange& range, int i, const LocalState& x,
                             const ReactionContributions& contributions) {
    fault.guard(assembler, range.entity(i), [&] { visitor(range, i, x, contributions); });
  });
  agree_on_errors(assembler.layout().comm(), fault.text());
}

/// Calls it for the `wanted` entities only, on this rank; what it throws is left in `fault`. None of them may be a joint with identified
/// blocks: then all reactions are multipliers, and no residual is evaluated.
template <class Visitor>
void visit_wanted(Assembler& assembler, const State& state, std::span<const char> wanted,
                  const Visitor& visitor, VisitFault& fault) {
  for (const RangePlan& plan : assembler.plans()) {
    int i = 0;
    const PluginCall call(assembler.model(), *plan.range, i);
    for (const int own : plan.instances) {
      i = own;
      const int entity = plan.range->entity(i);
      if (wanted[static_cast<std::size_t>(entity)] == 0) continue;
      fault.guard(assembler, entity, [&] {
        visitor(*plan.range, i, LocalState(state, plan.offset_of[static_cast<std::size_t>(i)]),
                activity_of(assembler, plan, i));
      });
    }
  }
}

}  // namespace trammel
