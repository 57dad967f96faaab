#include "solvers/reactions/joint_reactions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "kernel/model_builder.hpp"
#include "tests/kernel/small_systems.hpp"

namespace trammel {
namespace {

using testing::begin;

/// A mass of 2 kg under gravity, which counts how often it is evaluated.
struct Weight {
  std::shared_ptr<int> evaluations = std::make_shared<int>(0);
  void evaluate(const LocalState& x, LocalSystem& out) const {
    ++*evaluations;
    out.residual() = 2.0 * x.acceleration(0) + Vec3(0, 0, 19.62);
  }
};

/// A joint that identifies what it connects.
struct Shared {
  void evaluate(const LocalState&, LocalSystem&) const {}
};

/// A weight on the ground, from which hang two weights; and one that lies apart.
struct HangingWeights : ::testing::Test {
  Model model;
  ModelBuilder builder{model};
  int hook = -1, link = -1;
  Weight hanging, apart;

  void SetUp() override {
    begin(builder, "upper");
    const BlockId p = builder.add_position("p", Vec3::Zero());
    builder.add(hanging, {p});
    begin(builder, "lower");
    const BlockId q = builder.add_position("q", Vec3::Zero());
    builder.add(hanging, {q});
    builder.add(hanging, {q});
    begin(builder, "apart");
    builder.add(apart, {builder.add_position("r", Vec3::Zero())});
    hook = begin(builder, "hook");
    const BlockId above = builder.add_multiplier("force", rows_of(Dimension::length, 3));
    builder.offer_identity(Marker::ground(), Marker::on_point(p), FramePart::position, above);
    builder.add(Shared{}, {p, above});
    link = begin(builder, "link");
    const BlockId between = builder.add_multiplier("force", rows_of(Dimension::length, 3));
    builder.offer_identity(Marker::on_point(p), Marker::on_point(q), FramePart::position, between);
    builder.add(Shared{}, {p, q, between});
  }
};

TEST_F(HangingWeights, are_carried_by_their_joints) {
  Layout layout(PETSC_COMM_SELF, model, {});
  EXPECT_EQ(layout.global_size(), 3);
  Assembler assembler(model, layout);
  JointReactions reactions(assembler);
  EXPECT_TRUE(reactions.any());
  reactions.update(layout.initial_state());
  std::map<int, Vec3> force;
  for (const RangePlan& plan : assembler.plans())
    for (const int i : plan.instances)
      if (const ReactionContributions its = reactions.of(plan, i); its.has_force)
        force[plan.range->entity(i)] = its.force_on_A;
  ASSERT_EQ(force.size(), 2U);
  // The joint pulls the ground down with three weights, and the upper body with two.
  EXPECT_TRUE(force.at(hook).isApprox(Vec3(0, 0, -3 * 19.62)));
  EXPECT_TRUE(force.at(link).isApprox(Vec3(0, 0, -2 * 19.62)));
}

TEST_F(HangingWeights, are_evaluated_alone) {
  Layout layout(PETSC_COMM_SELF, model, {});
  Assembler assembler(model, layout);
  JointReactions reactions(assembler);
  *hanging.evaluations = *apart.evaluations = 0;
  reactions.update(layout.initial_state());
  EXPECT_EQ(*hanging.evaluations, 3);
  EXPECT_EQ(*apart.evaluations, 0);
}

}  // namespace
}  // namespace trammel
