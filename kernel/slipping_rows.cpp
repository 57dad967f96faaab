#include "kernel/slipping_rows.hpp"

#include <algorithm>

namespace trammel {

NormalForce::NormalForce(const FrictionLaw& law, std::span<const StencilBlock> blocks,
                         const BlockOffset* offsets, const State& state, bool gradient) {
  std::vector<BlockOffset> of_force;
  for (const BlockId id : law.normal->blocks()) {
    const auto at = std::ranges::find(blocks, id, &StencilBlock::id);
    if (at == blocks.end())
      throw Error("the normal force of a friction depends on multipliers that its joint does not read");
    blocks_.push_back(&*at);
    of_force.push_back(offsets[at - blocks.begin()]);
  }
  law.normal->evaluate(LocalState(state, of_force.data()), 0, gradient, found_);
}

void NormalForce::add_gradient(const FrictionVector& by_normal, int rows, int row, MatrixMap K) const {
  Eigen::Index from = 0;
  for (const StencilBlock* b : blocks_) {
    K.block(row, b->offset, rows, b->size) +=
        by_normal.head(rows) * found_.gradient.segment(from, b->size).transpose();
    from += b->size;
  }
}

void write_slipping_rows(const FrictionLaw& law, const SlipDirection& course,
                         std::span<const StencilBlock> blocks, std::size_t group, const State& state,
                         const BlockOffset* offsets, LocalSystem& contribution) {
  const StencilBlock& b = blocks[group];
  const int row = b.offset, rows = b.size;
  const bool tangent = contribution.request.tangent;
  const NormalForce normal(law, blocks, offsets, state, tangent);
  const ConstVectorMap lambda(state.value.data() + offsets[group].value, rows);
  FrictionVector slip = FrictionVector::Zero();
  slip.head(rows) = contribution.residual().segment(row, rows);
  const FrictionForce f(law.sliding, rows, slip, normal.value(), course);
  contribution.residual().segment(row, rows) = lambda - f.force.head(rows);
  if (!tangent) return;
  const Eigen::MatrixXd by_slip = f.by_slip.topLeftCorner(rows, rows);
  auto K = contribution.K();
  K.middleRows(row, rows) = (-by_slip * K.middleRows(row, rows)).eval();
  if (contribution.has_D()) {
    auto D = contribution.D();
    D.middleRows(row, rows) = (-by_slip * D.middleRows(row, rows)).eval();
  }
  K.block(row, row, rows, rows).diagonal().array() += 1;
  normal.add_gradient(-f.by_normal, rows, row, K);
}

}  // namespace trammel
