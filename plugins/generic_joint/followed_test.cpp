#include "followed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.hpp"
#include "solvers/run/simulation.hpp"
#include "tests/solvers/test_models.hpp"
#include "trammel/activity.hpp"

namespace trammel::generic_joint {
namespace {

/// a + b s, where s is the one signal it reads.
class Linear final : public Function {
 public:
  Linear(double a, double b) : Function("a + b*s", {"s"}), a_(a), b_(b) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double, std::span<const double> s, FunctionValue& out) const override {
    out.reset(1);
    out.value = a_ + b_ * s[0];
    out.gradient[0] = b_;
  }
  double a_, b_;
};

TEST(FollowedSignals, are_extrapolated_with_their_rates) {
  const auto signals = std::make_shared<FollowedSignals>();
  const auto distance = distance_signal(Marker::ground(), Marker::on_point(0));
  EXPECT_EQ(signals->add(distance, "distance"), 0);
  EXPECT_EQ(signals->add(distance, "distance"), 0);
  TestState s({sample_block(BlockKind::position, 3, "point")});
  s.state().time = 2;
  s.state().value = {3, 0, 0};
  s.state().rate = {0.5, 0, 0};
  s.state().acceleration = {0.4, 0, 0};
  signals->update(s.local(), 0);
  const FunctionPtr f = followed(std::make_shared<Linear>(1, 2), signals, {0});
  EXPECT_TRUE(f->depends_on_time_only());
  const Jet j = f->at(2.5);
  EXPECT_NEAR(j.value, 1 + 2 * (3 + 0.25 + 0.05), 1e-14);
  EXPECT_NEAR(j.first, 2 * (0.5 + 0.2), 1e-14);
  EXPECT_NEAR(j.second, 0.8, 1e-14);

  // As they were read, from what is saved of them.
  Archive saved;
  SignalReadings readings = signals->readings();
  readings.serialize(saved);
  FollowedSignals other;
  other.add(distance, "distance");
  EXPECT_NE(other.at(0, 2.5).value, signals->at(0, 2.5).value);
  Archive reader(saved.bytes());
  SignalReadings read;
  read.serialize(reader);
  other.set_readings(read);
  EXPECT_EQ(other.time(), 2);
  EXPECT_EQ(other.at(0, 2.5).value, signals->at(0, 2.5).value);
}

/// A body that flies along x past another, which a joint holds to the ground.
struct Flight : trammel::testing::TestSystem {
  Frame flying, held;
  Definition d;
  std::shared_ptr<FollowedSignals> signals = std::make_shared<FollowedSignals>();

  Flight() {
    const trammel::testing::TopBody body{2, Vec3(0.3, 0.5, 0.4), Vec3::Zero()};
    entity("flying", "rigid_body");
    flying = builder.add_frame("", Mat3::Identity(), Vec3(1, 0, 0), Vec3(2, 0, 0));
    builder.add(body, {flying.position, flying.rotation});
    entity("held", "rigid_body");
    held = builder.add_frame("", Mat3::Identity(), Vec3::Zero(), Vec3(0, 1, 0));
    builder.add(trammel::testing::TopBody{2, Vec3(0.3, 0.5, 0.4), Vec3(0, 0, -10)},
                {held.position, held.rotation});
    d = definition_of({}, Marker::ground(), Marker::on_frame(held));
    signals->add(distance_signal(Marker::ground(), Marker::on_frame(flying)), "distance");
    d.signals = signals;
  }
  /// Runs with a joint that is active while `active` is positive; null: always.
  State run(FunctionPtr active = nullptr) {
    State state;
    std::vector<BlockOffset> offsets;
    for (const BlockId id : signals->blocks()) {
      offsets.push_back(
          {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
      append_initial(model->block(id), state);
    }
    state.acceleration.assign(state.rate.size(), 0.0);
    signals->update(LocalState(state, offsets.data()), 0);
    entity("joint", "generic");
    Activity activity;
    activity.function = active;
    if (active) builder.set_activity(activity);
    GenericJoint joint(d);
    std::vector<BlockId> stencil = joint.blocks();
    stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, 3)));
    stencil.push_back(builder.add_multiplier("moment", rows_of(Dimension::angle, 3)));
    stencil.insert(stencil.end(), signals->blocks().begin(), signals->blocks().end());
    builder.add(std::move(joint), std::move(stencil));
    finish();
    Simulation simulation(*assembler);
    DynamicStage stage;
    stage.until = 1;
    stage.step = 0.01;
    const Stage stages[] = {{"", stage}};
    simulation.run(stages);
    return simulation.state();
  }
};

TEST(FollowedSignals, lead_an_offset) {
  // y = 0.5 (s - 1), s = 1 + 2t: the held body goes along y with 1 m/s.
  Flight flight;
  flight.d.offsets.translation[1] = followed(std::make_shared<Linear>(-0.5, 0.5), flight.signals, {0});
  const State s = flight.run();
  EXPECT_LT((Eigen::Map<const Vec3>(flight.value(s, flight.held.position)) - Vec3(0, 1, 0)).norm(), 1e-9);
}

TEST(FollowedSignals, end_the_activity_where_they_cross) {
  // Active until s = 2, at t = 0.5; the body stands still, and the first step of its fall is the only one in error.
  Flight flight;
  const State s = flight.run(followed(std::make_shared<Linear>(2.0037, -1), flight.signals, {0}));
  const double fall = 1 - 0.50185;
  const double z = flight.value(s, flight.held.position)[2];
  EXPECT_NEAR(z, -5 * fall * fall, 0.01 * 10 * fall);
  EXPECT_LT(z, -1);
}

}  // namespace
}  // namespace trammel::generic_joint
