#pragma once

#include <span>

#include "kernel/instance_plan.hpp"
#include "trammel/friction_force.hpp"
#include "trammel/friction_law.hpp"

namespace trammel {

/// The normal force of a friction group at one state. Its blocks stand somewhere in the instance's stencil.
class TRAMMEL_API NormalForce {
 public:
  /// Throws Error where a block that the force depends on is missing in the stencil.
  NormalForce(const FrictionLaw& law, std::span<const StencilBlock> blocks, const BlockOffset* offsets,
              const State& state, bool gradient);

  double value() const { return found_.value; }
  /// Adds `by_normal` times the gradient to the rows of K from `row` on.
  void add_gradient(const FrictionVector& by_normal, int rows, int row, MatrixMap K) const;

 private:
  std::vector<const StencilBlock*> blocks_;
  SignalValue found_;
};

/// Makes of the rows of a friction group that slips lambda - F(s, N) = 0: F the force of sliding, s = A v + b and its
/// derivatives as the contribution has them. `group`: index into `blocks` of the group's multiplier.
void write_slipping_rows(const FrictionLaw& law, const SlipDirection& course,
                         std::span<const StencilBlock> blocks, std::size_t group, const State& state,
                         const BlockOffset* offsets, LocalSystem& contribution);

}  // namespace trammel
