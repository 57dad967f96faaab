#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "trammel/error.hpp"

namespace trammel {

/// The message of an error as the user sees it: "case.yaml:41:7: error: ...".
std::string shown(const Error& error);

/// How a rank's work ended: nothing, or the message of its error.
using Failure = std::optional<std::string>;

/// Ends the work of all ranks together: every rank calls it once, at its end. Where ranks failed, the first of them
/// prints its message to stderr. A rank that failed and finds the others busy prints its message and ends the run,
/// so that none is left hanging. Returns the exit status.
int end_together(MPI_Comm comm, const Failure& failure);

}  // namespace trammel
