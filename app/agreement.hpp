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

/// Ends the work of all ranks together. Every rank calls it once, at its end. If ranks have failed, the first of these prints its
/// message to stderr. If the other ranks do not arrive, the failed rank prints its message and ends the run, so that no rank
/// waits forever. Returns the exit status.
int end_together(MPI_Comm comm, const Failure& failure);

/// Whether all ranks call this at the end of a piece of work. A rank that `failed` does not wait for long: where others still work,
/// they wait for it, and the result is false. Collective.
bool arrive_together(MPI_Comm comm, bool failed);

}  // namespace trammel
