#pragma once

#include <mpi.h>
#include <petscsystypes.h>

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "kernel/rank_exchange.hpp"
#include "solvers/linear/front.hpp"
#include "solvers/linear/interface_fronts.hpp"
#include "solvers/linear/repeated_lu.hpp"
#include "solvers/ranks/rank_totals.hpp"
#include "solvers/ranks/sparse_sum.hpp"

namespace trammel {

/// What is left of a system for the unknowns of the interface once each rank has eliminated its interior.
///
/// It is treated in one of three ways, which the structure decides. *dense*: a small matrix, or one of two ranks, is summed over the ranks
/// and factorized by each of them. *sparse*: of ranks in a row an interior fills few entries; these alone are summed, and factorized by KLU on
/// each rank. *fronts*: otherwise groups of ranks eliminate the unknowns that no other rank sees (InterfaceFronts).
class InterfaceMatrix {
 public:
  enum class Kind { dense, sparse, fronts };
  using Pair = std::pair<int, int>;  ///< row, column

  /// Takes the structure. `touched`: unknowns that this rank's interior is coupled to, ascending. `owned`: unknowns whose right-hand side this rank
  /// has, and whose solution it wants. `direct`: entries that this rank's rows of the system have outside of its interior. False, and of no use,
  /// if a dense matrix or a front would have more than `most` unknowns. A sparse matrix has no more entries than such a matrix. Collective.
  bool set_structure(MPI_Comm comm, int size, std::span<const int> touched, std::span<const int> owned,
                     std::span<const Pair> direct, std::size_t most);
  int size() const { return size_; }
  Kind kind() const { return kind_; }
  /// Unknowns of the largest front; zero where there are none.
  std::size_t largest_front() const { return kind_ == Kind::fronts ? fronts_.largest() : 0; }

  /// Begins this rank's part with zero.
  void clear();
  double* entries() { return value_.data(); }
  /// Numbers of the entries that the interior fills: those of the row of its first unknown, of its second, and so on.
  std::span<const PetscInt> of_interior() const { return of_interior_; }
  /// Numbers of the entries `direct`.
  std::span<const PetscInt> of_direct() const { return of_direct_; }

  bool needs_work() const { return kind_ == Kind::fronts && fronts_.is_new(); }
  /// Factorizes the sum of all ranks' parts. Collective; all ranks give the same.
  enum class Outcome { fine, weak, singular };  ///< weak: some rank says so; singular: to working precision
  /// `interior`: work of this rank's interior, by which fronts are dealt out; read only if `needs_work`.
  Outcome factorize(MPI_Comm comm, bool weak, const LinearWork& interior = {});
  /// Takes this rank's part of a right-hand side, and gives the solution at the unknowns that are touched, owned or in `direct` here. Equal to
  /// the bit on all ranks. Collective.
  void solve(MPI_Comm comm, std::span<double> y);
  /// Whether totals of all ranks may travel with a right-hand side.
  bool carries() const { return size_ > 0 && (kind_ != Kind::fronts || fronts_.joins_all()); }
  /// Replaces arrays of numbers by unknown, one after the other and zero where neither touched nor owned, and `others` numbers after them,
  /// by their sums over the ranks. Collective.
  void sum(MPI_Comm comm, std::span<double> numbers, std::size_t others = 0);
  /// Where it carries totals: `solve` in two parts. The first is collective as the agreement on `totals` is, during which y must stay; the
  /// second is not.
  void begin_solution(MPI_Comm comm, std::span<double> y, RankTotals& totals);
  void finish_solution(std::span<double> y);

 private:
  void solve_sum(std::span<double> y);
  bool find_entries(const Gathered<int>& cliques, const Gathered<int>& pairs, std::size_t most);
  PetscInt entry(const Pair& pair) const;
  void find_sums(MPI_Comm comm, const Gathered<int>& cliques, const Gathered<int>& owns,
                 const Gathered<int>& pairs);
  bool sum_entries(MPI_Comm comm, bool weak);
  bool scale();
  bool factorize_dense();
  bool factorize_sparse();

  int size_ = 0;
  Kind kind_ = Kind::dense;
  std::vector<PetscInt> begin_, column_;
  std::vector<double>
      value_;  ///< of this rank's part; a sum has one number more, the count of weak interiors
  std::vector<PetscInt> of_interior_, of_direct_;
  SparseSum of_entries_, of_unknowns_;
  Eigen::VectorXd row_scale_, column_scale_, work_, none_;
  Front dense_;
  RepeatedLu sparse_lu_;
  InterfaceFronts fronts_;
  bool changed_ = true;
};

}  // namespace trammel
