#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "kernel/collective_errors.hpp"
#include "solvers/methods/radau_equations.hpp"
#include "test_models.hpp"

namespace trammel::testing {
namespace {

Stage stage(double step, double until, double tolerance = 1e-12) {
  DynamicStage d;
  d.method = DynamicStage::Method::radau;
  d.step = step;
  d.until = until;
  d.newton.tolerance = tolerance;
  return {"", d};
}

/// Values compared at an instant: groups of numbers.
using Sample = std::vector<Eigen::VectorXd>;

class Keep : public Monitor {
 public:
  explicit Keep(std::function<Sample(const State&)> take) : take_(std::move(take)) {}
  void accepted(const StepReport&, const State& s) override { samples.emplace_back(s.time, take_(s)); }
  std::vector<std::pair<double, Sample>> samples;

 private:
  std::function<Sample(const State&)> take_;
};

/// Largest differences of runs with h, h/2 and h/4 from one with h/`finest`, at the times of the coarse one, by group. The
/// `order` has the orders of the last two.
struct Errors {
  std::vector<std::array<double, 3>> of;
  double order(std::size_t group) const { return std::log2(of[group][1] / of[group][2]); }
};

Errors errors(const std::function<std::vector<std::pair<double, Sample>>(double h)>& run, double h,
              double finest = 32) {
  const auto exact = run(h / finest);
  const auto near = [](const std::vector<std::pair<double, Sample>>& all, double time) -> const Sample& {
    for (const auto& [t, sample] : all)
      if (std::abs(t - time) < 1e-9) return sample;
    throw std::runtime_error("no sample");
  };
  Errors e;
  std::vector<double> times;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto found = run(h * std::pow(0.5, k));
    if (k == 0)
      for (const auto& [t, sample] : found) times.push_back(t);
    for (const double t : times) {
      const Sample &x = near(found, t), &y = near(exact, t);
      e.of.resize(x.size());
      for (std::size_t group = 0; group < x.size(); ++group)
        e.of[group][k] = std::max(e.of[group][k], (x[group] - y[group]).norm());
    }
  }
  return e;
}

Eigen::VectorXd three(const double* x) { return Eigen::Map<const Vec3>(x); }

TEST(Radau, has_orders_3_and_2_from_the_first_step_for_the_heavy_top) {
  const auto run = [](double h) {
    HeavyTop top;
    Simulation simulation(*top.assembler);
    Keep keep([&](const State& s) {
      const Eigen::Map<const Eigen::Vector4d> q(top.value(s, top.frame.rotation));
      return Sample{three(top.value(s, top.frame.position)), q * (q[0] < 0 ? -1.0 : 1.0),
                    three(top.rate(s, top.frame.rotation)), three(top.value(s, top.reaction))};
    });
    simulation.add(keep);
    const Stage stages[] = {stage(h, 0.1)};
    simulation.run(stages);
    return keep.samples;
  };
  const Errors e = errors(run, 4e-3);
  for (std::size_t group = 0; group < 3; ++group) EXPECT_NEAR(e.order(group), 3, 0.25) << "group " << group;
  EXPECT_NEAR(e.order(3), 2, 0.25);
}

/// Error at the end of runs with h and h/2, and its order.
double order_of(const std::function<double(double h)>& error, double h) {
  const double coarse = error(h), fine = error(0.5 * h);
  EXPECT_GT(fine, 1e-14) << "an error that is rounding has no order";
  return std::log2(coarse / fine);
}

TEST(Radau, has_order_3_for_first_order_states) {
  const double k = 3, t = 2;
  const double exact = (k * k * std::sin(t) - k * std::cos(t) + k * std::exp(-k * t)) / (k * k + 1);
  const auto error = [&](double h) {
    TestSystem s;
    s.entity("lagging");
    const BlockId y = s.add_state("y");
    s.builder.add(Follower{k}, {y});
    s.finish();
    Simulation run(*s.assembler);
    run.run(std::vector{stage(h, t)});
    return std::abs(*s.value(run.state(), y) - exact);
  };
  EXPECT_NEAR(order_of(error, 0.05), 3, 0.15);
}

/// No velocity of the centre along the body's y: v . R e_y = 0.
struct Edge {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Mat3 R = x.rotation(1);
    const Vec3 v = x.velocity(0), n = R.col(1);
    const double lambda = *x.value(2);
    out.residual().head<3>() = lambda * n;
    out.residual()[6] = v.dot(n);
    if (out.request.bias) out.bias()[6] = v.dot(R * x.velocity(1).cross(Vec3(0, 1, 0)));
    if (!out.request.tangent) return;
    auto K = out.K();
    const Mat3 dn = -R * skew(Vec3(0, 1, 0));
    K.block<3, 3>(0, 3) = lambda * dn;
    K.block<3, 1>(0, 6) = n;
    K.block<1, 3>(6, 3) = v.transpose() * dn;
    out.D().block<1, 3>(6, 0) = n.transpose();
  }
};

TEST(Radau, has_order_3_for_velocity_level_constraints) {
  // Constant speed 1 along a body that spins with 2 rad/s: a circle of radius 1/2.
  const auto error = [](double h) {
    TestSystem m;
    m.entity("skate", "rigid_body");
    const Frame f = m.builder.add_frame("", Mat3::Identity(), Vec3::Zero(), Vec3(1, 0, 0), Vec3(0, 0, 2));
    m.builder.add(TopBody{1, Vec3::Ones(), Vec3::Zero()}, {f.position, f.rotation});
    m.entity("edge", "blade");
    m.builder.add(Edge{}, {f.position, f.rotation,
                           m.builder.add_velocity_multiplier("force", rows_of(Dimension::velocity, 1))});
    m.finish();
    Simulation run(*m.assembler);
    run.run(std::vector{stage(h, 1)});
    EXPECT_LT(run.summary().largest_rate_violation, 1e-10);
    const Eigen::Map<const Vec3> p(m.value(run.state(), f.position));
    return (p - 0.5 * Vec3(std::sin(2), 1 - std::cos(2), 0)).norm();
  };
  EXPECT_NEAR(order_of(error, 0.05), 3, 0.15);
}

/// Holds a point where it is when it begins to.
struct Caught : HeldPoint {
  void begin(const LocalState& x, const Begin& how) {
    if (how.why == Begin::Why::activated) at = x.position(0) + x.rotation(1) * X;
  }
};

TEST(Radau, has_order_3_across_an_event) {
  // A body on a pivot under its weight is released on a border of two steps, and at a third of one.
  for (const double time : {0.32, 0.32 + 0.04 / 3}) {
    Vec3 end[4];
    const double steps[] = {0.04, 0.02, 0.01, 0.00125};
    for (int i = 0; i < 4; ++i) {
      TestSystem s;
      s.entity("body", "rigid_body");
      const Frame f = s.builder.add_frame("", Mat3::Identity(), Vec3(1, 0, 0), Vec3(0, 2, 0), Vec3(0, 0, 2));
      s.builder.add(TopBody{2, Vec3(0.2, 0.3, 0.4), gravity}, {f.position, f.rotation});
      s.entity("pivot", "latch");
      s.let_be_active(-1, time);
      s.builder.add(Caught{{Vec3(-1, 0, 0), Vec3::Zero()}}, {f.position, f.rotation, s.add_force()});
      s.finish();
      Simulation run(*s.assembler);
      run.run(std::vector{stage(steps[i], 0.6)});
      end[i] = three(s.value(run.state(), f.position));
      EXPECT_NEAR(run.state().acceleration[static_cast<std::size_t>(s.layout->offset(f.position).dof + 2)],
                  -9.81, 1e-9);
    }
    const double coarse = (end[1] - end[3]).norm(), fine = (end[2] - end[3]).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 3, 0.3) << time << ": errors " << coarse << ", " << fine;
  }
}

TEST(Radau, gives_a_constant_rotation_for_a_constant_velocity) {
  const Vec3 turn(0.7, -1.1, 0.4);
  RadauChart chart;
  ASSERT_TRUE(chart.solve({turn / 3, turn}));
  EXPECT_LT((chart.turn(0) - turn / 3).norm(), 1e-15);
  EXPECT_LT((chart.turn(1) - turn).norm(), 1e-15);
}

TEST(Radau, has_the_exact_tangent_at_large_rotations) {
  Chain chain(2);
  chain.layout->set_stabilized(true);
  chain.assembler->revise();
  std::srand(7);
  const double h = 0.1;
  State base = chain.layout->initial_state();
  for (const Frame& f : chain.frames) {
    const Vec3 w = 8 * Vec3::Random();
    std::copy_n(w.data(), 3, base.rate.data() + chain.layout->offset(f.rotation).dof);
  }
  RadauEquations equations(*chain.assembler, ModelScales{});
  equations.begin(base, h, h);
  chain.assembler->keep_gradients(base);
  const OwnedVec x(equations.create_vector()), f(equations.create_vector()), g(equations.create_vector());
  const OwnedMat J(equations.create_matrix(true));
  PetscInt n = 0;
  TRAMMEL_PETSC(VecGetSize(x.get(), &n));
  Eigen::VectorXd point = Eigen::VectorXd::Random(n);  // rotations of a radian and more
  const auto evaluate = [&](const Eigen::VectorXd& at) {
    PetscScalar* to = nullptr;
    TRAMMEL_PETSC(VecGetArray(x.get(), &to));
    std::copy_n(at.data(), n, to);
    TRAMMEL_PETSC(VecRestoreArray(x.get(), &to));
    EXPECT_TRUE(equations.residual(x.get(), f.get()));
    const PetscScalar* from = nullptr;
    TRAMMEL_PETSC(VecGetArrayRead(f.get(), &from));
    const Eigen::VectorXd out = Eigen::Map<const Eigen::VectorXd>(from, n);
    TRAMMEL_PETSC(VecRestoreArrayRead(f.get(), &from));
    return out;
  };
  double turned = 0;
  for (int pass = 0; pass < 3; ++pass, point = Eigen::VectorXd::Random(n)) {
    evaluate(point);
    for (const Frame& frame : chain.frames) {
      const double c = *chain.value(equations.stage(1).trial(), frame.rotation);
      turned = std::max(turned, 2 * std::acos(std::min(1.0, std::abs(c))));
    }
    LocalFault fault;
    equations.tangent(J.get(), fault);
    ASSERT_FALSE(fault.waits());
    Eigen::MatrixXd tangent = Eigen::MatrixXd::Zero(n, n);
    for (PetscInt i = 0; i < n; ++i) {
      PetscInt many = 0;
      const PetscInt* columns = nullptr;
      const PetscScalar* values = nullptr;
      TRAMMEL_PETSC(MatGetRow(J.get(), i, &many, &columns, &values));
      for (PetscInt k = 0; k < many; ++k) tangent(i, columns[k]) = values[k];
      TRAMMEL_PETSC(MatRestoreRow(J.get(), i, &many, &columns, &values));
    }
    const double step = 1e-5;
    for (PetscInt j = 0; j < n; ++j) {
      Eigen::VectorXd ahead = point, behind = point;
      ahead[j] += step;
      behind[j] -= step;
      const Eigen::VectorXd column = (evaluate(ahead) - evaluate(behind)) / (2 * step);
      EXPECT_LT((column - tangent.col(j)).norm(), 1e-7 * tangent.norm()) << "column " << j;
    }
  }
  EXPECT_GT(turned, 1);
}

// The acceleration of the first stage does not depend on its own unknown: in natural order its rows would have zeros there, and a direct
// solver would fill in.
TEST(Radau, has_pivots_on_the_diagonal_in_equations_of_motion) {
  Chain chain(2);
  chain.layout->set_stabilized(true);
  chain.assembler->revise();
  const State base = chain.layout->initial_state();
  RadauEquations equations(*chain.assembler, ModelScales{});
  equations.begin(base, 1e-3, 1e-3);
  chain.assembler->keep_gradients(base);
  const OwnedVec x(equations.create_vector()), f(equations.create_vector());
  const OwnedMat J(equations.create_matrix(true));
  TRAMMEL_PETSC(VecZeroEntries(x.get()));
  ASSERT_TRUE(equations.residual(x.get(), f.get()));
  LocalFault fault;
  equations.tangent(J.get(), fault);
  ASSERT_FALSE(fault.waits());
  int looked_at = 0;
  for (const UnknownBlock& u : chain.layout->unknowns())
    for (PetscInt i = 2 * u.local; is_kinematic(u.kind) && i < 2 * (u.local + u.size); ++i, ++looked_at) {
      PetscScalar diagonal = 0;
      TRAMMEL_PETSC(MatGetValues(J.get(), 1, &i, 1, &i, &diagonal));
      EXPECT_GT(std::abs(diagonal), 1e3) << "row " << i;  // about a mass over h^2
    }
  EXPECT_EQ(looked_at, 24);
}

TEST(Radau, names_what_makes_a_step_singular) {
  TestSystem s;
  s.entity("tumbling", "rigid_body");
  const Frame f = s.builder.add_frame("", Mat3::Identity(), Vec3::Zero(), Vec3::Zero(), Vec3(3, 2, 1));
  s.builder.add(TopBody{1, Vec3(1, 2, 2.5), gravity}, {f.position, f.rotation});
  s.entity("loose", "point_mass");
  s.builder.add(Particle{0}, {s.builder.add_position("loose", Vec3::Zero())});
  s.finish();
  Simulation run(*s.assembler);
  const std::string error = error_of(run, {stage(0.1, 1)});
  EXPECT_NE(error.find("the system is singular: no stiffness or mass in 'loose.loose' (1, 2, 3)"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace trammel::testing
