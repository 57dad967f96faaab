// Runs of blocks of unknowns, and what the assembler adds up by frames.

#include "solvers/newton/block_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/instance_plan.hpp"
#include "kernel/petsc_call.hpp"
#include "test_models.hpp"
#include "trammel/index.hpp"

namespace trammel::testing {
namespace {

using Of = BlockRun::Of;

/// That runs hold every block once, in order, and say where its numbers are.
void expect_all_blocks(const Layout& layout, const std::vector<BlockRun>& runs) {
  const auto unknowns = layout.unknowns();
  int next = 0;
  for (const BlockRun& run : runs) {
    EXPECT_EQ(run.first, next);
    next = run.last;
    if (run.of == Of::others) continue;
    int local = run.local, dof = run.dof, value = run.value;
    for (int i = run.first; i < run.last; ++i) {
      const UnknownBlock& u = unknowns[at(i)];
      EXPECT_EQ(u.local, local);
      EXPECT_EQ(u.offset.dof, dof);
      EXPECT_EQ(u.offset.value, value);
      EXPECT_EQ(u.owned, run.owned);
      local += u.size;
      dof += u.size;
      value += value_size(u.kind, u.size);
      if (run.of == Of::frames)
        EXPECT_EQ(u.kind, (i - run.first) % 2 == 0 ? BlockKind::position : BlockKind::rotation);
      else
        EXPECT_TRUE(is_multiplier(u.kind));
    }
    EXPECT_EQ(local, run.local + run.size);
  }
  EXPECT_EQ(at(next), unknowns.size());
}

std::vector<Of> kinds_of(const std::vector<BlockRun>& runs) {
  std::vector<Of> kinds;
  for (const BlockRun& run : runs) kinds.push_back(run.of);
  return kinds;
}

TEST(BlockRuns, hold_what_is_alike_wherever_it_stands_in_the_case) {
  TestSystem system;
  system.entity("frames");
  system.builder.add_frame("a", Mat3::Identity(), Vec3::Zero());
  system.builder.add_frame("b", Mat3::Identity(), Vec3::Zero());
  system.entity("forces");
  system.add_force(2);
  system.add_force(3);
  system.entity("numbers");
  system.add_length("s");
  system.add_state("y");
  system.builder.add_frame("c", Mat3::Identity(), Vec3::Zero());
  system.finish(PETSC_COMM_SELF);
  const std::vector<BlockRun> runs = block_runs_of(*system.layout);
  expect_all_blocks(*system.layout, runs);
  EXPECT_EQ(kinds_of(runs), (std::vector{Of::frames, Of::others, Of::multipliers}));
  EXPECT_EQ(runs[0].size, 18);
  EXPECT_EQ(runs[1].last - runs[1].first, 2);
  EXPECT_EQ(runs[2].size, 5);
}

TEST(BlockRuns, leave_blocks_with_stabilizing_unknowns_to_themselves) {
  Chain chain(3, MPI_COMM_NULL);
  const Layout layout(PETSC_COMM_SELF, *chain.model, LayoutOptions{.stabilized = true});
  const std::vector<BlockRun> runs = block_runs_of(layout);
  expect_all_blocks(layout, runs);
  EXPECT_EQ(kinds_of(runs), std::vector{Of::others});
}

/// The largest contribution by kind, and the sum of all by dof offset, one number after the other.
struct PlainSum final : ContributionSink {
  const RangePlan* plan = nullptr;
  std::vector<double> sum;
  FieldScales scales;

  void add(int i, LocalSystem& contribution) override {
    int k = 0;
    for (const StencilBlock& b : plan->stencil(i)) {
      const int dof = plan->offset_of[at(i)][k++].dof;
      double& largest = scales.contribution[at(static_cast<int>(b.kind))];
      for (int j = 0; j < b.size; ++j) {
        const double number = contribution.residual()[b.offset + j];
        sum[at(dof + j)] += number;
        largest = std::max(largest, std::abs(number));
      }
    }
  }
};

TEST(ResidualSums, by_frames_are_those_of_one_number_after_the_other) {
  Chain chain(4, PETSC_COMM_SELF);
  State state = chain.layout->initial_state();
  double next = 0.1;
  for (std::vector<double>* numbers : {&state.rate, &state.acceleration})
    for (double& number : *numbers) number = std::sin(next += 1.7);
  for (const UnknownBlock& u : chain.layout->unknowns())
    for (int k = 0; is_multiplier(u.kind) && k < u.size; ++k)
      state.value[at(u.offset.value + k)] = std::sin(next += 0.9);
  Vec r = chain.layout->create_vector();
  ASSERT_TRUE(chain.assembler->residual(state, ConstraintLevel::position, r));
  PlainSum plain;
  plain.sum.assign(chain.layout->dof_count(), 0.0);
  for (const RangePlan& plan : chain.assembler->plans()) {
    plain.plan = &plan;
    for (const InstanceRun& run : plan.runs)
      plan.range->evaluate(run.first, run.last, state, plan.offset_of, {}, plain);
  }
  EXPECT_EQ(chain.assembler->scales().contribution, plain.scales.contribution);
  const PetscScalar* rows = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(r, &rows));
  for (const UnknownBlock& u : chain.layout->unknowns())
    for (int k = 0; k < u.size; ++k) EXPECT_EQ(rows[u.local + k], plain.sum[at(u.offset.dof + k)]);
  TRAMMEL_PETSC(VecRestoreArrayRead(r, &rows));
  TRAMMEL_PETSC(VecDestroy(&r));
}

}  // namespace
}  // namespace trammel::testing
