#pragma once

#include <span>
#include <string>

#include "trammel/element_check.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// Checks that an instance may be drawn on another thread while the step goes on (see ElementRange::draw). Draws it and asks for its
/// outputs at the first three of `states` on a thread, and evaluates it meanwhile at the other states: between any two shapes, fields and outputs
/// that it gives, and then at any moment. Compares all of this, bit by bit, with what each function gives alone. Names the
/// function and the first thing that differs; empty where none does, or where there are fewer than two states.
TRAMMEL_API std::string differs_on_a_thread(const ElementRange& range, int instance,
                                            std::span<const TestState> states);

}  // namespace trammel
