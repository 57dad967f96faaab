#pragma once

#include <petscpc.h>

namespace trammel {

/// MUMPS, with as much extra workspace as delayed pivots of multipliers need, unless options say otherwise.
void use_mumps(PC pc);

/// Of a factorization that failed for want of memory: none was left, rather than MUMPS's estimate too small.
bool mumps_ran_out_of_memory(PC pc);

}  // namespace trammel
