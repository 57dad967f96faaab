// Runs of blocks of unknowns, of numbers with weights, and what the assembler adds up by frames.

#include "solvers/newton/block_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "kernel/instance_plan.hpp"
#include "kernel/petsc_call.hpp"
#include "solvers/newton/numbers_after_frames.hpp"
#include "solvers/newton/step_equations.hpp"
#include "solvers/newton/weighed_runs.hpp"
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

TEST(WeighedRuns, give_each_number_its_weight) {
  TestSystem system;
  system.entity("all");
  for (const char* name : {"a", "b", "c"}) system.builder.add_frame(name, Mat3::Identity(), Vec3::Zero());
  system.add_length("s");
  system.add_length("t");
  system.add_state("y");
  system.add_force(3);
  system.add_force(2);
  system.finish(PETSC_COMM_SELF);
  const Layout& layout = *system.layout;
  std::vector<double> weights(at(layout.local_size()), 1.0), numbers(weights.size());
  for (const int rotation : {3, 4, 5, 9, 10, 11, 15, 16, 17}) weights[at(rotation)] = 50;
  weights[18] = 50;    // a length, as a rotation
  weights[19] = 0.5;   // another one
  weights.back() = 3;  // a multiplier beyond the first six of its run
  std::iota(numbers.begin(), numbers.end(), -8.0);
  int numbers_of_runs = 0;
  std::vector<UnknownRun::Of> kinds;
  double largest = 0;
  for (const WeighedRun& run : weighed_runs_of(layout, weights)) {
    for (int i = 0; i < run.size; ++i)
      EXPECT_EQ(run.weights[at(i % frame_size)], weights[at(run.local + i)]) << run.local + i;
    const UnknownBlock& u = *std::ranges::find_if(
        layout.unknowns(), [&](const UnknownBlock& its) { return run.local < its.local + its.size; });
    EXPECT_EQ(run.dof, u.offset.dof + run.local - u.local);
    EXPECT_EQ(run.of, run_of(u.kind));
    largest = std::max(largest, largest_weighed(numbers.data() + run.local, run.size, run.weights));
    numbers_of_runs += run.size;
    kinds.push_back(run.of);
  }
  using enum UnknownRun::Of;
  EXPECT_EQ(kinds, (std::vector{motion, motion, multipliers}));  // frames, lengths, without the state
  EXPECT_EQ(numbers_of_runs, layout.local_size() - 1);
  double expected = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i != 20) expected = std::max(expected, weights[i] * std::abs(numbers[i]));
  EXPECT_EQ(largest, expected);
}

TEST(WeighedRuns, are_split_where_weights_do_not_repeat) {
  TestSystem system;
  system.entity("all");
  for (int i = 0; i < 9; ++i) system.add_length("s" + std::to_string(i));
  system.finish(PETSC_COMM_SELF);
  std::vector<double> weights(9, 2.0);
  weights[7] = 5;
  const std::vector<WeighedRun> runs = weighed_runs_of(*system.layout, weights);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].size, 7);
  EXPECT_EQ(runs[1].dof, runs[0].dof + 7);
  EXPECT_EQ(runs[1].weights[0], 5);
  EXPECT_EQ(runs[1].weights[1], 2);
  const double few[] = {-3, 1};
  EXPECT_EQ(largest_weighed(few, 2, runs[1].weights), 15);
  EXPECT_DOUBLE_EQ(largest_weighed(few, 2, inverse(runs[1].weights)), 0.6);
}

TEST(NumbersAfterFrames, leave_out_the_frames_with_which_a_layout_begins) {
  TestSystem system;
  system.entity("frames");
  system.builder.add_frame("a", Mat3::Identity(), Vec3::Zero());
  system.builder.add_frame("b", Mat3::Identity(), Vec3::Zero());
  system.add_length("s");
  system.add_force(2);
  system.finish(PETSC_COMM_SELF);
  NumbersAfterFrames numbers;
  numbers.assign(*system.layout, block_runs_of(*system.layout), 1.5);
  EXPECT_FALSE(numbers.has(0));
  EXPECT_FALSE(numbers.has(11));
  EXPECT_TRUE(numbers.has(12));
  numbers[13] = 2.5;
  EXPECT_EQ(numbers.from(12)[0], 1.5);
  EXPECT_EQ(numbers.from(12)[1], 2.5);
  EXPECT_EQ(numbers.from(14)[0], 1.5);
}

TEST(NumbersAfterFrames, are_all_numbers_where_there_are_no_frames) {
  TestSystem system;
  system.entity("numbers");
  system.add_length("s");
  system.add_state("y");
  system.finish(PETSC_COMM_SELF);
  NumbersAfterFrames numbers;
  numbers.assign(*system.layout, block_runs_of(*system.layout), 1.5);
  EXPECT_TRUE(numbers.has(0));
  EXPECT_EQ(numbers.from(0)[1], 1.5);
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

/// The chain's initial state, in motion, with forces in its joints.
State moving(const Chain& chain) {
  State state = chain.layout->initial_state();
  double next = 0.1;
  for (std::vector<double>* numbers : {&state.rate, &state.acceleration})
    for (double& number : *numbers) number = std::sin(next += 1.7);
  for (const UnknownBlock& u : chain.layout->unknowns())
    for (int k = 0; is_multiplier(u.kind) && k < u.size; ++k)
      state.value[at(u.offset.value + k)] = std::sin(next += 0.9);
  return state;
}

/// Compares the assembler's residual with a plain sum: rows to `tolerance`.
void expect_plain_sum(Chain& chain, double tolerance) {
  const State state = moving(chain);
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
    for (int k = 0; k < u.size; ++k)
      ASSERT_NEAR(rows[u.local + k], plain.sum[at(u.offset.dof + k)], tolerance) << u.block;
  TRAMMEL_PETSC(VecRestoreArrayRead(r, &rows));
  TRAMMEL_PETSC(VecDestroy(&r));
}

TEST(ResidualSums, by_frames_are_those_of_one_number_after_the_other) {
  Chain chain(4, PETSC_COMM_SELF);
  expect_plain_sum(chain, 0);
}

// Bodies and joints are then evaluated in several turns, and forces of a body are added in another order.
TEST(ResidualSums, of_a_long_chain_leave_no_element_out) {
  Chain chain(1501, PETSC_COMM_SELF);
  expect_plain_sum(chain, 1e-13);
}

TEST(RangePlans, share_shapes_and_pairs_among_instances_that_are_alike) {
  Chain chain(40, PETSC_COMM_SELF);
  for (const RangePlan& plan : chain.assembler->plans()) {
    std::size_t most = 0;
    for (const int i : plan.instances) {
      const auto blocks = plan.stencil(i), shape = plan.shape(i);
      ASSERT_EQ(blocks.size(), shape.size());
      most = std::max(most, blocks.size());
      std::vector<BlockPair> pairs;
      for (int c = 0; c < static_cast<int>(blocks.size()); ++c) {
        const StencilBlock &b = blocks[at(c)], &its = shape[at(c)];
        EXPECT_EQ(b.kind, its.kind);
        EXPECT_EQ(b.size, its.size);
        EXPECT_EQ(b.offset, its.offset);
        EXPECT_EQ(b.own, its.own);
        EXPECT_EQ(b.begins_frame, its.begins_frame);
        for (int r = 0; r < static_cast<int>(blocks.size()); ++r)
          if (plan.range->couples(i, r, c))
            pairs.push_back({static_cast<std::int16_t>(r), static_cast<std::int16_t>(c)});
      }
      const auto coupled = plan.coupled(i);
      EXPECT_TRUE(std::equal(pairs.begin(), pairs.end(), coupled.begin(), coupled.end()));
    }
    EXPECT_LE(plan.shapes.size(), most);
    EXPECT_LE(plan.pairs.size(), most * most);
  }
}

// The trial of a step is that of the step before, and not all of it is copied again.
TEST(StepEquations, begin_from_a_base_whatever_was_tried_before) {
  Chain chain(40, MPI_COMM_NULL);
  chain.entity("numbers");
  chain.add_length("s", 0.3, 0.2);
  chain.add_state("y", 0.7);
  chain.finish(PETSC_COMM_SELF);
  State one = moving(chain), other = chain.layout->initial_state();
  const StepCoefficients coefficients{.velocity = 20, .acceleration = 400, .state_rate = 10};
  StepEquations reused(*chain.assembler, ModelScales()), fresh(*chain.assembler, ModelScales());
  Vec x = chain.layout->create_vector();
  const auto move = [&](StepEquations& equations, const State& base, double increment) {
    equations.begin(base, 0.1, coefficients, 1);
    TRAMMEL_PETSC(VecSet(x, increment));
    ASSERT_TRUE(equations.move_to(x));
  };
  move(reused, one, 0.01);
  std::swap(one, reused.solution());
  move(reused, other, 0.02);
  move(fresh, other, 0.02);
  EXPECT_EQ(reused.trial().value, fresh.trial().value);
  EXPECT_EQ(reused.trial().rate, fresh.trial().rate);
  EXPECT_EQ(reused.trial().acceleration, fresh.trial().acceleration);
  EXPECT_EQ(reused.trial().compensation, fresh.trial().compensation);
  TRAMMEL_PETSC(VecDestroy(&x));
}

}  // namespace
}  // namespace trammel::testing
