#pragma once

#include <vector>

#include "kernel/assembler.hpp"

namespace trammel {

/// out += scale * B_n^T eta for the gradients that the assembler keeps (Assembler::keep_gradients), by Layout local offsets of kinematic
/// blocks' stabilizing unknowns; eta is read from `local` at the multipliers' stabilizing offsets. Collective.
void add_position_corrections(Assembler& assembler, double scale, const std::vector<double>& local,
                              std::vector<double>& out);

}  // namespace trammel
