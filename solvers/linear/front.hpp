#pragma once

#include <Eigen/Core>
#include <memory>

#include "solvers/linear/dense_lu.hpp"

namespace trammel {

/// A front of a multifrontal method: a dense matrix whose leading unknowns are eliminated,
///
///     [E  C]   [E  0] [1  W]
///     [R  B] = [R  1] [0  S]      W = E^-1 C,  S = B - R W
///
/// Where E is singular to working precision, rows and columns without a pivot are left beside those of B (delayed pivots), so that the
/// rest is S with more unknowns. Its rows and columns then need not be those of the same unknowns.
class Front {
 public:
  /// A matrix of zeros, to be filled: `leading` unknowns, and `border` more.
  Eigen::MatrixXd& start(int leading, int border);
  /// Eliminates. False where the matrix is not finite, or where `all` leading unknowns must go and E is singular.
  bool eliminate(bool all);

  int size() const { return static_cast<int>(matrix_.rows()); }
  /// Unknowns that are left: those without a pivot, then the border.
  int rest() const { return static_cast<int>(matrix_.rows()) - pivots_; }
  /// The least condition number, reciprocal and estimated, of E with which unknowns are eliminated, and with which all must be.
  static constexpr double fine = 1e-10, least = 1e-15;
  /// Powers of two, with which the largest numbers, `sizes`, are about one: scaling rounds nothing.
  static Eigen::VectorXd scales_of(const Eigen::VectorXd& sizes);

  /// S.
  auto complement() const { return matrix_.bottomRightCorner(rest(), rest()); }
  const double* left_column(int number) const {
    return matrix_.data() + matrix_.rows() * (pivots_ + number) + pivots_;
  }

  /// From a right-hand side that of the rest.
  void forward(const Eigen::VectorXd& b, Eigen::VectorXd& rest);
  /// From the solution of the rest the whole one, to the right-hand side of the last `forward`.
  void backward(const Eigen::VectorXd& rest, Eigen::VectorXd& x) const;

 private:
  void leave_weak_pivots(Eigen::MatrixXd& scaled);

  Eigen::MatrixXd matrix_;  ///< E, then R, scaled, W in place of C, and S in place of B
  int leading_ = 0, pivots_ = 0;
  Eigen::VectorXd row_scale_, column_scale_;       ///< with which the largest entries of E are one
  std::unique_ptr<DenseLu> lu_ = DenseLu::make();  ///< of E, scaled
  Eigen::VectorXi row_order_, column_order_;       ///< empty where all leading unknowns have pivots
  Eigen::VectorXd own_;                            ///< E^-1 b, scaled
};

}  // namespace trammel
