#pragma once

#include <string>

#include "io/recorder_ranks.hpp"
#include "kernel/assembler.hpp"

namespace trammel {

/// Visits this rank's instances with `visitor(range, instance, local state, reaction shares)`. What it throws on any
/// rank is thrown on all of them, as one Error that names the entity. Collective.
template <class Visitor>
void visit_together(Assembler& assembler, const State& state, const Visitor& visitor) {
  std::string fault;
  assembler.visit(
      state, [&](const ElementRange& range, int i, const LocalState& x, const ReactionShares& shares) {
        if (!fault.empty()) return;
        const auto keep = [&](const std::string& what) {
          const Entity& entity = assembler.model().entities[static_cast<std::size_t>(range.entity(i))];
          const std::string place = entity.where.text();
          fault = (place.empty() ? "" : place + ": ") + entity.category + " '" + entity.name + "' (" +
                  entity.type + "), while it is recorded: " + what;
        };
        try {
          visitor(range, i, x, shares);
        } catch (const std::exception& e) {
          keep(e.what());
        } catch (...) {
          keep("something was thrown that is no exception");
        }
      });
  agree_on_errors(assembler.layout().comm(), std::move(fault));
}

}  // namespace trammel
