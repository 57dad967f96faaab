#include "trammel/explicit_twist.hpp"

namespace trammel {

Eigen::VectorXd without_rounding(const Eigen::VectorXd& difference, double size) {
  // A beam's point sums its twist in another order than its Jacobian.
  constexpr double rounding = 1e-11;
  if (difference.size() == 0 || difference.lpNorm<Eigen::Infinity>() <= rounding * size)
    return Eigen::VectorXd::Zero(difference.size());
  return difference;
}

Vec6 explicit_twist(const Marker& marker, const LocalState& x, int first, const MarkerMotion& motion) {
  if (!marker.has_shape()) return Vec6::Zero();
  Vec6 of_blocks = Vec6::Zero(), size = Vec6::Zero();
  int column = 0, k = first;
  for (const int width : marker.block_sizes()) {
    const ConstVectorMap v(x.rate(k++), width);
    const auto J = motion.J.middleCols(column, width);
    of_blocks += J * v;
    size += J.cwiseAbs() * v.cwiseAbs();
    column += width;
  }
  Vec6 difference;
  for (int part = 0; part < 6; part += 3)
    difference.segment<3>(part) = without_rounding(motion.twist.segment<3>(part) - of_blocks.segment<3>(part),
                                                   size.segment<3>(part).maxCoeff());
  return difference;
}

}  // namespace trammel
