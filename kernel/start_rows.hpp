#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "kernel/model.hpp"
#include "trammel/start_conditions.hpp"

namespace trammel {

/// The rows of the whole model that belong to one of the phases; sorted, the same on every rank. Collective.
TRAMMEL_API std::vector<ConstraintRow> rows_of_start(const Model& model, std::span<const StartPhase> phases,
                                                     MPI_Comm comm);

}  // namespace trammel
