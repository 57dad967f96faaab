#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "trammel/bound_function.hpp"
#include "trammel/coordinate_element.hpp"
#include "trammel/joint_reaction.hpp"
#include "trammel/local_system.hpp"

namespace trammel::friction {

/// How the reaction of a joint presses its surfaces together. With the force f and the moment m of the joint on B, in
/// axes whose e3 is the joint's axis:
///
///     radial: P1, P2 = f_radial / 2 +- e3 x m / length,   N = |P1| + |P2|     (length 0: N = |f_radial|)
///     axial:  N = |f_3|
///
/// and the level, which times the coefficient is the friction force or torque, is
///
///     radius N + thrust_radius |f_3| + |m_3| / key_radius + preload           (parts with a radius of 0 left out)
struct Bearing {
  bool axial = false;
  double length = 0;         ///< between the two ends that carry the moment [m]
  double radius = 1;         ///< lever arm of the friction of N: [m] for an angle, 1 for a slide
  double thrust_radius = 0;  ///< lever arm of the friction of the axial force [m]
  double key_radius = 0;     ///< distance from the axis of the faces that carry the moment about it [m]
  double preload = 0;        ///< [N m] or [N]

  /// The level, and its gradient by the wrench (f; m). Where a part vanishes its gradient is taken to be zero.
  double level(const Vec6& wrench, Vec6& gradient) const;
};

/// What the coefficient of friction multiplies: N from the reaction of the joint, or a function given in the case.
///
/// Stencil: the joint's own blocks, where the reaction is read; else the coordinate's block and those that the function
/// reads. The coordinate's block is the one at index `block()`, with its first unknown at `column()`.
class NormalForce {
 public:
  /// From a function; below zero it counts as zero.
  NormalForce(const CoordinateTarget& target, BlockId coordinate, BoundFunction level);
  /// From the reaction. Throws Error where the joint's stencil does not hold the coordinate.
  NormalForce(JointReaction reaction, BlockId coordinate, std::vector<int> sizes, const Bearing& bearing);

  const std::vector<BlockId>& blocks() const { return blocks_; }
  int block() const { return block_; }
  int column() const { return column_; }
  /// Unknowns of `blocks()`.
  int dofs() const { return dofs_; }

  double at(const LocalState& x) const;
  /// The level; adds factor times its gradient to row `row` of K (and D, where the function reads rates).
  double add_gradient(const LocalState& x, int row, double factor, LocalSystem& out) const;

 private:
  std::optional<JointReaction> reaction_;
  Bearing bearing_;
  BoundFunction function_;
  std::vector<BlockId> blocks_;
  int block_ = 0, column_ = 0, dofs_ = 0;
};

}  // namespace trammel::friction
