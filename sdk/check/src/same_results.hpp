#pragma once

#include <span>
#include <string>

#include "trammel/drawing_check.hpp"

namespace trammel {

/// Looks for results of an instance that depend on more than the state: on what was evaluated before, and, where none does, on a
/// thread that draws. Names the first of each kind, with `where` behind it; one that was found before stays.
inline void check_same_results(const ElementRange& range, int instance, std::span<const TestState> states,
                               const std::string& where, std::string& unrepeated,
                               std::string& beside_a_thread) {
  if (!unrepeated.empty()) return;
  unrepeated = differs_when_repeated(range, instance, states);
  if (!unrepeated.empty()) unrepeated += where;
  if (!unrepeated.empty() || !beside_a_thread.empty()) return;
  beside_a_thread = differs_on_a_thread(range, instance, states);
  if (!beside_a_thread.empty()) beside_a_thread += where;
}

}  // namespace trammel
