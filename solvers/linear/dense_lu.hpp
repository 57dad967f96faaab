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
  /// L and U in place of the matrix, and the place of each of its rows in them; `take` is all that another object needs to solve.
  virtual void give(double* lu, int stride, double* places) const = 0;
  virtual void take(const double* lu, int stride, const double* places, int n) = 0;
  /// X = A^-1 X.
  virtual void solve(double* x, int stride, int columns) const = 0;
  /// C -= A B, with C of `rows` x `columns` and A of `inner` columns; all of one stride.
  virtual void subtract_product(double* c, const double* a, const double* b, int stride, int rows, int inner,
                                int columns) const = 0;

 private:
  static std::unique_ptr<DenseLu> for_any();
  static std::unique_ptr<DenseLu> for_avx2();
};

}  // namespace trammel
