#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace trammel {

/// A sparse matrix, such as a group of the dimensionless rows of the constraint Jacobian. Entries stand by column, and in each column by
/// row.
struct SparseColumns {
  int rows = 0;
  std::vector<int> begin{0};  ///< of each column: its first entry; at the end the number of entries
  std::vector<int> row;       ///< of each entry
  std::vector<double> value;  ///< of each entry

  int columns() const { return static_cast<int>(begin.size()) - 1; }
  Eigen::Map<const Eigen::SparseMatrix<double>> matrix() const {
    return {rows, columns(), begin.back(), begin.data(), row.data(), value.data()};
  }

  /// Without some rows (in any order).
  SparseColumns without(std::span<const int> some) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows, begin, row, value);
  }
};

/// Takes from x its part along the columns of `along`.
void project_out(const SparseColumns& along, Eigen::VectorXd& x);

/// Which of the rows depend on the others.
struct RowDecomposition {
  std::vector<int> dependent;  ///< in ascending order
  /// A column for each dependent row: a vanishing linear combination of the rows, with -1 for that row.
  SparseColumns null;
  /// The smallest pivot of the independent rows over the largest; 1 without rows.
  double weakest = 1;
};

/// Decomposes the transposed rows by QR with column pivoting (Golub and Van Loan, 5.4.1). Of equivalent rows the later one is
/// dependent.
///
/// The squares of the pivots of QR are those of Cholesky's method with the same pivoting in A A^T, where A are the rows: a small part of
/// the operations. It takes the place of dense QR as long as squares tell pivots from zero. More than `largest_dense` rows are decomposed
/// by sparse QR in an order that keeps the factors sparse (SuiteSparseQR: Davis, Algorithm 915, ACM Trans. Math. Softw. 38 (2011)), which
/// leaves out rows that depend on those before them. A dependent row then changes places with the row that has the largest factor in its
/// combination, as long as there are factors above 3 (Goreinov et al., How to find a good submatrix, 2010).
class RowDecomposer {
 public:
  static constexpr int largest_dense = 80;
  /// Pivots that are not larger than this part of the largest are rounding.
  static constexpr double largest_zero = 1e-9;

  RowDecomposition decompose(const SparseColumns& rows);

 private:
  /// A dependent row, and the others of which it is the sum, each times a factor.
  struct Combination {
    int dependent = 0;
    std::vector<std::pair<int, double>> of;  ///< by ascending row
  };
  /// Of the weighted rows.
  struct Pivots {
    double weakest = 1;
    std::vector<Combination> combinations;
  };

  Pivots by_dense_qr() const;
  /// `rows`: the weighted ones, or a part of them.
  static Pivots by_sparse_qr(const SparseColumns& rows);
  static bool exchange_heavy(std::vector<Combination>& combinations);
  Pivots by_sparse_qr_with_exchange() const;
  /// False where squares do not tell whether a pivot is zero.
  bool by_squares(Pivots& found);
  void take_weighted(const SparseColumns& rows);
  void find_squares();
  bool find_combinations(const std::vector<int>& order, int rank, double allowed, Pivots& found);

  // Kept for the next call.
  SparseColumns weighted_;   ///< A, without entries of zero
  Eigen::MatrixXd squares_;  ///< A A^T
  std::vector<double> L_;    ///< by row as it was given, `stride_` numbers each; zero behind the last column
  std::ptrdiff_t stride_ = 0;
  std::vector<double> left_;  ///< squares of what is left of each row
  /// By row, for each dependent row: what it takes of the others, and how that changes.
  std::vector<double> taken_, change_;
  std::vector<double> gap_squares_;  ///< for each dependent row: of its distance from the others
};

}  // namespace trammel
