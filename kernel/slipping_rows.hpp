#pragma once

#include <span>

#include "kernel/instance_plan.hpp"
#include "trammel/friction_force.hpp"
#include "trammel/friction_law.hpp"

namespace trammel {

/// The normal force of a friction group at one state [N]. The stencil of the instance must contain its blocks.
class TRAMMEL_API NormalForce {
 public:
  /// Throws Error if the stencil lacks a block on which the force depends.
  NormalForce(const FrictionLaw& law, std::span<const StencilBlock> blocks, const BlockOffset* offsets,
              const State& state, bool gradient);

  double value() const { return found_.value; }
  /// Adds `by_normal` times the gradient to the rows of K from `row` on.
  void add_gradient(const FrictionVector& by_normal, int rows, int row, MatrixMap K) const;

 private:
  std::vector<const StencilBlock*> blocks_;
  SignalValue found_;
};

/// Replaces the rows of a slipping friction group by lambda - F(s, N) = 0, with F the force of sliding. s = A v + b
/// and its derivatives are taken from the contribution. `group`: index into `blocks` of the multiplier of the group.
void write_slipping_rows(const FrictionLaw& law, const SlipDirection& course,
                         std::span<const StencilBlock> blocks, std::size_t group, const State& state,
                         const BlockOffset* offsets, LocalSystem& contribution);

}  // namespace trammel
