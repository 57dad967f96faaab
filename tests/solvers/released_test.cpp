#include <gtest/gtest.h>

#include "test_models.hpp"

/// Joints that are released during the run, where they are redundant and where they are not.
namespace trammel::testing {
namespace {

DynamicStage motion(DynamicStage::Form form, double until) {
  DynamicStage d;
  d.form = form;
  d.until = until;
  d.step = 0.01;
  d.newton.tolerance = 1e-12;
  return d;
}

class Notes : public Monitor {
 public:
  void note(std::string_view text) override { all += std::string(text) + "\n"; }
  std::string all;
};

/// A top held twice at one point; `b` is released at 0.105 s, `a` where asked.
struct HeldByLatches : TestSystem {
  Frame f;
  BlockId force[2] = {no_block, no_block};
  explicit HeldByLatches(double a = 10, double b = 0.105) {
    entity("top", "rigid_body");
    f = builder.add_frame("", Mat3::Identity(), Vec3(0, 1, 0));
    builder.add(TopBody{}, {f.position, f.rotation});
    for (const int i : {0, 1}) {
      entity(i == 0 ? "a" : "b", "latch");
      let_be_active(-1, i == 0 ? a : b);
      force[i] = add_force();
      builder.add(HeldPoint{Vec3(0, -1, 0), Vec3::Zero()}, {f.position, f.rotation, force[i]});
    }
    finish();
  }
};

const DynamicStage::Form forms[] = {DynamicStage::Form::index3, DynamicStage::Form::projected,
                                    DynamicStage::Form::index2, DynamicStage::Form::index1};

TEST(Released, joints_leave_their_reaction_to_the_redundant_one) {
  for (const DynamicStage::Form form : forms) {
    HeldByLatches m;
    Simulation run(*m.assembler);
    Notes notes;
    run.add(notes);
    DynamicStage d = motion(form, 0.2);
    run.run(std::vector<Stage>{{"", d}});
    const Eigen::Map<const Vec3> a(m.value(run.state(), m.force[0])), b(m.value(run.state(), m.force[1]));
    EXPECT_LT(b.norm(), 1e-12);
    EXPECT_GT(a.norm(), 5);
    EXPECT_LT((Eigen::Map<const Vec3>(m.value(run.state(), m.f.position)).norm() - 1), 1e-9);
    EXPECT_NE(notes.all.find(
                  "at t = 0.105 'b' is inactive from now on: 3 degrees of freedom, 0 redundant equations"),
              std::string::npos)
        << notes.all;
  }
}

TEST(Released, bodies_without_any_joint_fall) {
  for (const DynamicStage::Form form : forms) {
    HeldByLatches m(0.105, 0.105);
    Simulation run(*m.assembler);
    Notes notes;
    run.add(notes);
    DynamicStage d = motion(form, 0.3);
    d.radius = 1;
    run.run(std::vector<Stage>{{"", d}});
    for (const int i : {0, 1})
      EXPECT_LT(Eigen::Map<const Vec3>(m.value(run.state(), m.force[i])).norm(), 1e-12);
    for (const int k : {0, 1, 2})
      EXPECT_NEAR(run.state().acceleration[static_cast<std::size_t>(m.layout->offset(m.f.position).dof + k)],
                  gravity[k], 1e-9);
    EXPECT_NE(
        notes.all.find("'a', 'b' are inactive from now on: 6 degrees of freedom, 0 redundant equations"),
        std::string::npos)
        << notes.all;
  }
}

}  // namespace
}  // namespace trammel::testing
