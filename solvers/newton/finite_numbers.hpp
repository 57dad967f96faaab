#pragma once

#include <Eigen/Core>

#include <span>

namespace trammel {

/// Whether none of the numbers is infinite or not a number.
inline bool all_finite(std::span<const double> numbers) {
  // Zero times such a number is not a number, nor is a sum with it.
  return (Eigen::Map<const Eigen::ArrayXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size())) * 0.0)
             .sum() == 0;
}

}  // namespace trammel
