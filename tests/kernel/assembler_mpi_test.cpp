#include "kernel/assembler.hpp"
#include "kernel/collective_errors.hpp"
#include "kernel/instance_plan.hpp"
#include "kernel/model_builder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "small_systems.hpp"

namespace trammel {
namespace {

using testing::begin;

/// out += scale * B_n^T eta with the kept gradients, of all ranks; eta is read from `local`.
void add_corrections(Assembler& assembler, double scale, const std::vector<double>& local,
                     std::vector<double>& out) {
  Layout& layout = assembler.layout();
  std::vector<double> own(out.size(), 0.0);
  for (const RangePlan& plan : assembler.plans())
    for (const int i : plan.instances) {
      const double* gradient = assembler.gradients().data() + plan.kept_begin[static_cast<std::size_t>(i)];
      const auto blocks = plan.stencil(i);
      const auto stabilizing = [&](const StencilBlock& b) {
        return static_cast<std::size_t>(
            layout.unknowns()[static_cast<std::size_t>(b.unknown)].stabilizing_local);
      };
      for (const BlockPair& pair : plan.coupled(i)) {
        const StencilBlock& row = blocks[static_cast<std::size_t>(pair.row)];
        const StencilBlock& column = blocks[static_cast<std::size_t>(pair.column)];
        if (!StabilizingParts(row, column).correction_row) continue;
        const Eigen::Map<const Eigen::MatrixXd> B_T(gradient, row.size, column.size);
        const Eigen::Map<const Eigen::VectorXd> eta(local.data() + stabilizing(column), column.size);
        Eigen::Map<Eigen::VectorXd>(own.data() + stabilizing(row), row.size) += scale * B_T * eta;
        gradient += row.size * column.size;
      }
    }
  Vec sum = layout.create_vector();
  layout.sum_local(own, sum);
  layout.to_local(sum, own);
  VecDestroy(&sum);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += own[i];
}

/// The step's increment w (and corrections mu) applied to a state, as an integrator does it: q = q_n o exp(w - mu),
/// v = v_n + cD w, v' = v'_n + cM w, multipliers added.
struct Step {
  double cD = 0, cM = 0;

  State apply(const Layout& layout, const State& from, const std::vector<double>& x,
              std::vector<Mat3>& T) const {
    State to = from;
    T.assign(layout.unknowns().size(), Mat3::Identity());
    for (std::size_t k = 0; k < layout.unknowns().size(); ++k) {
      const UnknownBlock& u = layout.unknowns()[k];
      const double* w = x.data() + u.local;
      double* value = to.value.data() + u.offset.value;
      Vec3 d = Vec3::Zero();
      if (is_kinematic(u.kind))
        for (int i = 0; i < u.size; ++i) {
          const double mu =
              u.stabilizing_local >= 0 ? x[static_cast<std::size_t>(u.stabilizing_local + i)] : 0;
          d[i] = w[i] - mu;
          to.rate[static_cast<std::size_t>(u.offset.dof + i)] += cD * w[i];
          to.acceleration[static_cast<std::size_t>(u.offset.dof + i)] += cM * w[i];
        }
      if (u.kind == BlockKind::rotation) {
        const double* q = value + 9;
        const Quaternion turned = Quaternion(q[0], q[1], q[2], q[3]) * so3::exp_quaternion(d);
        Eigen::Map<Mat3> R(value);
        R = (R * so3::exp(d)).eval();
        value[9] = turned.w();
        value[10] = turned.x();
        value[11] = turned.y();
        value[12] = turned.z();
        T[k] = so3::T(d);
      } else {
        for (int i = 0; i < u.size; ++i) value[i] += is_kinematic(u.kind) ? d[i] : w[i];
      }
    }
    layout.update_shared(to);
    return to;
  }
};

/// A vector that does not depend on the partition: filled by block and component.
Vec probe(const Layout& layout, unsigned seed, double size) {
  Vec x = layout.create_vector();
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    std::mt19937 random(seed * 7919U + 97U * static_cast<unsigned>(entity_of(u.block)) +
                        static_cast<unsigned>(u.block));
    std::uniform_real_distribution<double> uniform(-size, size);
    for (int i = 0; i < u.size; ++i) {
      VecSetValue(x, u.global + i, uniform(random), INSERT_VALUES);
      const double stabilizing = uniform(random);
      if (u.stabilizing_global >= 0) VecSetValue(x, u.stabilizing_global + i, stabilizing, INSERT_VALUES);
    }
  }
  VecAssemblyBegin(x);
  VecAssemblyEnd(x);
  return x;
}

class AssemblerOnRanks : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(AssemblerOnRanks, assembles_the_derivative_of_the_residual_as_tangent) {
  const bool stabilized = std::get<0>(GetParam());
  const bool share = std::get<1>(GetParam());
  Model model;
  testing::chain(model, 14, share);
  Layout layout(PETSC_COMM_WORLD, model, {.stabilized = stabilized});
  Assembler assembler(model, layout);
  const State start = layout.initial_state();
  assembler.keep_gradients(start);
  const Step step{3.0, 5.0};
  const double h = 0.7;

  const auto residual = [&](Vec x, Vec r) {
    std::vector<double> local;
    std::vector<Mat3> T;
    layout.to_local(x, local);
    ASSERT_TRUE(assembler.residual(step.apply(layout, start, local, T), ConstraintLevel::position, r));
    if (!stabilized) return;
    std::vector<double> correction(local.size(), 0.0);
    add_corrections(assembler, -h, local, correction);
    for (const UnknownBlock& u : layout.unknowns()) {
      if (!u.owned || !is_kinematic(u.kind) || u.stabilizing_local < 0) continue;
      for (int i = 0; i < u.size; ++i) {
        const auto at = static_cast<std::size_t>(u.stabilizing_local + i);
        VecSetValue(r, u.stabilizing_global + i, local[at] + correction[at], INSERT_VALUES);
      }
    }
    VecAssemblyBegin(r);
    VecAssemblyEnd(r);
  };

  Vec x = probe(layout, 1, 0.4), dx = probe(layout, 2, 1.0);
  std::vector<double> local;
  std::vector<Mat3> T;
  layout.to_local(x, local);
  const State trial = step.apply(layout, start, local, T);
  TangentWeights weights;
  weights.damping = step.cD;
  weights.mass = step.cM;
  weights.T = T;
  weights.step = h;
  Mat J = assembler.create_matrix();
  ASSERT_TRUE(assembler.tangent(trial, weights, J));
  Vec predicted = layout.create_vector(), plus = layout.create_vector(), minus = layout.create_vector();
  MatMult(J, dx, predicted);
  const double e = 1e-5;
  VecAXPY(x, e, dx);
  residual(x, plus);
  VecAXPY(x, -2 * e, dx);
  residual(x, minus);
  VecAXPY(plus, -1, minus);
  VecScale(plus, 1 / (2 * e));
  PetscReal scale = 0, error = 0;
  VecNorm(plus, NORM_INFINITY, &scale);
  VecAXPY(plus, -1, predicted);
  VecNorm(plus, NORM_INFINITY, &error);
  EXPECT_LT(error, 1e-8 * scale);
  EXPECT_GT(scale, 1);
  for (Vec* v : {&x, &dx, &predicted, &plus, &minus}) VecDestroy(v);
  MatDestroy(&J);
}

INSTANTIATE_TEST_SUITE_P(Forms, AssemblerOnRanks, ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         [](const auto& forms) {
                           return std::string(std::get<0>(forms.param) ? "stabilized" : "index3") +
                                  (std::get<1>(forms.param) ? "_shared" : "_separate");
                         });

TEST(RenewedRows, of_a_tangent_are_those_of_another_state_and_the_others_stay) {
  Model model;
  testing::chain(model, 14, true);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  const State start = layout.initial_state();
  Vec x = probe(layout, 3, 0.4);
  std::vector<double> local;
  std::vector<Mat3> T, T_start;
  layout.to_local(x, local);
  const Step step{3.0, 5.0};
  const State moved = step.apply(layout, start, local, T);
  TangentWeights weights;
  weights.damping = step.cD;
  weights.mass = step.cM;
  weights.T = T;
  Mat before = assembler.create_matrix(), after = assembler.create_matrix(),
      renewed = assembler.create_matrix();
  for (Mat J : {before, renewed}) ASSERT_TRUE(assembler.tangent(start, weights, J));
  ASSERT_TRUE(assembler.tangent(moved, weights, after));

  std::vector<char> rows(layout.unknowns().size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = layout.unknowns()[i].global % 9 == 0 ? 1 : 0;
  std::vector<std::vector<InstanceRun>> instances;
  for (const RangePlan& plan : assembler.plans()) instances.push_back(plan.runs);  // more than have to be
  LocalFault fault;
  EXPECT_TRUE(assembler.tangent(moved, weights, renewed, fault, {rows, instances}));
  ASSERT_TRUE(assembler.agree(fault));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const UnknownBlock& u = layout.unknowns()[i];
    for (int k = 0; u.owned && k < u.size; ++k) {
      const PetscInt row = u.global + k;
      PetscInt count = 0, count_here = 0;
      const PetscScalar *expected = nullptr, *found = nullptr;
      MatGetRow(rows[i] != 0 ? after : before, row, &count, nullptr, &expected);
      MatGetRow(renewed, row, &count_here, nullptr, &found);
      ASSERT_EQ(count, count_here);
      EXPECT_TRUE(std::equal(expected, expected + count, found)) << "row " << row;
      MatRestoreRow(renewed, row, &count_here, nullptr, &found);
      MatRestoreRow(rows[i] != 0 ? after : before, row, &count, nullptr, &expected);
    }
  }
  VecDestroy(&x);
  for (Mat* J : {&before, &after, &renewed}) MatDestroy(J);
}

TEST(RenewedRows, do_not_suffice_where_a_matrix_has_lost_its_entries) {
  Model model;
  testing::chain(model, 6, false);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  const State state = layout.initial_state();
  Mat first = assembler.create_matrix(false), second = assembler.create_matrix(false);
  const std::vector<char> rows(layout.unknowns().size(), 1);
  std::vector<std::vector<InstanceRun>> instances;
  for (const RangePlan& plan : assembler.plans()) instances.push_back(plan.runs);
  const auto renews = [&](Mat J) {
    LocalFault fault;
    const bool done = assembler.tangent(state, {}, J, fault, {rows, instances});
    EXPECT_TRUE(assembler.agree(fault));
    return done;
  };
  const bool alone = layout.ranks() == 1;
  EXPECT_FALSE(renews(first)) << "nothing was assembled yet";
  ASSERT_TRUE(assembler.tangent(state, {}, first));
  EXPECT_TRUE(renews(first));
  ASSERT_TRUE(assembler.tangent(state, {}, second));
  EXPECT_EQ(renews(first), !alone) << "on one rank the other matrix has the same memory";
  EXPECT_TRUE(renews(second));
  assembler.remove_redundant({});
  EXPECT_FALSE(renews(second)) << "other rows may be redundant now";
  for (Mat* J : {&first, &second}) MatDestroy(J);
}

/// A ring of masses, with one spring that moves on to the next mass at each review.
struct Mover {
  std::vector<BlockId> track;
  std::size_t at = 0;
  void evaluate(const LocalState& x, LocalSystem& out) const { testing::Spring{}.evaluate(x, out); }
  Review review(const LocalState&, const StepInfo&) const {
    return Review::move({track[0], track[(at + 1) % (track.size() - 1) + 1]}, false);
  }
  void commit(const LocalState&, const StepInfo&) { at = (at + 1) % (track.size() - 1); }
};

Model ring(int masses, std::size_t at) {
  Model model;
  ModelBuilder builder(model);
  std::vector<BlockId> track;
  for (int i = 0; i < masses; ++i) {
    begin(builder, "mass" + std::to_string(i));
    track.push_back(builder.add_position("p", Vec3(std::cos(i), std::sin(i), 0.1 * i), Vec3(i, 1, 0)));
  }
  begin(builder, "springs");
  for (std::size_t i = 0; i + 1 < track.size(); ++i) builder.add(testing::Spring{}, {track[i], track[i + 1]});
  begin(builder, "mover");
  builder.add(Mover{track, at}, {track[0], track[at + 1]});
  return model;
}

/// Frobenius norm of the tangent and norm of J times a vector that the partition does not change, and of r.
std::array<double, 3> fingerprint(Assembler& assembler, const State& state) {
  const Layout& layout = assembler.layout();
  Mat J = assembler.create_matrix();
  EXPECT_TRUE(assembler.tangent(state, {}, J));
  Vec x = probe(layout, 3, 1), y = layout.create_vector();
  std::array<double, 3> norms{};
  MatNorm(J, NORM_FROBENIUS, &norms[0]);
  MatMult(J, x, y);
  VecNorm(y, NORM_2, &norms[1]);
  EXPECT_TRUE(assembler.residual(state, ConstraintLevel::position, y));
  VecNorm(y, NORM_2, &norms[2]);
  VecDestroy(&x);
  VecDestroy(&y);
  MatDestroy(&J);
  return norms;
}

TEST(MatricesThatDoNotLast, have_entries_in_common_on_one_rank) {
  Model model = ring(4, 0);
  Layout layout(PETSC_COMM_WORLD, model, {});
  if (layout.ranks() > 1) GTEST_SKIP() << "each has its own on several ranks";
  Assembler assembler(model, layout);
  const State state = layout.initial_state();
  Mat lasting = assembler.create_matrix(), first = assembler.create_matrix(false),
      second = assembler.create_matrix(false);
  const auto entries = [](Mat J) {
    const PetscScalar* all = nullptr;
    MatSeqAIJGetArrayRead(J, &all);
    const PetscScalar* const found = all;
    MatSeqAIJRestoreArrayRead(J, &all);
    return found;
  };
  EXPECT_EQ(entries(first), entries(second));
  EXPECT_NE(entries(first), entries(lasting));
  for (Mat J : {lasting, first}) EXPECT_TRUE(assembler.tangent(state, {}, J));
  PetscBool equal = PETSC_FALSE;
  MatEqual(lasting, first, &equal);
  EXPECT_EQ(equal, PETSC_TRUE);
  MatDestroy(&first);  // the entries stay for the other
  EXPECT_TRUE(assembler.tangent(state, {}, second));
  MatEqual(lasting, second, &equal);
  EXPECT_EQ(equal, PETSC_TRUE);
  for (Mat* J : {&lasting, &second}) MatDestroy(J);
}

TEST(PatternChange, by_a_moving_stencil_equals_a_fresh_build) {
  const int masses = 40;
  Model model = ring(masses, 0);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  State state = layout.initial_state();
  for (std::size_t at = 1; at < 39; ++at) {
    assembler.each_instance(state, [&](const RangePlan& plan, int i, const LocalState& x) {
      Review answer = plan.range->review(i, x, {});
      EXPECT_EQ(answer.verdict, Review::Verdict::keep);
      if (answer.new_stencil) {
        const int dofs = model.dofs(*answer.new_stencil);
        plan.range->set_stencil(i, *std::move(answer.new_stencil), dofs);
      }
      plan.range->commit(i, x, {});
    });
    State* const states[] = {&state};
    layout.revise(states);
    assembler.revise();
    Model fresh_model = ring(masses, at);
    Layout fresh_layout(PETSC_COMM_WORLD, fresh_model, {});
    Assembler fresh(fresh_model, fresh_layout);
    const auto moved = fingerprint(assembler, state);
    const auto built = fingerprint(fresh, fresh_layout.initial_state());
    for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(moved[k], built[k], 1e-12 * built[k]) << "at mass " << at;
  }
}

/// A spring of a type of its own.
struct Reaching : testing::Spring {};

TEST(PatternChange, within_the_reach_of_a_stencil_needs_no_new_ghosts) {
  const int masses = 40;
  Model model;
  ModelBuilder builder(model);
  std::vector<BlockId> places;
  for (int i = 0; i < masses; ++i) {
    begin(builder, "mass" + std::to_string(i));
    places.push_back(builder.add_position("", Vec3(i, 0.1 * i * i, 0), Vec3(0, i, 0)));
    if (i > 0) builder.add(testing::Spring{}, {places[static_cast<std::size_t>(i - 1)], places.back()});
  }
  begin(builder, "slider");
  builder.add(Reaching{}, {places[0], places[1]}, places);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  const bool evaluates = !layout.instances(model.ranges.size() - 1).empty();
  if (evaluates) {
    for (const BlockId id : places) EXPECT_TRUE(layout.knows(id)) << id;
  }
  State state = layout.initial_state();
  const double* numbers = state.value.data();
  const RankPartition before = layout.own_partition();
  ElementRange& moving = *model.ranges.back().instances;
  moving.set_stencil(0, {places[0], places[masses - 1]}, 6);
  State* const states[] = {&state};
  layout.revise(states);
  EXPECT_EQ(state.value.data(), numbers) << "the state was arranged anew";
  EXPECT_EQ(layout.own_partition().ghost_unknowns, before.ghost_unknowns);
  assembler.revise();
  if (evaluates) {
    EXPECT_EQ(LocalState(state, &layout.offset(places[masses - 1])).position(0).x(), masses - 1);
  }
  Vec r = layout.create_vector();
  EXPECT_TRUE(assembler.residual(state, ConstraintLevel::position, r));
  VecDestroy(&r);
}

/// Throws on one instance only, which lies on one rank.
struct Faulty {
  bool fails = false;
  bool rejects = false;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (fails) throw std::runtime_error("the model has no such state");
    if (rejects) throw RejectStep("outside the domain");
    out.residual().head<3>() = x.position(0);
  }
};

void faulty_model(Model& model, bool fails, bool rejects) {
  ModelBuilder builder(model);
  for (int i = 0; i < 30; ++i) {
    begin(builder, "thing" + std::to_string(i));
    const BlockId p = builder.add_position("p", Vec3::Ones());
    builder.add(Faulty{fails && i == 29, rejects && i == 29}, {p});
  }
}

TEST(Faults, of_one_instance_stop_all_ranks_with_one_message) {
  Model model;
  faulty_model(model, true, false);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  Vec r = layout.create_vector();
  try {
    assembler.residual(layout.initial_state(), ConstraintLevel::position, r);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("'thing29'"), std::string::npos) << text;
    EXPECT_NE(text.find("plugin 'test'"), std::string::npos) << text;
    EXPECT_NE(text.find("the model has no such state"), std::string::npos) << text;
  }
  VecDestroy(&r);
}

TEST(Faults, include_a_rejection_by_one_instance_which_rejects_the_step_on_all_ranks) {
  Model model;
  faulty_model(model, false, true);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  Vec r = layout.create_vector();
  EXPECT_FALSE(assembler.residual(layout.initial_state(), ConstraintLevel::position, r));
  VecDestroy(&r);
}

TEST(Faults, give_instance_and_text_of_a_rejection_on_every_rank) {
  Model model;
  faulty_model(model, false, true);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  Vec r = layout.create_vector();
  EXPECT_FALSE(assembler.residual(layout.initial_state(), ConstraintLevel::position, r));
  EXPECT_NE(
      assembler.rejection().find("'thing29' (type 'plain' of plugin 'test') refuses the state: outside"),
      std::string::npos)
      << assembler.rejection();
  VecDestroy(&r);
}

/// The text of the Error with which `work` ends on this rank; empty if it ends without one.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Faults, refuse_the_contributions_of_chosen_instances_on_all_ranks) {
  Model model;
  faulty_model(model, false, true);
  Layout layout(PETSC_COMM_WORLD, model, {});
  Assembler assembler(model, layout);
  std::vector<std::vector<InstanceRun>> all, none(assembler.plans().size());
  for (const RangePlan& plan : assembler.plans()) all.push_back(plan.runs);
  std::vector<double> r;
  EXPECT_FALSE(assembler.contributions(layout.initial_state(), all, r));
  EXPECT_NE(assembler.rejection().find("refuses the state: outside the domain"), std::string::npos)
      << assembler.rejection();
  EXPECT_TRUE(assembler.contributions(layout.initial_state(), none, r));
  EXPECT_TRUE(std::ranges::all_of(r, [](double number) { return number == 0; }));
}

TEST(Faults, of_a_visitor_on_one_rank_end_the_visit_on_all_ranks) {
  for (const bool number : {false, true}) {
    Model model;
    faulty_model(model, false, false);
    Layout layout(PETSC_COMM_WORLD, model, {});
    Assembler assembler(model, layout);
    const std::string text = error_of([&] {
      assembler.each_instance(layout.initial_state(), [&](const RangePlan& plan, int i, const LocalState&) {
        if (model.entities[static_cast<std::size_t>(plan.range->entity(i))].name != "thing29") return;
        if (number) throw 42;
        throw std::runtime_error("the pen is dry");
      });
    });
    EXPECT_NE(text.find("'thing29'"), std::string::npos) << text;
    EXPECT_NE(text.find(number ? "something was thrown that is no exception" : "the pen is dry"),
              std::string::npos)
        << text;
  }
}

/// A constraint that can be evaluated once.
struct Once {
  std::shared_ptr<int> evaluations = std::make_shared<int>(0);
  void evaluate(const LocalState& x, LocalSystem& out) const {
    if (++*evaluations > 1) throw RejectStep("once is enough");
    out.residual()[0] = *x.value(1);
    out.residual()[1] = *x.value(0);
    if (!out.request.tangent) return;
    out.K()(0, 1) = out.K()(1, 0) = 1;
  }
};

TEST(Faults, never_leave_gradients_of_another_state) {
  Model model;
  ModelBuilder builder(model);
  begin(builder, "rail");
  const double zero = 0;
  const Measure length = Measure::length();
  const BlockId q = builder.add_coordinates("q", {&zero, 1}, {}, {&length, 1}, "m");
  const BlockId force = builder.add_multiplier("force", rows_of(Dimension::length, 1));
  builder.add(Once{}, {q, force});
  Layout layout(PETSC_COMM_WORLD, model, {});
  layout.set_stabilized(true);
  Assembler assembler(model, layout);
  const State state = layout.initial_state();
  EXPECT_EQ(error_of([&] { assembler.keep_gradients(state); }), "");
  const std::string text = error_of([&] { assembler.keep_gradients(state); });
  EXPECT_NE(text.find("refuses the state: once is enough"), std::string::npos) << text;
}

TEST(Layout, leaves_the_model_to_other_layouts) {
  Model model;
  testing::chain(model, 50, true);
  constexpr int apart = 50 * 6 + 49 * 3, offered = 16;  // every third joint offers its rotation
  std::size_t first_range = 0;
  for (const bool identify : {true, false, true}) {
    Layout layout(PETSC_COMM_WORLD, model, {.identify = identify});
    EXPECT_EQ(layout.global_size(), apart + (identify ? -3 : 3) * offered);
    EXPECT_EQ(model.ranges[first_range].instances->size(), 50);
    // Each instance is evaluated by one rank.
    std::vector<int> count(50, 0);
    for (const int i : layout.instances(first_range)) ++count[static_cast<std::size_t>(i)];
    MPI_Allreduce(MPI_IN_PLACE, count.data(), 50, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
    EXPECT_EQ(count, std::vector<int>(50, 1));
  }
}

TEST(Layout, has_balanced_and_complete_partitions) {
  Model model;
  testing::chain(model, 2000, false);
  Layout layout(PETSC_COMM_WORLD, model, {});
  EXPECT_EQ(layout.global_size(), 2000 * 6 + 1999 * 3);
  const RankPartition largest = layout.largest_partition();
  EXPECT_LE(largest.owned_unknowns + largest.ghost_unknowns,
            1.2 * static_cast<double>(layout.global_size()) / layout.ranks() + 2000);
  PetscInt instances = layout.own_partition().instances;
  MPI_Allreduce(MPI_IN_PLACE, &instances, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  EXPECT_EQ(instances, 2000 + 2 * 1999);
}

}  // namespace
}  // namespace trammel
