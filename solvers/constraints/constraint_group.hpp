#pragma once

#include <mpi.h>

#include <set>
#include <span>
#include <vector>

#include "solvers/constraints/row_decomposition.hpp"
#include "trammel/block.hpp"

namespace trammel {

/// A group of constraints that may depend on each other through closed loops of joints.
struct ConstraintGroup {
  struct Row {
    ConstraintRow at;
    int entity = -1;
    double scale = 1;  ///< that makes its gradient dimensionless, with the model's length

    template <class Archive>
    void serialize(Archive& archive) {
      archive(at, entity, scale);
    }
  };
  std::vector<Row> rows;
  std::vector<int> dependent;  ///< rows that follow from the others, by index into `rows`
  /// A column for each dependent row: a vanishing linear combination of the scaled rows of the group.
  SparseColumns null;
  /// The smallest pivot of the independent rows over the largest: 0 in a singular configuration.
  double weakest = 1;
  /// Of more than RowDecomposer::largest_dense rows: the same of those that are not removed.
  double weakest_of_kept = 1;

  /// Rows that take part in a combination, by index into `rows`, in ascending order.
  std::vector<int> taking_part(int combination) const;
  /// Their entities.
  std::set<int> entities_of(int combination) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows, dependent, null, weakest, weakest_of_kept);
  }
};

/// Appends to `groups` those of all ranks, in the order of ranks, with their rows only. Collective.
void share_rows(std::vector<ConstraintGroup>& groups, std::span<const ConstraintGroup> mine, MPI_Comm comm);

/// Gives all ranks what follows from the numbers in the rows. `groups`: those of all ranks, in the order of ranks; `mine`: as this rank
/// decomposed them. Collective.
void share_decompositions(std::span<ConstraintGroup> groups, std::span<const ConstraintGroup> mine,
                          MPI_Comm comm);

}  // namespace trammel
