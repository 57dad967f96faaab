#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace trammel {

/// Rows of a sparse matrix, such as a group of the dimensionless rows of the constraint Jacobian. Entries stand by column, and in each
/// column by row.
struct RowsByColumn {
  int rows = 0;
  std::vector<int> begin{0};  ///< of each column: its first entry; at the end the number of entries
  std::vector<int> row;       ///< of each entry
  std::vector<double> value;  ///< of each entry

  int columns() const { return static_cast<int>(begin.size()) - 1; }
};

/// Which of the rows depend on the others.
struct RowDecomposition {
  std::vector<int> dependent;  ///< in ascending order
  /// A column for each dependent row: a vanishing linear combination of the rows, with -1 for that row.
  Eigen::MatrixXd null;
  /// The smallest pivot of the independent rows over the largest; 1 without rows.
  double weakest = 1;
};

/// Decomposes the transposed rows by QR with column pivoting (Golub and Van Loan, 5.4.1). Of equivalent rows the later one is
/// dependent.
///
/// The squares of the pivots of QR are those of Cholesky's method with the same pivoting in A A^T, where A are the rows: a small part of
/// the operations. It takes the place of dense QR as long as squares tell pivots from zero. More than 300 rows are decomposed by sparse
/// QR.
class RowDecomposer {
 public:
  RowDecomposition decompose(const RowsByColumn& rows);

 private:
  /// Independent rows first in `order`, with the dependent ones as combinations of them.
  struct Pivots {
    std::vector<int> order;
    int rank = 0;
    double weakest = 1;
    Eigen::MatrixXd combination;  ///< rank x dependent, of the weighted rows
  };

  Pivots by_dense_qr() const;
  Pivots by_sparse_qr() const;
  /// False where squares do not tell whether a pivot is zero.
  bool by_squares(Pivots& found);
  void take_weighted(const RowsByColumn& rows);
  void find_squares();
  bool find_combinations(double allowed, Pivots& found);

  // Kept for the next call.
  RowsByColumn weighted_;    ///< A, without entries of zero
  Eigen::MatrixXd squares_;  ///< A A^T
  std::vector<double> L_;    ///< by row as it was given, `stride_` numbers each; zero behind the last column
  std::ptrdiff_t stride_ = 0;
  std::vector<double> left_;  ///< squares of what is left of each row
  /// By row, for each dependent row: what it takes of the others, and how that changes.
  std::vector<double> taken_, change_;
  std::vector<double> gap_squares_;  ///< for each dependent row: of its distance from the others
};

}  // namespace trammel
