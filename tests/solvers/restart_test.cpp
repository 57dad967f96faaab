#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/collective_errors.hpp"
#include "solvers/reviews/model_history.hpp"
#include "solvers/run/force_jump.hpp"
#include "test_models.hpp"

/// The order of the method stays 2 when joints are released or become active, or when a force jumps, at the end of
/// a step and within one.
namespace trammel::testing {
namespace {

const DynamicStage::Form forms[] = {DynamicStage::Form::index3, DynamicStage::Form::projected,
                                    DynamicStage::Form::index2, DynamicStage::Form::index1};
const char* name_of(DynamicStage::Form form) {
  return form == forms[0]   ? "index 3"
         : form == forms[1] ? "projected"
         : form == forms[2] ? "index 2"
                            : "index 1";
}

std::vector<Stage> motion(DynamicStage::Form form, double h, double until) {
  DynamicStage d;
  d.form = form;
  d.until = until;
  d.step = h;
  d.newton.tolerance = 1e-12;
  return {Stage{"", d}};
}

/// Holds a point where it is when it begins to.
struct CaughtPoint : HeldPoint {
  void begin(const LocalState& x, const Begin& how) {
    if (how.why == Begin::Why::activated) at = x.position(0) + x.rotation(1) * X;
  }
};

class Notes : public Monitor {
 public:
  void note(std::string_view text) override { all += std::string(text) + "\n"; }
  std::string all;
};

/// Errors at h, h/4 and h/16, and the order between the last two. Where it is not zero, the error must fall with order 2.
void expect_order_2(const std::string& what, const std::array<double, 3>& e) {
  const double order = std::log2(e[1] / e[2]) / 2;
  if (e[2] > 1e-11) {
    EXPECT_GT(order, 1.9) << what << ": errors " << e[0] << ", " << e[1] << ", " << e[2];
  }
}

constexpr double mass = 2, inertia = 0.3, w = 2, arm = 1;
// On a border of steps of h, h/4 and h/16, and at a third of one of each.
constexpr double coarse = 0.02;
const double events[] = {0.3, 0.3 + coarse / 3};

/// A body that turns about a pivot at the origin, released at `time`, or caught there by a point of it.
struct Swung : TestSystem {
  Frame f;
  Swung(double from, double to, const Vec3& v, double spin) {
    entity("body", "rigid_body");
    f = builder.add_frame("", Mat3::Identity(), Vec3(arm, 0, 0), v, Vec3(0, 0, spin));
    builder.add(TopBody{mass, Vec3::Constant(inertia), Vec3::Zero()}, {f.position, f.rotation});
    entity("pivot", "latch");
    let_be_active(from, to);
    const BlockId force = add_force();
    builder.add(CaughtPoint{{Vec3(-arm, 0, 0), Vec3::Zero()}}, {f.position, f.rotation, force});
    finish();
  }
};

TEST(Restart, of_a_released_body_gives_free_flight) {
  for (const auto form : forms)
    for (const double time : events) {
      std::array<double, 3> e{}, e_v{};
      for (int k = 0; k < 3; ++k) {
        Swung s(-1, time, Vec3(0, w * arm, 0), w);
        Simulation run(*s.assembler);
        run.run(motion(form, coarse * std::pow(0.25, k), 0.5));
        const Vec3 r(std::cos(w * time), std::sin(w * time), 0), v = w * Vec3(-r[1], r[0], 0);
        const Eigen::Map<const Vec3> p(s.value(run.state(), s.f.position)),
            rate(s.rate(run.state(), s.f.position));
        e[static_cast<std::size_t>(k)] = (p - r - (0.5 - time) * v).norm();
        e_v[static_cast<std::size_t>(k)] = (rate - v).norm();
        for (int i = 0; i < 3; ++i)
          EXPECT_NEAR(
              run.state().acceleration[static_cast<std::size_t>(s.layout->offset(s.f.position).dof + i)], 0,
              1e-9);
      }
      const std::string what = std::string(name_of(form)) + (time == events[0] ? ", border" : ", inside");
      expect_order_2(what + ": position", e);
      expect_order_2(what + ": velocity", e_v);
    }
}

TEST(Restart, of_a_body_caught_in_flight_takes_the_impulse) {
  const Vec3 v(0.3, 1.5, 0);
  const double spin = 0.7;
  for (const auto form : forms)
    for (const double time : events) {
      std::array<double, 3> e{}, e_v{};
      for (int k = 0; k < 3; ++k) {
        Swung s(time, 1e9, v, spin);
        Simulation run(*s.assembler);
        Notes notes;
        run.add(notes);
        run.run(motion(form, coarse * std::pow(0.25, k), 0.5));
        // The angular momentum about the point that is held stays.
        const double angle = spin * time;
        const Vec3 r = arm * Vec3(std::cos(angle), std::sin(angle), 0);
        const Vec3 centre = Vec3(arm, 0, 0) + time * v, pivot = centre - r;
        const double J = inertia + mass * arm * arm;
        const double after = (inertia * spin + mass * r.cross(v)[2]) / J;
        const double later = angle + after * (0.5 - time);
        const Vec3 end = pivot + arm * Vec3(std::cos(later), std::sin(later), 0);
        const Eigen::Map<const Vec3> p(s.value(run.state(), s.f.position)),
            rate(s.rate(run.state(), s.f.position));
        e[static_cast<std::size_t>(k)] = (p - end).norm();
        e_v[static_cast<std::size_t>(k)] = (rate - Vec3(0, 0, after).cross(end - pivot)).norm();
        const double lost = 0.5 * J * after * after - 0.5 * (mass * v.squaredNorm() + inertia * spin * spin);
        EXPECT_LT(lost, -0.1);
        const double impulse = mass * (Vec3(0, 0, after).cross(r) - v).norm();
        EXPECT_NE(
            notes.all.find(fmt::format(
                "'pivot' with {:.6g} N s and 0 N m s, and the kinetic energy by {:.4g} J", impulse, lost)),
            std::string::npos)
            << notes.all << impulse;
        EXPECT_NEAR(run.summary().start_energy_change, lost, 1e-10);
        EXPECT_LT(run.summary().largest_gain, 1e-3);  // the impulse itself is none
      }
      const std::string what = std::string(name_of(form)) + (time == events[0] ? ", border" : ", inside");
      expect_order_2(what + ": position", e);
      expect_order_2(what + ": velocity", e_v);
    }
}

/// Two rods that hang on each other and on the origin, in gravity; the lower is released.
struct TwoRods : TestSystem {
  Frame f[2];
  BlockId force[2] = {no_block, no_block};
  explicit TwoRods(double time) {
    const Vec3 half(0.5, 0, 0);
    for (const int i : {0, 1}) {
      entity("rod", "rigid_body");
      f[i] = builder.add_frame("", Mat3::Identity(), Vec3(i + 0.5, 0, 0));
      builder.add(TopBody{1, Vec3(0.01, 1.0 / 12, 1.0 / 12), Vec3(0, -9.81, 0)},
                  {f[i].position, f[i].rotation});
      entity("joint", "spherical");
      if (i == 1) let_be_active(-1, time);
      force[i] = add_force();
      if (i == 0)
        builder.add(HeldPoint{-half, Vec3::Zero()}, {f[0].position, f[0].rotation, force[0]});
      else
        builder.add(BallJoint{half, -half},
                    {f[0].position, f[0].rotation, f[1].position, f[1].rotation, force[1]});
    }
    finish();
  }
};

TEST(Restart, keeps_order_2_in_the_multipliers_of_remaining_joints) {
  for (const auto form : forms)
    for (const double time : events) {
      // Positions, velocities, multipliers of the upper joint: at times from the event on, of each step size.
      std::array<std::vector<Eigen::Matrix<double, 9, 1>>, 4> kept;
      for (int k = 0; k < 4; ++k) {
        TwoRods s(time);
        Simulation run(*s.assembler);
        class Keep : public Monitor {
         public:
          Keep(const TwoRods& rods, std::vector<Eigen::Matrix<double, 9, 1>>& to) : rods_(rods), to_(to) {}
          void accepted(const StepReport&, const State& x) override {
            const double n = x.time / 0.02;
            if (x.time < 0.3195 || std::abs(n - std::round(n)) > 1e-6) return;
            Eigen::Matrix<double, 9, 1> all;
            all << Eigen::Map<const Vec3>(rods_.value(x, rods_.f[0].position)),
                Eigen::Map<const Vec3>(rods_.rate(x, rods_.f[1].position)),
                Eigen::Map<const Vec3>(rods_.value(x, rods_.force[0]));
            to_.push_back(all);
          }

         private:
          const TwoRods& rods_;
          std::vector<Eigen::Matrix<double, 9, 1>>& to_;
        } keep(s, kept[static_cast<std::size_t>(k)]);
        run.add(keep);
        run.run(motion(form, coarse * (k == 3 ? 1.0 / 128 : std::pow(0.25, k)), 0.42));
      }
      const char* what[] = {": position", ": velocity", ": multiplier"};
      for (int field = 0; field < 3; ++field) {
        std::array<double, 3> e{};
        for (std::size_t k = 0; k < 3; ++k) {
          ASSERT_EQ(kept[k].size(), kept[3].size());
          for (std::size_t i = 0; i < kept[k].size(); ++i)
            e[k] = std::max(e[k], (kept[k][i] - kept[3][i]).segment<3>(3 * field).norm());
        }
        expect_order_2(
            std::string(name_of(form)) + (time == events[0] ? ", border" : ", inside") + what[field], e);
      }
    }
}

/// A force that sets in at a time.
struct Thrust {
  double time = 0, force = 0;
  bool on = false;
  void evaluate(const LocalState&, LocalSystem& out) const { out.residual()[0] = on ? -force : 0.0; }
  Review review(const LocalState&, const StepInfo& step) const {
    return step.start < time - 1e-12 && step.end > time - 1e-12 ? Review::cut(time) : Review::keep();
  }
  void commit(const LocalState&, const StepInfo& step) { on = on || step.end > time - 1e-12; }
};

/// A mass of 2 kg on a line, which it runs along at 3 m/s; gives its place.
BlockId add_bob(TestSystem& m) {
  m.entity("bob");
  const double zero = 0, speed = 3;
  const BlockId q = m.add_length("q", zero, speed);
  m.builder.add(LineMass{2}, {q});
  return q;
}

TEST(Restart, lets_a_force_act_from_its_instant_on) {
  // Events close to a border of steps leave pieces of a step that are very short.
  for (const double time : {0.3, 0.3037, 0.3 + 1e-9, 0.32 - 1e-9, 0.32 - 1e-11})
    for (const auto form : forms) {
      TestSystem m;
      const BlockId q = add_bob(m);
      m.entity("thruster");
      m.builder.add(Thrust{time, 10}, {q});
      m.finish();
      Simulation run(*m.assembler);
      run.run(motion(form, 0.02, 0.5));
      // Times closer than 1e-9 of a step are the same.
      const double tolerance = time == 0.32 - 1e-11 ? 5e-11 * 1.01 : 1e-12;
      EXPECT_NEAR(*m.value(run.state(), q), 3 * 0.5 + 0.5 * 5 * std::pow(0.5 - time, 2), tolerance) << time;
      EXPECT_NEAR(*m.rate(run.state(), q), 3 + 5 * (0.5 - time), tolerance) << time;
    }
}

/// A stop on one side: its force is continuous.
struct Bumper {
  double stiffness = 100;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double depth = x.value(0)[0];
    out.residual()[0] = depth > 0 ? stiffness * depth : 0;
    if (out.request.tangent) out.K()(0, 0) = depth > 0 ? stiffness : 0;
  }
  void commit(const LocalState&, const StepInfo&) { met = true; }
  bool met = false;
};

TEST(Restart, is_not_made_where_the_force_is_continuous) {
  for (const bool thrust : {false, true}) {
    TestSystem m;
    const BlockId q = add_bob(m);
    m.entity("bumper");
    m.builder.add(Bumper{}, {q});
    if (thrust) m.builder.add(Thrust{0.1, 1e-3}, {q});
    m.finish();
    State s = m.layout->initial_state();
    s.time = 0.1;
    ForceJump jump(*m.assembler, s);
    LocalFault fault;
    ModelHistory(*m.assembler).commit(s, {0, 0.1}, fault);
    EXPECT_EQ(jump.at(s), thrust);
  }
}

}  // namespace
}  // namespace trammel::testing
