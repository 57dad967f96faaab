#pragma once

#include <memory>

namespace trammel {

/// Factors of a dense square matrix with partial pivoting, by Eigen, compiled for the processor at hand. Matrices are stored by columns;
/// `stride`: from one column to the next.
class DenseLu {
 public:
  static std::unique_ptr<DenseLu> make();
  virtual ~DenseLu() = default;

  virtual void compute(const double* a, int n) = 0;
  /// An estimate of the reciprocal of the condition number, in the 1-norm; zero where a pivot is zero to rounding.
  virtual double rcond() const = 0;
  /// X = A^-1 X.
  virtual void solve(double* x, int stride, int columns) const = 0;
  /// C -= A B, with C of `rows` x `columns` and A of `inner` columns; all of one stride.
  virtual void subtract_product(double* c, const double* a, const double* b, int stride, int rows, int inner,
                                int columns) const = 0;

  /// Factors of the columns of a larger matrix, with pivots in the first `pivot_rows` rows: L below the diagonal, U above it, and by column the row that
  /// it was exchanged with. False where there is no pivot, or a number that is not finite.
  virtual bool factorize_panel(double* a, int stride, int rows, int pivot_rows, int columns,
                               int* exchanged) const = 0;
  /// What such factors, of `width` columns, make of other columns.
  virtual void apply_panel(const double* lu, int lu_stride, const int* exchanged, int width, double* c,
                           int stride, int rows, int columns) const = 0;
  /// x = U^-1 x.
  virtual void solve_upper(const double* u, int stride, int n, double* x) const = 0;

 private:
  static std::unique_ptr<DenseLu> for_any();
  static std::unique_ptr<DenseLu> for_avx2();
};

}  // namespace trammel
