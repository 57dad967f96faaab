#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"

/// The first step after a start or a restart errs as later ones do, by h^3 in velocities too: its algorithmic accelerations
/// contain the change of the accelerations in all directions, along constraints and free of them.
namespace trammel::testing {
namespace {

const DynamicStage::Form forms[] = {DynamicStage::Form::index3, DynamicStage::Form::projected,
                                    DynamicStage::Form::index2, DynamicStage::Form::index1};
const char* const names[] = {"index 3", "projected", "index 2", "index 1"};

std::vector<Stage> motion(DynamicStage::Form form, double h, double until) {
  DynamicStage d;
  d.form = form;
  d.until = until;
  d.step = h;
  d.newton.tolerance = 1e-13;
  return {Stage{"", d}};
}

constexpr double mass = 15, pull = 3;
const Vec3 inertia(0.3, 0.46875, 0.234375), arm(0, 1, 0);

/// An unsymmetric top on a pivot, which is released at `time`, and a state that lags behind a sine.
struct Top : TestSystem {
  Frame f;
  BlockId lag = no_block;
  explicit Top(double time) {
    const Vec3 w(2, 5, -4);
    entity("top", "rigid_body");
    f = builder.add_frame("", Mat3::Identity(), arm, w.cross(arm), w);
    builder.add(TopBody{mass, inertia, gravity}, {f.position, f.rotation});
    entity("pivot", "spherical");
    let_be_active(-1, time);
    const BlockId force = add_force();
    builder.add(HeldPoint{-arm, Vec3::Zero()}, {f.position, f.rotation, force});
    entity("lag");
    lag = add_state("lag", 1);
    builder.add(Follower{pull}, {lag});
    finish();
  }
  /// Angular momentum about the pivot, in the axes of the body. Index 3 leaves velocities off the constraint by h^2;
  /// this, the momentum of the motions that the pivot allows, does not contain that.
  Vec3 momentum(const State& s) const {
    const Eigen::Map<const Mat3> R(value(s, f.rotation));
    const Eigen::Map<const Vec3> v(rate(s, f.position)), w(rate(s, f.rotation));
    return inertia.cwiseProduct(w) + arm.cross(mass * (R.transpose() * v));
  }
};

/// What a run of `steps` steps of size h has at its end.
struct End {
  Vec3 momentum = Vec3::Zero();
  double lag = 0;
};
End run_of(DynamicStage::Form form, double h, int steps) {
  Top top(1e9);
  Simulation run(*top.assembler);
  run.run(motion(form, h, h * steps));
  return {top.momentum(run.state()), *top.value(run.state(), top.lag)};
}

double exact_lag(double t) {
  const double k = pull, part = k / (k * k + 1);
  return part * (k * std::sin(t) - std::cos(t)) + (1 + part) * std::exp(-k * t);
}

TEST(FirstStep, errs_by_the_cube_of_its_size) {
  constexpr int fine = 64;
  for (int i = 0; i < 4; ++i) {
    double e[2], e_lag[2];
    for (int k = 0; k < 2; ++k) {
      const double h = 4e-3 * std::pow(0.5, k);
      const End one = run_of(forms[i], h, 1), many = run_of(forms[i], h / fine, fine);
      e[k] = (one.momentum - many.momentum).norm();
      e_lag[k] = std::abs(one.lag - exact_lag(h));
    }
    EXPECT_NEAR(std::log2(e[0] / e[1]), 3, 0.2) << names[i] << ": errors " << e[0] << ", " << e[1];
    EXPECT_NEAR(std::log2(e_lag[0] / e_lag[1]), 3, 0.2)
        << names[i] << ", state: errors " << e_lag[0] << ", " << e_lag[1];
  }
}

}  // namespace
}  // namespace trammel::testing
