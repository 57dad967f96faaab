#pragma once

#include <mpi.h>
#include <petscsystypes.h>

#include <Eigen/Dense>
#include <span>
#include <utility>
#include <vector>

#include "solvers/repeated_lu.hpp"

namespace trammel {

/// What is left of a system for the unknowns of the interface once each rank has eliminated its interior. All ranks have the whole matrix
/// and its factors, equal to the bit.
///
/// An interior fills the rows and columns of those unknowns only that it is coupled to. With many ranks in a row these are few: only the
/// entries that can be there are summed over the ranks. Factors are dense where much of the matrix is there, else by KLU.
class InterfaceMatrix {
 public:
  using Pair = std::pair<int, int>;  ///< row, column

  /// Takes the structure. `touched`: unknowns that this rank's interior is coupled to, ascending. `direct`: entries that this rank's
  /// rows of the system have outside of its interior. False, and of no use, if a dense matrix of `most` unknowns would have fewer entries, or
  /// the matrix is dense and has more unknowns. Collective.
  bool set_structure(MPI_Comm comm, int size, std::span<const int> touched, std::span<const Pair> direct,
                     std::size_t most);
  int size() const { return size_; }
  bool dense() const { return dense_; }

  /// Begins this rank's part with zero.
  void clear();
  double* entries() { return value_.data(); }
  /// Numbers of the entries that the interior fills: those of the row of its first unknown, of its second, and so on.
  std::span<const PetscInt> of_interior() const { return of_interior_; }
  /// Numbers of the entries `direct`.
  std::span<const PetscInt> of_direct() const { return of_direct_; }

  /// Sums the parts of all ranks. False where one of them is `weak`. Collective.
  bool sum(MPI_Comm comm, bool weak);
  /// False where the sum is singular to working precision.
  bool factorize();
  /// y = S^-1 y.
  void solve(std::span<double> y);

 private:
  PetscInt entry(const Pair& pair) const;
  bool scale();
  bool factorize_dense();
  bool factorize_sparse();

  int size_ = 0;
  bool dense_ = true;
  std::vector<PetscInt> begin_, column_;
  std::vector<double> value_;  ///< and a count of ranks with a weak interior
  std::vector<PetscInt> of_interior_, of_direct_;
  Eigen::VectorXd row_scale_, column_scale_, work_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_lu_;
  RepeatedLu sparse_lu_;
  bool changed_ = true;
};

}  // namespace trammel
