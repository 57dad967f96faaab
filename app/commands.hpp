#pragma once

#include <mpi.h>

#include "command_line.hpp"

namespace trammel {

// The commands. They throw Error; what they print, rank 0 prints. Collective.

/// Runs the stages of a case and writes its results. The exit status: 0, or 128 + n where signal n stopped it.
int run_case(const CommandLine& command, MPI_Comm comm);
/// Reads a case, builds and partitions its model, and prints what it holds.
void check_case(const CommandLine& command, MPI_Comm comm);

/// Checks joint types at random states and in motion, and prints a table. Throws Error where one fails.
void verify_types(const CommandLine& command, MPI_Comm comm);

}  // namespace trammel
