#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"
#include "trammel/index.hpp"

/// The first step's algorithmic accelerations on several ranks, those of blocks of other ranks included, are those of one rank.
namespace trammel::testing {
namespace {

/// Rods on ball joints that whirl, each with a state that lags behind a sine.
struct Whirl : TestSystem {
  std::vector<BlockId> moving, lags;

  explicit Whirl(MPI_Comm comm) {
    constexpr int rods = 12;
    const Vec3 half(0.5, 0, 0);
    Frame before;
    for (int i = 0; i < rods; ++i) {
      const std::string number = std::to_string(i);
      entity("rod" + number, "rigid_body");
      const Vec3 w(1 + 0.5 * i, 2 - 0.3 * i, -1 + 0.2 * i);
      const Frame rod = builder.add_frame("", Mat3::Identity(), Vec3(i + 0.5, 0, 0), w.cross(half), w);
      builder.add(TopBody{1, Vec3(0.02, 0.08, 0.09), Vec3(0, -9.81, 0)}, {rod.position, rod.rotation});
      moving.push_back(rod.position);
      moving.push_back(rod.rotation);
      entity("joint" + number, "spherical");
      const BlockId force = add_force();
      if (i == 0)
        builder.add(HeldPoint{-half, Vec3::Zero()}, {rod.position, rod.rotation, force});
      else
        builder.add(BallJoint{half, -half},
                    {before.position, before.rotation, rod.position, rod.rotation, force});
      entity("lag" + number);
      lags.push_back(add_state("lag", 1));
      builder.add(Follower{3.0 + i}, {lags.back()});
      before = rod;
    }
    finish(comm);
  }
};

class FirstStepOnRanks : public ::testing::TestWithParam<DynamicStage::Form> {};

TEST_P(FirstStepOnRanks, is_that_of_one_rank) {
  DynamicStage d;
  d.form = GetParam();
  d.until = d.step = 5e-3;
  d.newton.tolerance = 1e-13;
  const std::vector<Stage> motion{Stage{"", d}};
  const Whirl all(PETSC_COMM_WORLD), alone(PETSC_COMM_SELF);
  Simulation on_ranks(*all.assembler), on_one(*alone.assembler);
  on_ranks.run(motion);
  on_one.run(motion);
  const State &found = on_ranks.state(), &right = on_one.state();
  const auto same = [&](const std::vector<double>& one, const std::vector<double>& other, BlockId id,
                        int size) {
    if (!all.layout->knows(id)) return;
    for (int k = 0; k < size; ++k) {
      const double value = other[at(alone.layout->offset(id).dof + k)];
      EXPECT_NEAR(one[at(all.layout->offset(id).dof + k)], value, 1e-8 * std::max(1.0, std::abs(value)));
    }
  };
  double lead = 0;
  for (const BlockId id : all.moving) {
    same(found.rate, right.rate, id, 3);
    same(found.algorithmic, right.algorithmic, id, 3);
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = at(alone.layout->offset(id).dof + k);
      lead = std::max(lead, std::abs(right.algorithmic[i] - right.acceleration[i]));
    }
  }
  for (const BlockId id : all.lags) {
    same(found.rate, right.rate, id, 1);
    same(found.algorithmic, right.algorithmic, id, 1);
  }
  EXPECT_GT(lead, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Forms, FirstStepOnRanks,
                         ::testing::Values(DynamicStage::Form::index3, DynamicStage::Form::projected,
                                           DynamicStage::Form::index2, DynamicStage::Form::index1));

}  // namespace
}  // namespace trammel::testing
