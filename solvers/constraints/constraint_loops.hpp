#pragma once

#include <mpi.h>

#include <span>
#include <utility>
#include <vector>

#include "trammel/row_status.hpp"

namespace trammel {

/// A row of the constraint Jacobian B, made dimensionless.
struct GradientRow {
  ConstraintRow at;
  int entity = -1;  ///< whose constraint it is
  double scale = 1;
  std::vector<std::pair<int, double>> entries;  ///< by global unknown
  int first_entry = 0;  ///< number of entries of the rows before it, as they were received
};

/// The rows that belong to closed loops, each on one rank, in no particular order; `mine` are those of this rank, none of them empty.
///
/// An entity whose rows have full rank in unknowns that no other entity's rows contain depends on no others, and is taken off. Others
/// may then follow. Each rank does this with its own rows. A rank that has taken off all its users of an unknown tells the other ranks that
/// contain it, which go on with theirs, until nothing more can be taken off. What is left does not depend on the partition. Rows
/// travel only where an entity has them on several ranks. Collective.
std::vector<GradientRow> rows_in_loops(std::vector<GradientRow> mine, MPI_Comm comm);

/// Rows in groups that share unknowns or an entity, directly or through others: by index, in ascending order.
std::vector<std::vector<int>> connected(const std::vector<GradientRow>& rows);

/// For each of `mine` the rank that decomposes its group: the lowest of those that have rows of it. An entity has its rows on one rank.
/// Only unknowns that several ranks have travel. Collective.
std::vector<int> ranks_of_groups(const std::vector<GradientRow>& mine, MPI_Comm comm);

/// The rows that all ranks send to this one, in an order that does not depend on the partition. `home`: for each of `mine` the rank that
/// receives it. Collective.
std::vector<GradientRow> exchange_rows(const std::vector<GradientRow>& mine, std::span<const int> home,
                                       MPI_Comm comm);

}  // namespace trammel
