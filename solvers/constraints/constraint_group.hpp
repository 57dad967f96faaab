#pragma once

#include <mpi.h>

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

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows, dependent, null, weakest, weakest_of_kept);
  }
};

/// Gives all ranks what each found of its groups, which follow on each other in the order of ranks: the rows, for new groups at the end of
/// `groups`, or only what follows from their numbers, for all groups. Collective.
void share(std::vector<ConstraintGroup>& groups, std::span<const ConstraintGroup> mine, bool with_rows,
           MPI_Comm comm);

}  // namespace trammel
