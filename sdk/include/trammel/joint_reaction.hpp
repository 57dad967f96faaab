#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/export.hpp"
#include "trammel/joint_site.hpp"

namespace trammel {

/// Force and moment that a joint transmits, as a function of the joint's unknowns and multipliers: the normal force
/// of friction, and the load that may make a joint inactive. It is computed from the joint's own equations, so that
/// any joint has it.
///
/// If B is fixed in a frame, it acts on side B, at the origin and in the axes of marker B; otherwise on A, with the
/// opposite sign, in A's axes. The part along a coordinate is what springs, motors and frictions on it transmit.
class TRAMMEL_API JointReaction {
 public:
  /// Throws Error where the joint shares unknowns (its reaction is then no function of them) or where neither marker is
  /// fixed in a frame.
  JointReaction(std::shared_ptr<const JointView> joint, std::vector<BlockId> stencil, std::vector<int> sizes,
                const Location& where);
  /// The reaction of the joint `entity`, which then keeps its multipliers. Throws Error as above, and where the
  /// case requires that the
  /// joint share unknowns.
  static JointReaction of(int entity, Builder& builder, const Location& where);

  const std::vector<BlockId>& blocks() const { return stencil_; }
  int dofs() const { return dofs_; }

  using Gradient = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  /// The wrench (force; moment) [N, N m] at x, where the joint's blocks stand from the first on, and its derivative by
  /// their unknowns where `gradient` is given.
  Vec6 evaluate(const LocalState& x, Gradient* gradient) const;

 private:
  std::shared_ptr<const JointView> joint_;
  std::vector<BlockId> stencil_;
  int dofs_ = 0;
  bool at_B_ = true;
  int rotation_block_ = 0;  ///< of the marker's frame
  int row_ = 0;             ///< of its position's first unknown
  double sign_ = -1;
};

/// A number of what `JointSite::report` gives of a joint's forces, "moment_on_A_world.z", as a signal with exact
/// derivatives: in r = B^T lambda the multipliers are linear, and dr/dq is the joint's own tangent. Its rates are not
/// known (not a number), for multipliers have none. Null where the name is another, or no marker is fixed in a frame.
///
/// The forces on a marker that is fixed in no frame are those in balance with the other marker's, so that this holds for
/// joints between their two markers alone that share no unknowns.
TRAMMEL_API std::shared_ptr<const Signal> reaction_signal(std::shared_ptr<const JointView> joint,
                                                          std::vector<BlockId> stencil,
                                                          std::vector<BlockKind> kinds,
                                                          std::vector<int> sizes, std::string_view name);

}  // namespace trammel
