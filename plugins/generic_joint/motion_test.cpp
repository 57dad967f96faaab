// Generic joints in motion: what the solvers make of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.hpp"
#include "solvers/newton/model_scales.hpp"
#include "solvers/reactions/joint_reactions.hpp"
#include "solvers/run/simulation.hpp"
#include "solvers/start/consistent_start.hpp"
#include "tests/solvers/test_models.hpp"
#include "trammel/activity.hpp"

namespace trammel::generic_joint {
namespace {

using ::testing::HasSubstr;
using trammel::testing::TestSystem;
using trammel::testing::TopBody;

const Vec3 no_field = Vec3::Zero();

/// Bodies with joints between them.
struct Bodies : TestSystem {
  std::vector<Frame> frames;
  std::vector<BlockId> multipliers;
  TopBody body{2, Vec3(0.3, 0.5, 0.4), no_field};

  Frame add(const Mat3& R, const Vec3& p, const Vec3& v = Vec3::Zero(), const Vec3& w = Vec3::Zero()) {
    entity("body" + std::to_string(frames.size()), "rigid_body");
    frames.push_back(builder.add_frame("", R, p, v, w));
    builder.add(body, {frames.back().position, frames.back().rotation});
    return frames.back();
  }
  /// A joint that is active while `active` is positive; null: always.
  void join(Definition d, FunctionPtr active = nullptr) {
    entity("joint", "generic");
    Activity activity;
    activity.function = active;
    if (active) builder.set_activity(activity);
    GenericJoint joint(std::move(d));
    std::vector<BlockId> stencil = joint.blocks();
    if (joint.translation_count() > 0)
      stencil.push_back(
          builder.add_multiplier("force", rows_of(Dimension::length, joint.translation_count())));
    if (joint.rotation_count() > 0)
      stencil.push_back(builder.add_multiplier("moment", rows_of(Dimension::angle, joint.rotation_count())));
    for (const BlockId id : stencil)
      if (is_multiplier(model->block(id).kind)) multipliers.push_back(id);
    builder.add(std::move(joint), std::move(stencil));
  }
  Vec3 position(const State& s, int k) const {
    return Eigen::Map<const Vec3>(value(s, frames[static_cast<std::size_t>(k)].position));
  }
  Mat3 rotation(const State& s, int k) const {
    return Eigen::Map<const Mat3>(value(s, frames[static_cast<std::size_t>(k)].rotation));
  }
  Vec3 velocity(const State& s, int k) const {
    return Eigen::Map<const Vec3>(rate(s, frames[static_cast<std::size_t>(k)].position));
  }
  RecordedOutputs report(const State& s) {
    RecordedOutputs out;
    JointReactions reactions(*assembler);
    reactions.update(s);
    assembler->each_instance(s, [&](const RangePlan& plan, int i, const LocalState& x) {
      if (dynamic_cast<const RangeOf<GenericJoint>*>(plan.range) != nullptr)
        plan.range->outputs(i, x, reactions.of(plan, i), out);
    });
    return out;
  }
};

Stage motion(double until, double step, DynamicStage::Form form = DynamicStage::Form::index3) {
  DynamicStage d;
  d.until = until;
  d.step = step;
  d.form = form;
  d.newton.tolerance = 1e-11;
  return {"", d};
}

/// Two bodies of which the second is placed so that the joint is closed.
struct Pair : Bodies {
  Definition d;
  FunctionPtr active;
  explicit Pair(const LockedAxes& axes, bool rotates = true) {
    const Frame first = add(so3::exp(Vec3(0.3, 0.2, -0.5)), Vec3(0.1, -0.2, 0.4), Vec3(0.3, 0.1, -0.2),
                            rotates ? Vec3(0.7, -0.4, 0.9) : Vec3(Vec3::Zero()));
    d = definition_of(axes, Marker::on_frame(first, tilted(), Vec3(0.4, 0.1, -0.3)), Marker::ground());
    const InitialMotion a = builder.initial(d.J0);
    const Mat3 R_FM = tilted() * tilted();
    const Vec3 p_FM(-0.5, 0.2, 0.1);
    const FreePose pose(axes, Vec3(0.3, -0.2, 0.25), Vec3(0.6, -0.5, 0.4));
    const Mat3 R_WM = a.R_WM * pose.R_AB, R_WF = R_WM * R_FM.transpose();
    const Frame second = add(R_WF, a.p_WM + a.R_WM * pose.p_AB_A - R_WF * p_FM, Vec3(-0.2, 0.4, 0.1),
                             rotates ? Vec3(-0.5, 0.8, 0.3) : Vec3(Vec3::Zero()));
    d.J1 = Marker::on_frame(second, R_FM, p_FM);
  }
  void build() {
    join(d, active);
    finish();
  }
  Vec3 momentum(const State& s) const { return body.mass * (velocity(s, 0) + velocity(s, 1)); }
  Vec3 angular_momentum(const State& s) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 2; ++k) {
      const Vec3 w = Eigen::Map<const Vec3>(rate(s, frames[static_cast<std::size_t>(k)].rotation));
      sum += position(s, k).cross(body.mass * velocity(s, k)) + rotation(s, k) * body.inertia.cwiseProduct(w);
    }
    return sum;
  }
};

TEST(GenericJointInMotion, keeps_axes_momentum_and_energy_for_all_flags) {
  for (unsigned bits = 0; bits < 64; ++bits)
    for (const auto form : {DynamicStage::Form::index3, DynamicStage::Form::index2}) {
      Pair pair(axes_of(bits));
      pair.build();
      Simulation simulation(*pair.assembler);
      // A first short stage makes the velocities consistent.
      const Stage stages[] = {motion(0.001, 0.001, form)};
      simulation.run(stages);
      const State begin = simulation.state();
      const RecordedOutputs from = pair.report(begin);
      const Stage rest[] = {motion(0.4, 0.01, form)};
      Simulation on(*pair.assembler, begin);
      on.run(rest);
      const std::string what = text(pair.d.axes);
      EXPECT_LT(on.summary().largest_violation, 1e-10) << what;
      EXPECT_LT((pair.momentum(on.state()) - pair.momentum(begin)).norm(), 1e-10) << what;
      EXPECT_LT((pair.angular_momentum(on.state()) - pair.angular_momentum(begin)).norm(), 2e-3) << what;
      EXPECT_LT(on.summary().largest_gain, 2e-4) << what;

      const RecordedOutputs to = pair.report(on.state());
      const Vec3 slid = to.vectors.at("displacement_local") - from.vectors.at("displacement_local");
      const Vec3 turned = to.vectors.at("rotation") - from.vectors.at("rotation");
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(std::abs(slid[k]) > 1e-3, !pair.d.axes.translation(k)) << what;
        if (pair.d.axes.rotations() != 1) {
          EXPECT_EQ(std::abs(turned[k]) > 1e-3, !pair.d.axes.rotation(k)) << what << turned.transpose();
        }
      }
    }
}

TEST(GenericJointInMotion, starts_with_the_acceleration_of_the_offset) {
  // The offset p0 (1 - cos(20 pi t)): at rest at the start, with the acceleration p0 (20 pi)^2.
  const double p0 = 0.01, omega = 20 * std::numbers::pi, expected = p0 * omega * omega;
  for (const bool partly : {false, true}) {
    Bodies system;
    system.body.field = trammel::testing::gravity;
    const Frame frame = system.add(tilted(), Vec3(0.2, 0.3, 0.4));
    LockedAxes axes;
    if (partly) axes.flag[1] = false;  // in axes of J0
    Definition d =
        definition_of(axes, Marker::ground(tilted(), Vec3(0.2, 0.3, 0.4)), Marker::on_frame(frame));
    d.offsets.translation[0] = time_function([=](Jet t) { return p0 * (Jet(1.0) - cos(omega * t)); });
    system.join(d);
    system.finish();
    State state = system.layout->initial_state();
    const ModelScales scales = measure_scales(*system.assembler, state);
    Timings timings;
    ModelHistory history(*system.assembler);
    ConsistentStart start(history, scales, timings);
    EXPECT_NEAR(start.velocities(state), 0, 1e-15);
    start.accelerations(state);
    const Vec3 a =
        Eigen::Map<const Vec3>(state.acceleration.data() + system.layout->offset(frame.position).dof);
    const Vec3 axis = partly ? Vec3(tilted().col(0)) : Vec3(Vec3::UnitX());
    const Vec3 along =
        partly ? Vec3(tilted().col(1) * tilted().col(1).dot(trammel::testing::gravity)) : Vec3(Vec3::Zero());
    EXPECT_LT((a - expected * axis - along).norm(), 1e-9 * expected);
    const Vec3 force = system.report(state).vectors.at("force_world");
    EXPECT_LT((force - system.body.mass * (expected * axis + along - trammel::testing::gravity)).norm(),
              1e-8 * expected);
  }
}

TEST(GenericJointInMotion, starts_consistently_with_a_nonzero_velocity_of_the_offset) {
  Bodies system;
  const Frame frame = system.add(Mat3::Identity(), Vec3(1, 0, 0));
  Definition d = definition_of({}, Marker::ground(Mat3::Identity(), Vec3(1, 0, 0)), Marker::on_frame(frame));
  d.offsets.translation[1] = time_function([](Jet t) { return 3.0 * t; });
  d.offsets.rotation[2] = time_function([](Jet t) { return 2.0 * t; });
  system.join(d);
  system.finish();
  Simulation simulation(*system.assembler);
  const Stage stages[] = {motion(0.5, 0.01)};
  simulation.run(stages);
  EXPECT_NEAR(simulation.summary().start_energy_change, 0.5 * 2 * 9 + 0.5 * 0.4 * 4, 1e-10);
  EXPECT_LT((system.position(simulation.state(), 0) - Vec3(1, 1.5, 0)).norm(), 1e-10);
  EXPECT_LT((system.rotation(simulation.state(), 0) - so3::exp(Vec3(0, 0, 1))).norm(), 1e-10);
}

/// A moment of -k times the rotation vector.
struct RotationSpring {
  static constexpr double k = 5;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 theta = so3::log(Mat3(x.rotation(0)));
    out.residual() = k * theta;
    if (out.request.tangent) out.K() = k * so3::T_inverse(theta);
  }
};

TEST(GenericJointInMotion, returns_from_170_degrees_in_statics_with_the_alternative) {
  // A body on an arm, 170 degrees off about several axes. Closed, its origin lies at -arm. Where all axes are locked it
  // has weight; where the turn about x is free a soft spring says where it comes to rest.
  const double angle = 170 * std::numbers::pi / 180;
  for (const unsigned bits : {63U, 55U})
    for (const Vec3& about : {Vec3(0, 1, 0), Vec3(0, 0.6, -0.8), Vec3(0, 0.6, 0.8)}) {
      Bodies system;
      const Vec3 arm(0.5, 0, 0), weight(0, 0, bits == 63 ? -2 * 9.81 : 0);
      system.body.field = weight / system.body.mass;
      const Frame frame = system.add(so3::exp(Vec3(angle * about)), Vec3(0.2, 0.1, 0.3));
      Definition d =
          definition_of(axes_of(bits), Marker::ground(), Marker::on_frame(frame, Mat3::Identity(), arm));
      d.alternative = true;
      system.join(d);
      system.entity("spring", "rotation_spring");
      system.builder.add(RotationSpring{}, {frame.rotation});
      system.finish();
      Simulation simulation(*system.assembler);
      StaticStage stage;
      stage.until = 1;
      const Stage stages[] = {{"", stage}};
      simulation.run(stages);
      const Mat3 R = system.rotation(simulation.state(), 0);
      EXPECT_LT((R - Mat3::Identity()).norm(), 1e-9) << R;
      EXPECT_LT((system.position(simulation.state(), 0) + arm).norm(), 1e-9);
      const RecordedOutputs out = system.report(simulation.state());
      EXPECT_LT((out.vectors.at("force_local") + weight).norm(), 1e-8);
      EXPECT_LT((out.vectors.at("torque_local") - arm.cross(weight)).norm(), 1e-8);
    }
}

TEST(GenericJointInMotion, refuses_cosines_that_come_to_rest_half_a_turn_away) {
  Bodies system;
  const Frame frame = system.add(so3::exp(Vec3(0, 170 * std::numbers::pi / 180, 0)), Vec3::Zero());
  system.entity("joint", "generic");
  GenericJoint joint(definition_of({}, Marker::ground(), Marker::on_frame(frame)));
  joint.start_off_branch();
  std::vector<BlockId> stencil = joint.blocks();
  stencil.push_back(system.builder.add_multiplier("force", rows_of(Dimension::length, 3)));
  stencil.push_back(system.builder.add_multiplier("moment", rows_of(Dimension::angle, 3)));
  system.builder.add(std::move(joint), std::move(stencil));
  system.finish();
  Simulation simulation(*system.assembler);
  const Stage stages[] = {{"", StaticStage{}}};
  try {
    simulation.run(stages);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("came to rest half a turn from where they should be"));
    EXPECT_THAT(e.what(), HasSubstr("`alternative: yes`"));
  }
}

TEST(GenericJointInMotion, lets_a_body_fall_freely_once_it_is_inactive) {
  for (const auto form : {DynamicStage::Form::index3, DynamicStage::Form::index2}) {
    Bodies system;
    system.body.field = trammel::testing::gravity;
    const Frame frame = system.add(Mat3::Identity(), Vec3(0, 0, 1));
    Definition d =
        definition_of({}, Marker::ground(Mat3::Identity(), Vec3(0, 0, 1)), Marker::on_frame(frame));
    system.join(d, time_function([](Jet t) { return 0.25 - t; }));
    system.finish();
    Simulation simulation(*system.assembler);
    // It becomes inactive on the border of two stages, and the second begins with the acceleration of free fall.
    const Stage stages[] = {motion(0.25, 0.01, form), motion(0.55, 0.01, form)};
    simulation.run(stages);
    EXPECT_NEAR(system.position(simulation.state(), 0)[2], 1 - 0.5 * 9.81 * 0.3 * 0.3, 1e-10);
    EXPECT_NEAR(system.velocity(simulation.state(), 0)[2], -9.81 * 0.3, 1e-10);
    EXPECT_LT(system.report(simulation.state()).vectors.at("force_world").norm(), 1e-10);
    for (const BlockId force : system.multipliers)
      for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(system.assembler->statuses().inactive(force, i));
        EXPECT_EQ(system.value(simulation.state(), force)[i], 0);
      }
    EXPECT_EQ(system.multipliers.size(), 2U);
  }
}

TEST(GenericJointInMotion, ends_the_step_at_which_it_becomes_inactive) {
  const auto height = [](double h, DynamicStage::Form form) {
    Bodies system;
    system.body.field = trammel::testing::gravity;
    const Frame frame = system.add(Mat3::Identity(), Vec3(0, 0, 1));
    Definition d =
        definition_of({}, Marker::ground(Mat3::Identity(), Vec3(0, 0, 1)), Marker::on_frame(frame));
    system.join(d, time_function([](Jet t) { return 0.2537 - t; }));
    system.finish();
    Simulation simulation(*system.assembler);
    const Stage stages[] = {motion(0.5, h, form)};
    simulation.run(stages);
    return system.position(simulation.state(), 0)[2];
  };
  const double fallen = 0.5 - 0.2537, exact = 1 - 0.5 * 9.81 * fallen * fallen;
  // At rest, then in free fall: both are exact, and the run goes on from consistent accelerations.
  for (const auto form : {DynamicStage::Form::index3, DynamicStage::Form::index2, DynamicStage::Form::index1})
    EXPECT_NEAR(height(0.01, form), exact, 1e-10);
}

TEST(GenericJointInMotion, takes_an_impulse_at_the_end_of_a_stage) {
  // Two bodies drift towards and past each other; at t = 0.5 the joint closes as they stand.
  Pair pair(axes_of(63), false);
  pair.active = time_function([](Jet t) { return t - 0.5; });
  pair.build();
  Simulation simulation(*pair.assembler);
  const Stage apart[] = {motion(0.5, 0.01)}, together[] = {motion(1, 0.01)};
  double before = 0;
  for (int k = 0; k < 2; ++k)
    before += 0.5 * pair.body.mass * pair.velocity(simulation.state(), k).squaredNorm();
  simulation.run(apart);
  // Afterwards they are one body, with the momentum and the angular momentum that there were.
  const State& s = simulation.state();
  const double m = pair.body.mass;
  const Vec3 P = pair.momentum(s), centre = 0.5 * (pair.position(s, 0) + pair.position(s, 1));
  const Vec3 L = pair.angular_momentum(s) - centre.cross(P);
  Mat3 J = Mat3::Zero();
  for (int k = 0; k < 2; ++k) {
    const Mat3 R = pair.rotation(s, k), arm = skew(pair.position(s, k) - centre);
    J += R * pair.body.inertia.asDiagonal() * R.transpose() - m * arm * arm;
  }
  const double after = P.squaredNorm() / (4 * m) + 0.5 * L.dot(J.inverse() * L);
  simulation.run(together);
  EXPECT_NEAR(simulation.summary().start_energy_change, after - before, 1e-10);
  EXPECT_LT(after - before, -0.01);
  EXPECT_LT((pair.momentum(s) - P).norm(), 1e-10);
  const RecordedOutputs out = pair.report(s);
  for (const BlockId id : pair.multipliers) EXPECT_TRUE(pair.assembler->statuses().all_active(id));
  EXPECT_GT(out.vectors.at("force_world").norm(), 0);
  // Rigid from then on.
  const auto relative = [&](const State& at) {
    return Vec3(pair.rotation(at, 0).transpose() * (pair.position(at, 1) - pair.position(at, 0)));
  };
  const Vec3 held = relative(s);
  Simulation on(*pair.assembler, s);
  const Stage more[] = {motion(1.5, 0.01)};
  on.run(more);
  EXPECT_LT((relative(on.state()) - held).norm(), 1e-9);
}

TEST(GenericJointInMotion, takes_an_impulse_inside_a_stage) {
  // The same as where a stage begins: at the border of two steps, and inside of one.
  for (const auto form : {DynamicStage::Form::index3, DynamicStage::Form::index2, DynamicStage::Form::index1})
    for (const double time : {0.5, 0.5037}) {
      const auto run = [&](const std::vector<Stage>& stages, Vec3& L, double& taken) {
        Pair pair(axes_of(63), false);
        pair.active = time_function([time](Jet t) { return t - time; });
        pair.build();
        Simulation simulation(*pair.assembler);
        simulation.run(stages);
        taken = simulation.summary().start_energy_change;
        L = pair.angular_momentum(simulation.state());
        return Vec3(pair.position(simulation.state(), 1));
      };
      Vec3 L, L_whole;
      double taken = 0, taken_whole = 0;
      const Vec3 p = run({motion(time, 0.01, form), motion(0.6, 0.01, form)}, L, taken);
      const Vec3 whole = run({motion(0.6, 0.01, form)}, L_whole, taken_whole);
      EXPECT_LT(taken, -0.01);
      EXPECT_NEAR(taken_whole, taken, 1e-3 * std::abs(taken));
      EXPECT_LT((whole - p).norm(), 1e-4);
      EXPECT_LT((L_whole - L).norm(), 1e-4);
    }
}

/// What a run ends with whose offset along y is f.
std::string run_with(FunctionPtr f, std::vector<Stage> stages) {
  Bodies system;
  const Frame frame = system.add(Mat3::Identity(), Vec3::Zero());
  Definition d = definition_of({}, Marker::ground(), Marker::on_frame(frame));
  d.offsets.translation[1] = std::move(f);
  system.join(d);
  system.finish();
  Simulation simulation(*system.assembler);
  try {
    simulation.run(stages);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

/// f before t = 0.25, g from then on.
template <class F, class G>
FunctionPtr spliced(F f, G g) {
  return time_function([=](Jet t) { return t.value < 0.25 ? f(t) : g(t); });
}

TEST(GenericJointInMotion, refuses_an_offset_that_jumps_in_the_run) {
  const auto slow = [](Jet t) { return 0.2 * t; };
  const auto shifted = [](Jet t) { return 0.2 * t + 0.01; };
  const auto fast = [](Jet t) { return 0.05 + 0.4 * (t - 0.25); };
  for (const double h : {0.01, 0.0071}) {  // the jump at the end of a step, and inside
    EXPECT_THAT(run_with(spliced(slow, shifted), {motion(0.5, h)}),
                HasSubstr("jumps: its value changes by 0.01 m at t = 0.25;"));
    EXPECT_THAT(run_with(spliced(slow, fast), {motion(0.5, h)}),
                h == 0.01
                    ? HasSubstr("an offset whose rate jumps at t = 0.25 finds a relative velocity of 0.2")
                    : HasSubstr("jumps: its rate changes by 0.2 m/s at t = 0.25;"));
  }
  // A new stage takes the jump of the velocity; load steps may go where they like.
  EXPECT_EQ(run_with(spliced(slow, fast), {motion(0.25, 0.01), motion(0.5, 0.01)}), "");
  EXPECT_EQ(run_with(spliced(slow, shifted), {{"", StaticStage{}}}), "");
  // Smooth, but small beside what cancels in it.
  EXPECT_EQ(run_with(time_function([](Jet t) { return 0.5 * t * t + 5.7 * (cos(0.4189 * t) - 1.0); }),
                     {motion(0.1, 0.005)}),
            "");
  // Steep, but smooth.
  EXPECT_EQ(run_with(time_function([](Jet t) { return 1e-3 * sin(400.0 * t); }), {motion(0.1, 0.005)}), "");
}

TEST(GenericJointInMotion, must_be_closed_to_close_exactly) {
  Pair pair(axes_of(63), false);
  pair.active = time_function([](Jet t) { return t - 0.5; });
  pair.d.hold = false;
  pair.build();
  Simulation simulation(*pair.assembler);
  const Stage stages[] = {motion(0.5, 0.01), motion(1, 0.01)};
  try {
    simulation.run(stages);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the joint is to become active at t = 0.5, but its equation "));
  }
}

}  // namespace
}  // namespace trammel::generic_joint
