// Treatment of inactive rows, and of rows that depend on their multipliers, by the kernel.

#include "trammel/row_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "kernel/assembler.hpp"
#include "kernel/collective_errors.hpp"
#include "kernel/model_builder.hpp"
#include "solvers/reactions/joint_reactions.hpp"
#include "solvers/reviews/model_history.hpp"
#include "solvers/start/model_energy.hpp"
#include "trammel/activity.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;

/// What happened to a Rail.
struct Log {
  int evaluations = 0, reviews = 0, energies = 0;
  bool active_at_commit = true;
  std::vector<Begin::Why> begins;
};

/// A point on the line y = 0, at its own coordinate c: C = (p_x - c, p_y). Stencil: the point, c, the multipliers.
struct Rail {
  std::shared_ptr<Log> log;

  static bool couples(int row, int column) { return row != column; }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    ++log->evaluations;
    const double* lambda = x.value(2);
    out.residual() << lambda[0], lambda[1], 0, -lambda[0], x.value(0)[0] - x.value(1)[0], x.value(0)[1];
    if (out.request.tangent) {
      auto K = out.K();
      K(4, 0) = K(0, 4) = K(5, 1) = K(1, 5) = 1;
      K(4, 3) = K(3, 4) = -1;
    }
    if (out.request.rates) {
      out.rate()[4] = x.rate(0)[0] - x.rate(1)[0];
      out.rate()[5] = x.rate(0)[1];
    }
    if (out.request.bias) out.bias().setZero();
  }
  void begin(const LocalState&, const Begin& how) { log->begins.push_back(how.why); }
  Review review(const LocalState&, const StepInfo&) {
    ++log->reviews;
    return Review::keep();
  }
  void commit(const LocalState&, const StepInfo& step) { log->active_at_commit = step.active; }
  Energy energy(const LocalState&) const {
    ++log->energies;
    Energy energy;
    energy.strain = 1;
    return energy;
  }
};

/// A point on the plane x = 0 through a spring: C = p_x - c lambda, c = 1/4. Stencil: the point, the multiplier.
struct Soft {
  static constexpr double c = 0.25;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double lambda = x.value(1)[0];
    out.residual() << lambda, 0, 0, x.value(0)[0] - c * lambda;
    if (out.request.tangent) {
      auto K = out.K();
      K(3, 0) = K(0, 3) = 1;
      K(3, 3) = -c;
    }
    if (out.request.rates) {
      out.rate()[3] = x.rate(0)[0];
      if (out.request.tangent) out.rate_gradient();
    }
  }
};

/// The model, and what the assembler makes of it on one rank.
struct System {
  Model model;
  ModelBuilder builder{model};
  Type type;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;
  std::unique_ptr<ModelHistory> history;
  State state;
  Eigen::VectorXd r;
  Eigen::MatrixXd J;

  int begin(const std::string& name) {
    Entity entity;
    entity.name = name;
    return builder.begin(entity, type);
  }
  void finish(bool stabilized = false) {
    LayoutOptions options;
    options.stabilized = stabilized;
    layout = std::make_unique<Layout>(PETSC_COMM_SELF, model, options);
    assembler = std::make_unique<Assembler>(model, *layout);
    history = std::make_unique<ModelHistory>(*assembler);
    state = layout->initial_state();
  }
  double* value(BlockId id) { return state.value.data() + layout->offset(id).value; }
  double* rate(BlockId id) { return state.rate.data() + layout->offset(id).dof; }
  int row(BlockId id) const { return static_cast<int>(layout->unknown_of(id)->global); }

  void evaluate(ConstraintLevel level = ConstraintLevel::position) {
    Vec v = layout->create_vector();
    assembler->residual(state, level, v);
    const PetscInt n = layout->global_size();
    r.resize(n);
    J.resize(n, n);
    for (PetscInt i = 0; i < n; ++i) VecGetValues(v, 1, &i, &r[i]);
    VecDestroy(&v);
    Mat A = assembler->create_matrix();
    assembler->tangent(state, {}, A);
    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = 0; j < n; ++j) MatGetValues(A, 1, &i, 1, &j, &J(i, j));
    MatDestroy(&A);
  }
  void commit(const StepInfo& step) {
    LocalFault fault;
    history->commit(state, step, fault);
    ASSERT_FALSE(fault.waits());
    history->committed(state);
  }
  void switch_rows(BlockId block, std::initializer_list<int> components, RowStatus status) {
    std::vector<RowSwitch> rows;
    for (const int i : components) rows.push_back({{block, i}, status});
    history->switch_rows(rows, state, {});
  }
};

struct OnARail : System {
  BlockId point, coordinate, multiplier;
  std::shared_ptr<Log> log = std::make_shared<Log>();

  OnARail() {
    begin("ball");
    point = builder.add_position("", Vec3(0.5, 0, 0));
    begin("rail");
    Activity activity;
    activity.by_instance = true;
    builder.set_activity(activity);
    const Measure length = Measure::length();
    const double start = 0.5, rest = 0;
    coordinate = builder.add_coordinates("c", {&start, 1}, {&rest, 1}, {&length, 1}, "m");
    multiplier = builder.add_multiplier("force", rows_of(Dimension::length, 2));
    builder.add(Rail{log}, {point, coordinate, multiplier});
    finish();
  }
};

TEST(RowStatus, decides_how_a_row_is_treated) {
  OnARail s;
  // Both rows equal their multipliers, by chance.
  s.value(s.point)[0] = 0.75;
  s.value(s.point)[1] = -0.125;
  s.value(s.multiplier)[0] = 0.25;
  s.value(s.multiplier)[1] = -0.125;
  const int first = s.row(s.multiplier), p = s.row(s.point), c = s.row(s.coordinate);
  s.evaluate();
  EXPECT_EQ(s.r[first], 0.25);
  EXPECT_EQ(s.r[first + 1], -0.125);
  EXPECT_EQ(s.J(first, p), 1);
  EXPECT_EQ(s.J(first + 1, p + 1), 1);
  EXPECT_EQ(s.J(first, first), 0);
  EXPECT_EQ(s.J(first + 1, first + 1), 0);

  s.switch_rows(s.multiplier, {1}, RowStatus::inactive);
  EXPECT_TRUE(s.assembler->statuses().inactive(s.multiplier, 1));
  EXPECT_FALSE(s.assembler->statuses().inactive(s.multiplier, 0));
  EXPECT_EQ(s.value(s.multiplier)[1], 0);
  EXPECT_EQ(s.value(s.multiplier)[0], 0.25);
  s.value(s.multiplier)[1] = -0.125;
  s.evaluate();
  // The active row of the partly inactive instance stands as it was.
  EXPECT_EQ(s.r[first], 0.25);
  EXPECT_EQ(s.J(first, p), 1);
  EXPECT_EQ(s.J(first, c), -1);
  EXPECT_EQ(s.J(first, first), 0);
  EXPECT_EQ(s.r[first + 1], -0.125);
  Eigen::RowVectorXd row = s.J.row(first + 1);
  EXPECT_NE(row[first + 1], 0);
  row[first + 1] = 0;
  EXPECT_TRUE(row.isZero(0)) << row;
  EXPECT_EQ(s.log->begins.size(), 0U);

  // The numbers of other blocks have no influence either.
  s.value(s.point)[1] = 7;
  s.evaluate();
  EXPECT_EQ(s.r[first + 1], -0.125);
  s.switch_rows(s.multiplier, {1}, RowStatus::active);
  s.evaluate();
  EXPECT_EQ(s.r[first + 1], 7);
}

TEST(RowStatus, inactive_gives_a_zero_multiplier_at_acceleration_level) {
  OnARail s;
  s.state.acceleration[static_cast<std::size_t>(s.layout->offset(s.point).dof) + 1] = 3;
  s.value(s.multiplier)[1] = 0.5;
  const int row = s.row(s.multiplier) + 1;
  s.evaluate(ConstraintLevel::acceleration);
  EXPECT_EQ(s.r[row], 3);
  s.switch_rows(s.multiplier, {1}, RowStatus::inactive);
  s.value(s.multiplier)[1] = 0.5;
  s.evaluate(ConstraintLevel::acceleration);
  EXPECT_EQ(s.r[row], 0.5);
}

TEST(RowStatus, keeps_an_instance_without_active_rows_from_being_evaluated) {
  OnARail s;
  s.value(s.point)[1] = 2;
  s.switch_rows(s.multiplier, {0, 1}, RowStatus::inactive);
  const int before = s.log->evaluations;
  s.evaluate();
  s.evaluate(ConstraintLevel::velocity);
  s.history->review(s.state, {0, 1});
  s.commit({0, 1});
  EXPECT_EQ(model_energy(*s.assembler, s.state).energy.strain, 0);
  EXPECT_EQ(s.log->evaluations, before);
  EXPECT_EQ(s.log->reviews, 0);
  EXPECT_EQ(s.log->energies, 0);
  EXPECT_FALSE(s.log->active_at_commit);
  s.evaluate();
  EXPECT_TRUE(s.r.isZero(0)) << s.r.transpose();
  const JointReactions reactions(*s.assembler);
  for (const RangePlan& plan : s.assembler->plans())
    for (const int i : plan.instances) {
      EXPECT_FALSE(reactions.of(plan, i).active);
      EXPECT_TRUE(reactions.of(plan, i).may_rest);
    }

  // And again where it becomes active, at a state that closes it.
  s.value(s.point)[1] = 0;
  s.switch_rows(s.multiplier, {0, 1}, RowStatus::active);
  EXPECT_EQ(s.log->begins, std::vector<Begin::Why>{Begin::Why::activated});
  s.history->review(s.state, {0, 1});
  s.commit({0, 1});
  EXPECT_EQ(model_energy(*s.assembler, s.state).energy.strain, 1);
  EXPECT_EQ(s.log->reviews, 1);
  EXPECT_TRUE(s.log->active_at_commit);
}

TEST(RowStatus, inactive_keeps_the_coordinates_of_the_joint_until_they_are_found_again) {
  OnARail s;
  *s.rate(s.coordinate) = 2;
  s.switch_rows(s.multiplier, {0, 1}, RowStatus::inactive);
  EXPECT_EQ(*s.value(s.coordinate), 0.5);
  EXPECT_EQ(*s.rate(s.coordinate), 0);
  const int c = s.row(s.coordinate);
  *s.value(s.coordinate) = 0.625;
  s.evaluate();
  EXPECT_EQ(s.r[c], 0.125);
  EXPECT_NE(s.J(c, c), 0);
  *s.value(s.coordinate) = 0.5;

  // Where the joint becomes active its coordinate follows from the point.
  s.value(s.point)[0] = -1.5;
  s.rate(s.point)[0] = 3;
  s.switch_rows(s.multiplier, {0, 1}, RowStatus::active);
  EXPECT_NEAR(*s.value(s.coordinate), -1.5, 1e-14);
  EXPECT_NEAR(*s.rate(s.coordinate), 3, 1e-14);
  s.evaluate();
  EXPECT_NEAR(s.r[s.row(s.multiplier)], 0, 1e-14);
  EXPECT_EQ(s.J(c, c), 0);
}

TEST(RowStatus, becomes_active_only_for_a_closed_joint) {
  OnARail s;
  s.switch_rows(s.multiplier, {0, 1}, RowStatus::inactive);
  s.value(s.point)[1] = 0.5;
  try {
    s.switch_rows(s.multiplier, {0, 1}, RowStatus::active);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'rail'"));
    EXPECT_THAT(e.what(), HasSubstr("is to become active at t = 0, but its equation 2 is off by 0.5 m"));
  }
}

TEST(RowStatus, is_written_and_read_with_its_history) {
  OnARail s, other;
  s.switch_rows(s.multiplier, {0, 1}, RowStatus::inactive);
  Archive saved;
  InstanceHistories histories;
  s.history->serialize(saved, histories);
  Archive reader(saved.bytes());
  other.history->serialize(reader, histories);
  EXPECT_EQ(reader.left(), 0U);
  EXPECT_EQ(other.assembler->statuses(), s.assembler->statuses());
  *other.value(other.coordinate) = 0.75;
  other.evaluate();
  EXPECT_EQ(other.r[other.row(other.coordinate)], 0.25);
  EXPECT_EQ(other.log->evaluations, 0);
}

struct OnASoftPlane : System {
  BlockId point, multiplier;

  explicit OnASoftPlane(bool stabilized) {
    begin("ball");
    point = builder.add_position("", Vec3(0.5, 0, 0));
    begin("plane");
    std::vector<Row> rows = rows_of(Dimension::length, 1);
    rows[0].compliant = true;
    multiplier = builder.add_multiplier("force", rows);
    builder.add(Soft{}, {point, multiplier});
    finish(stabilized);
    *value(multiplier) = 8;
  }
};

TEST(CompliantRows, are_evaluated_at_zero_multipliers_in_forms_with_rates) {
  // Index 3 takes the spring as it is.
  OnASoftPlane as_it_is(false);
  as_it_is.evaluate();
  const int row = as_it_is.row(as_it_is.multiplier);
  EXPECT_EQ(as_it_is.r[row], 0.5 - Soft::c * 8);
  EXPECT_EQ(as_it_is.J(row, row), -Soft::c);
  EXPECT_EQ(as_it_is.r[as_it_is.row(as_it_is.point)], 8);

  OnASoftPlane rigid(true);
  rigid.evaluate();
  const int its = rigid.row(rigid.multiplier);
  EXPECT_EQ(rigid.r[its], 0.5);
  EXPECT_EQ(rigid.J(its, its), 0);
  // Forces are those of the state.
  EXPECT_EQ(rigid.r[rigid.row(rigid.point)], 8);
}

TEST(Rows, that_declare_no_dimension_are_refused) {
  System s;
  s.type.name = "odd";
  s.begin("joint");
  try {
    s.builder.add_multiplier("force", std::vector<Row>(1));
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("no dimension is declared for row 1"));
  }
}

}  // namespace
}  // namespace trammel
