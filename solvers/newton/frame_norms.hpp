#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

#include "solvers/newton/block_runs.hpp"
#include "solvers/newton/convergence.hpp"

namespace trammel {

/// Three numbers of a position and three of the rotation behind it, in registers for two numbers each.
using FrameNumbers = Eigen::Array<double, frame_size, 1>;

inline FrameNumbers frame_at(const double* numbers) { return Eigen::Map<const FrameNumbers>(numbers); }

/// Takes what is no number for infinite, so that no number replaces it.
inline void take_larger(double& largest, double r) {
  if (!(r <= largest)) largest = std::isnan(r) ? HUGE_VAL : r;
}

/// The largest absolute value of three numbers; what is no number is passed over.
inline double largest_of_three(double a, double b, double c) {
  return std::max(std::max(std::max(0.0, a), b), c);
}

/// The largest numbers of positions and of rotations; none of them is negative. What is no number is passed over.
class FrameMaxima {
 public:
  void take(const FrameNumbers& sizes) { largest_ = largest_.max(sizes); }
  double of_positions() const { return largest_of_three(largest_[0], largest_[1], largest_[2]); }
  double of_rotations() const { return largest_of_three(largest_[3], largest_[4], largest_[5]); }

 private:
  FrameNumbers largest_ = FrameNumbers::Zero();
};

/// Norms of the residuals of frames: forces and moments. What is no number counts as infinite.
class FrameResiduals {
 public:
  /// `sizes`: absolute values, in newtons; `rounding`: of each row.
  void take(const FrameNumbers& sizes, const FrameNumbers& rounding) {
    largest_.take(sizes);
    beyond_.take(sizes - rounding);
    sum_ += sizes;
  }
  void add_to(FieldNorms& norms) const {
    add(norms, FieldNorms::force, sum_.head<3>().sum(), largest_.of_positions(), beyond_.of_positions());
    add(norms, FieldNorms::moment, sum_.tail<3>().sum(), largest_.of_rotations(), beyond_.of_rotations());
  }

 private:
  static void add(FieldNorms& norms, FieldNorms::Residual field, double sum, double largest, double beyond) {
    const bool all_numbers = !std::isnan(sum);
    double &norm = norms.residual[field], &norm_beyond = norms.beyond_rounding[field];
    norm = std::max(norm, all_numbers ? largest : HUGE_VAL);
    norm_beyond = std::max(norm_beyond, all_numbers ? beyond : HUGE_VAL);
  }

  FrameMaxima largest_, beyond_;
  FrameNumbers sum_ = FrameNumbers::Zero();  // of sizes: no number if one of them is none
};

}  // namespace trammel
