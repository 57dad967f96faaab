#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

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
  /// Eliminates; the same as `factorize`, and `eliminate_columns` for all columns.
  bool eliminate(bool all);
  /// Factorizes E. False where the matrix is not finite, or where `all` leading unknowns must go and E is singular. Then columns of the rest
  /// can be found independently of each other.
  bool factorize(bool all);
  /// S and W for columns of the rest.
  void eliminate_columns(int first, int count);
  /// The same by another rank: what it needs, of which `left` (the factors of E above R) is the same for all, what it does with that, and what it sends back.
  std::vector<double> share(int first, int count) const;
  std::span<const double> left() const {
    return {matrix_.data(), static_cast<std::size_t>(matrix_.rows()) * static_cast<std::size_t>(pivots_)};
  }
  static std::size_t left_size(const std::vector<double>& share) {
    return static_cast<std::size_t>(share[0]) * static_cast<std::size_t>(share[1]);
  }
  static std::vector<double> eliminated_share(const std::vector<double>& share, std::span<const double> left);
  void take_columns(int first, int count, const std::vector<double>& eliminated);

  int size() const { return static_cast<int>(matrix_.rows()); }
  /// Unknowns that are left: those without a pivot, then the border.
  int rest() const { return static_cast<int>(matrix_.rows()) - pivots_; }
  /// S.
  auto complement() const { return matrix_.bottomRightCorner(rest(), rest()); }

  /// From a right-hand side that of the rest.
  void forward(const Eigen::VectorXd& b, Eigen::VectorXd& rest);
  /// From the solution of the rest the whole one, to the right-hand side of the last `forward`.
  void backward(const Eigen::VectorXd& rest, Eigen::VectorXd& x) const;

 private:
  void leave_weak_pivots(Eigen::MatrixXd& scaled);

  Eigen::MatrixXd matrix_;  ///< the factors of E, R and C, scaled, then W in place of C and S in place of B
  int leading_ = 0, pivots_ = 0;
  Eigen::VectorXd row_scale_, column_scale_;       ///< with which the largest entries of E are one
  std::unique_ptr<DenseLu> lu_ = DenseLu::make();  ///< of E, scaled
  Eigen::VectorXd places_;                         ///< of the rows of E in its factors
  Eigen::VectorXi row_order_, column_order_;       ///< empty where all leading unknowns have pivots
  Eigen::VectorXd own_;                            ///< E^-1 b, scaled
};

}  // namespace trammel
