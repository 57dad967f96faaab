#include "normal_force.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::friction {

namespace {

/// Adds weight times |v|, and its gradient.
template <class Vector, class Gradient>
double add_norm(const Vector& v, double weight, Gradient&& gradient) {
  const double norm = v.norm();
  if (norm > 0) gradient += weight / norm * v;
  return weight * norm;
}

}  // namespace

double Bearing::level(const Vec6& w, Vec6& gradient) const {
  gradient.setZero();
  double sum = preload;
  if (axial) {
    sum += radius * std::abs(w[2]);
    gradient[2] += w[2] < 0 ? -radius : radius;
  } else if (length > 0) {
    const Eigen::Vector2d across(-w[4] / length, w[3] / length);  // e3 x m / length
    for (const double end : {1.0, -1.0}) {
      Eigen::Vector2d g = Eigen::Vector2d::Zero();
      sum += add_norm(Eigen::Vector2d(0.5 * w.head<2>() + end * across), radius, g);
      gradient.head<2>() += 0.5 * g;
      gradient[3] += end * g.y() / length;
      gradient[4] -= end * g.x() / length;
    }
  } else {
    sum += add_norm(w.head<2>(), radius, gradient.head<2>());
  }
  if (thrust_radius > 0) {
    sum += thrust_radius * std::abs(w[2]);
    gradient[2] += w[2] < 0 ? -thrust_radius : thrust_radius;
  }
  if (key_radius > 0) {
    sum += std::abs(w[5]) / key_radius;
    gradient[5] += (w[5] < 0 ? -1 : 1) / key_radius;
  }
  return sum;
}

NormalForce::NormalForce(const CoordinateTarget& target, BlockId coordinate, BoundFunction level)
    : function_(std::move(level)), blocks_{coordinate}, dofs_(target.size + function_.dofs()) {
  blocks_.insert(blocks_.end(), function_.blocks().begin(), function_.blocks().end());
}

NormalForce::NormalForce(JointReaction reaction, BlockId coordinate, std::vector<int> sizes,
                         const Bearing& bearing)
    : reaction_(std::move(reaction)),
      bearing_(bearing),
      blocks_(reaction_->blocks()),
      dofs_(reaction_->dofs()) {
  const auto at = std::ranges::find(blocks_, coordinate);
  if (at == blocks_.end()) throw Error("the joint's equations do not hold the coordinate");
  block_ = static_cast<int>(at - blocks_.begin());
  for (int k = 0; k < block_; ++k) column_ += sizes[static_cast<std::size_t>(k)];
}

double NormalForce::at(const LocalState& x) const {
  if (!reaction_) return std::max(0.0, function_.at(x, 1));
  Vec6 ignored;
  return bearing_.level(reaction_->evaluate(x, nullptr), ignored);
}

double NormalForce::add_gradient(const LocalState& x, int row, double factor, LocalSystem& out) const {
  if (!reaction_) {
    if (!(function_.at(x, 1) > 0)) return 0;
    return function_.add_gradient(x, 1, dofs_ - function_.dofs(), row, factor, out);
  }
  thread_local JointReaction::Gradient of_wrench;
  Vec6 by_wrench;
  const double level = bearing_.level(reaction_->evaluate(x, &of_wrench), by_wrench);
  out.K().row(row).head(dofs_) += factor * (by_wrench.transpose() * of_wrench);
  return level;
}

}  // namespace trammel::friction
