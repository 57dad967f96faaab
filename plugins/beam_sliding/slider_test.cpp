#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "sample.hpp"

namespace trammel::beam_sliding {
namespace {

using testing::Sample;

constexpr double L = Sample::length;

/// Arc length and host: inside, at borders, beyond them, on either side of where the nearer node changes, and beyond both
/// ends.
const std::vector<std::pair<double, int>>& places() {
  static const std::vector<std::pair<double, int>> all{
      {0.31 * L, 0}, {1.5 * L - 1e-9, 1}, {1.5 * L + 1e-9, 1}, {L + 1e-11, 1}, {L, 1},         {L, 0},
      {0.93 * L, 1}, {2.05 * L, 1},       {2 * L - 1e-12, 1},  {2.8 * L, 2},   {2.999 * L, 2}, {0, 0},
      {-0.2 * L, 0}, {-0.02 * L, 0},      {3.02 * L, 2},       {3.3 * L, 2}};
  return all;
}

/// Beyond the ends a stop lets the slider go on.
void release_beyond(Sample& sample, double s) {
  sample.at_end = s < 0 || s > 3 * L ? AtEnd::stop : AtEnd::error;
}

void set_contact(Sample& sample, Contact contact) {
  sample.contact = contact;
  sample.turn_by_s = contact == Contact::screw ? 3.0 : 0.0;
}

class Contacts : public ::testing::TestWithParam<Contact> {};

TEST_P(Contacts, have_exact_derivatives_in_any_state) {
  Sample sample(5);
  set_contact(sample, GetParam());
  std::string worst;
  double largest = 0;
  for (const auto& [s, host] : places())
    for (const Vec3& curvature : {Vec3(0, 0, 0), Vec3(0.9, 0, 0), Vec3(0.4, -0.8, 1.1)}) {
      sample.curvature = curvature;
      sample.bending = curvature.isZero() ? 1.5 : 0.5;
      sample.linear_moment = !sample.linear_moment;
      release_beyond(sample, s);
      const auto range = sample.make(s, host);
      // Steps stay small against the distance at which pieces are folded.
      for (const CheckedTerm& term : check_derivatives(range, 0, *sample.test_state, 1e-3))
        if (term.relative() > largest) {
          largest = term.relative();
          worst = term.what + " at s = " + std::to_string(s / L) + " L, host " + std::to_string(host);
        }
    }
  EXPECT_LT(largest, 1e-8) << worst;
}

TEST_P(Contacts, exert_no_resultant_on_the_whole_system) {
  Sample sample(7);
  set_contact(sample, GetParam());
  sample.gap = 0;  // forces in the world's components meet at one point
  for (const auto& [s, host] : places()) {
    release_beyond(sample, s);
    auto range = sample.make(s, host);
    sample.close(range);
    const Eigen::VectorXd r = evaluate(range, 0, *sample.test_state, {}).residual;
    EXPECT_LT(resultant(*sample.test_state, r).norm(), 1e-12 * r.norm()) << s / L;
  }
}

TEST_P(Contacts, store_the_energy_that_they_take) {
  Sample sample(9);
  set_contact(sample, GetParam());
  sample.linear_moment = true;
  for (const auto& [s, host] : places()) {
    release_beyond(sample, s);
    const auto range = sample.make(s, host);
    const TestState& at = *sample.test_state;
    Request rates;
    rates.rates = true;
    const Evaluation e = evaluate(range, 0, at, rates);
    double multiplier_power = 0;
    for (std::size_t k = 0; k < at.blocks().size(); ++k)
      if (at.blocks()[k].kind == BlockKind::multiplier)
        for (int i = 0; i < 3; ++i)
          multiplier_power +=
              at.local().value(static_cast<int>(k))[i] * e.rate[at.offset(static_cast<int>(k)) + i];
    const double h = 1e-4;
    const auto energy = [&](double tau) { return range.energy(0, at.after(tau).local()).strain; };
    const double stored = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
    EXPECT_NEAR(e.residual.dot(at.velocities()) - multiplier_power, stored, 1e-8 * (1 + std::abs(stored)))
        << s / L;
  }
}

std::string name_of(const ::testing::TestParamInfo<Contact>& tested) {
  constexpr std::array names{"point", "prismatic", "cylindrical", "screw"};
  return names.at(static_cast<std::size_t>(tested.param));
}

INSTANTIATE_TEST_SUITE_P(Slider, Contacts,
                         ::testing::Values(Contact::point, Contact::prismatic, Contact::cylindrical,
                                           Contact::screw),
                         name_of);

TEST_P(Contacts, discard_a_trial_across_an_element_boundary_to_the_last_bit) {
  Sample sample(15);
  set_contact(sample, GetParam());
  sample.bending = 0.4;
  sample.reaction = 0.3;
  auto range = sample.make(0.95 * L, 0);
  range.commit(0, sample.test_state->local(), {0, 0});
  Request all;
  all.tangent = all.rates = all.bias = true;
  const auto evaluation = [&] { return evaluate(range, 0, *sample.test_state, all); };
  const auto expect_same = [](const Evaluation& a, const Evaluation& b) {
    EXPECT_EQ(a.residual, b.residual);
    EXPECT_EQ(a.rate, b.rate);
    EXPECT_EQ(a.bias, b.bias);
    EXPECT_EQ(a.K, b.K);
  };
  const Evaluation before = evaluation();
  const State start = sample.test_state->state();
  State& state = sample.test_state->state();
  const auto step_across = [&] {
    state.value[0] += 0.1 * L;
    for (std::size_t i = 1; i < state.rate.size(); ++i) state.rate[i] += 0.01;
  };
  step_across();
  const Evaluation beyond = evaluation();  // the host still the one before
  EXPECT_NE(before.residual, beyond.residual);
  state = start;
  expect_same(evaluation(), before);

  for (int trial = 0; trial < 2; ++trial) {
    step_across();
    ASSERT_EQ(range.review(0, sample.test_state->local(), {0, 1}).verdict, Review::Verdict::changed);
    EXPECT_NE(evaluation().residual, beyond.residual);
    range.reject(0);
    expect_same(evaluation(), beyond);
    state = start;
    expect_same(evaluation(), before);
  }
}

TEST(Slider, keeps_its_host_element_within_a_solve_and_changes_it_afterwards) {
  Sample sample(11);
  auto range = sample.make(0.9 * L, 0);
  double* s = sample.test_state->state().value.data();
  EXPECT_EQ(range.review(0, sample.test_state->local(), {0, 1}).verdict, Review::Verdict::keep);
  *s = 1.1 * L;
  const Review forth = range.review(0, sample.test_state->local(), {0, 1});
  EXPECT_EQ(forth.verdict, Review::Verdict::changed);
  EXPECT_FALSE(forth.new_stencil.has_value());  // the next element is there already
  // Back within the same step: a little beyond the new host, but no chatter.
  *s = 0.99 * L;
  EXPECT_EQ(range.review(0, sample.test_state->local(), {0, 1}).verdict, Review::Verdict::keep);
  range.commit(0, sample.test_state->local(), {0, 1});
  EXPECT_EQ(range.review(0, sample.test_state->local(), {1, 2}).verdict, Review::Verdict::changed);
}

TEST(Slider, passes_an_end_with_a_stop_as_an_event_and_is_beyond_it_from_there_on) {
  Sample sample(19);
  sample.at_end = AtEnd::stop;
  auto range = sample.make(2.9 * L, 2);
  double& s = sample.test_state->state().value[0];
  double& rate = sample.test_state->state().rate[0];
  const auto strain = [&] { return range.energy(0, sample.test_state->local()).strain; };
  rate = 0.2 * L;
  range.commit(0, sample.test_state->local(), {0, 0});
  s = 3.1 * L;
  const Review cut = range.review(0, sample.test_state->local(), {0, 1});
  ASSERT_EQ(cut.verdict, Review::Verdict::cut);
  EXPECT_NEAR(cut.cut_time, 0.5, 1e-12);
  s = (3 - 1e-5) * L;  // nearly there
  const Review there = range.review(0, sample.test_state->local(), {0, 0.5});
  ASSERT_EQ(there.verdict, Review::Verdict::cut);
  EXPECT_EQ(there.cut_time, 0.5);
  const double before = strain();
  range.commit(0, sample.test_state->local(), {0, 0.5});
  EXPECT_NE(strain(), before);
  s = 3.1 * L;
  EXPECT_EQ(range.review(0, sample.test_state->local(), {0.5, 1}).verdict, Review::Verdict::keep);
  EXPECT_GT(strain(), 0);
  range.commit(0, sample.test_state->local(), {0.5, 1});
  // And back; a step that is given up leaves it beyond.
  rate = -0.2 * L;
  s = 2.9 * L;
  ASSERT_EQ(range.review(0, sample.test_state->local(), {1, 2}).verdict, Review::Verdict::cut);
  range.reject(0);
  s = 3 * L;
  EXPECT_EQ(range.review(0, sample.test_state->local(), {1, 1.5}).verdict, Review::Verdict::cut);
  range.commit(0, sample.test_state->local(), {1, 1.5});
  s = 2.9 * L;
  EXPECT_EQ(range.review(0, sample.test_state->local(), {1.5, 2}).verdict, Review::Verdict::keep);
}

TEST(SplitHostElement, continues_beyond_an_end_as_an_unloaded_segment) {
  Sample sample(17);
  ElasticLine::Law law;
  law.reference << 1, 0, 0, 0.3, -0.2, 0.4;
  law.stiffness = Vec6(60, 30, 25, 6, 8, 10).asDiagonal();
  constexpr double l = 1e-6;  // so that the element's forces are those at its ends
  const HostElement element(law, 2, 2 + l);
  const Pose X_1{so3::exp(sample.vector(2)), sample.vector()};
  const Pose X_2 = X_1 * se3::exp(Vec6(l * (law.reference + sample.vector6(0.3))));
  for (const int end : {-1, 1}) {
    std::array<SplitHostElement<double>, 2> hosts{SplitHostElement<double>(element),
                                                  SplitHostElement<double>(element)};
    const Mat3 R_WB = so3::exp(sample.vector());
    const Vec3 p_WB = sample.vector(), force = sample.vector(2), moment = sample.vector(2);
    for (int k : {0, 1}) {
      SplitHostElement<double>& host = hosts[static_cast<std::size_t>(k)];
      host.X_1 = X_1;
      host.X_2 = X_2;
      host.s = end > 0 ? 2 + l : 2;
      host.R_WB = R_WB;
      host.p_WB = p_WB;
      host.force = force;
      host.moment = moment;
      host.rotates = true;
      host.beyond = k * end;
      host.solve();
    }
    const auto& [inside, beyond] = hosts;
    auto jump = (beyond.residual() - inside.residual()).eval();
    // What the element's end carries of its own is not known beyond: s feels it by the section's compliance.
    const Vec6 own = end > 0 ? inside.force_after() : inside.force_before();
    const Vec6 load = end > 0 ? beyond.force_before() : beyond.force_after();
    EXPECT_LT((load - end * (inside.force_before() - inside.force_after())).norm(), 1e-5 * load.norm());
    EXPECT_NEAR(jump[Columns::s], end * load.dot(law.stiffness.inverse() * own), 1e-5) << end;
    jump[Columns::s] = 0;
    EXPECT_LT(jump.norm(), 1e-12 * inside.residual().norm()) << end;
    EXPECT_EQ(end > 0 ? beyond.force_after() : beyond.force_before(), Vec6::Zero());
    EXPECT_EQ(beyond.energy(), 0);
  }
}

TEST_P(Contacts, continue_from_their_history_to_the_last_bit) {
  for (const bool beyond : {false, true}) {
    const auto made = [&](Sample& sample) {
      set_contact(sample, GetParam());
      sample.bending = 0.4;
      sample.reaction = 0.3;
      if (beyond) release_beyond(sample, 3.1 * L);
      return sample.make(beyond ? 2.95 * L : 0.95 * L, beyond ? 2 : 0);
    };
    Sample one(21), two(21);
    auto range = made(one), again = made(two);
    range.commit(0, one.test_state->local(), {0, 0});
    one.test_state->state().value[0] += 0.1 * L;
    Review review = range.review(0, one.test_state->local(), {0, 1});
    if (review.verdict == Review::Verdict::cut) {  // at the end of the track
      one.test_state->state().value[0] = 3 * L;
      one.test_state->state().rate[0] = 0.1 * L;
      range.review(0, one.test_state->local(), {0, 0.5});
    }
    range.commit(0, one.test_state->local(), {0, 1});
    two.test_state->state() = one.test_state->state();
    const Request all = [] {
      Request r;
      r.tangent = r.rates = r.bias = true;
      return r;
    }();
    const Evaluation before = evaluate(range, 0, *one.test_state, all);
    EXPECT_NE(evaluate(again, 0, *two.test_state, all).K, before.K);
    const auto saved = [](RangeOf<Slider>& of) {
      Archive archive;
      of.serialize(0, archive);
      return archive.bytes();
    };
    const std::vector<std::byte> history = saved(range);
    EXPECT_NE(saved(again), history);
    Archive reader(history);
    again.serialize(0, reader);
    const Evaluation after = evaluate(again, 0, *two.test_state, all);
    EXPECT_EQ(after.residual, before.residual);
    EXPECT_EQ(after.K, before.K);
    EXPECT_EQ(after.rate, before.rate);
    EXPECT_EQ(after.bias, before.bias);
    EXPECT_EQ(saved(again), history);
  }
}

TEST(Slider, ends_the_run_or_becomes_inactive_at_the_end) {
  Sample sample(13);
  auto strict = sample.make(2.9 * L, 2);
  double* s = sample.test_state->state().value.data();
  *s = 3.1 * L;
  try {
    strict.review(0, sample.test_state->local(), {0, 1});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("runs off the end"), std::string::npos) << e.what();
  }
  sample.at_end = AtEnd::inactive;
  auto leaving = sample.make(2.9 * L, 2);
  sample.test_state->state().rate[0] = 0.2 * L;
  leaving.commit(0, sample.test_state->local(), {0, 0});
  s = sample.test_state->state().value.data();
  *s = 3.1 * L;
  const Review cut = leaving.review(0, sample.test_state->local(), {0, 1});
  EXPECT_EQ(cut.verdict, Review::Verdict::cut);
  EXPECT_EQ(cut.rows, RowStatus::inactive);
  EXPECT_NEAR(cut.cut_time, 0.5, 1e-12);
  // The step that was cut there ends at the end, to rounding.
  for (const double at : {3 * L + 1e-10, 3 * L - 1e-10}) {
    *s = at;
    const Review there = leaving.review(0, sample.test_state->local(), {0, 0.5});
    EXPECT_EQ(there.rows, RowStatus::inactive);
    EXPECT_EQ(there.cut_time, 0.5);
  }
  // From a state at the end it lies at the begin of the step.
  *s = 3 * L;
  leaving.commit(0, sample.test_state->local(), {0, 0.5});
  EXPECT_EQ(leaving.review(0, sample.test_state->local(), {0.5, 1}).verdict, Review::Verdict::keep);
  *s = 3.1 * L;
  const Review begin = leaving.review(0, sample.test_state->local(), {0.5, 1});
  EXPECT_EQ(begin.rows, RowStatus::inactive);
  EXPECT_EQ(begin.cut_time, 0.5);
}

TEST(Slider, reports_no_reaction_while_it_is_inactive) {
  Sample sample(13);
  const auto range = sample.make(1.4 * L, 1);
  const auto out = [&](bool active) {
    RecordedOutputs recorded;
    ReactionContributions contributions;
    contributions.active = active;
    range.outputs(0, sample.test_state->local(), contributions, recorded);
    return recorded;
  };
  EXPECT_GT(out(true).vectors.at("force_world").norm(), 0.1);
  EXPECT_EQ(out(true).scalars.at("host_element"), 2);
  EXPECT_EQ(out(false).vectors.at("force_world").norm(), 0);
  EXPECT_EQ(out(false).scalars.at("host_element"), 0);
}

TEST(Slider, restores_its_stencil_with_a_rejected_step) {
  Sample sample(23);
  auto range = sample.make(0.9 * L, 0);
  range.commit(0, sample.test_state->local(), {0, 0});
  const std::vector<BlockId> before(range.stencil(0).begin(), range.stencil(0).end());
  const Eigen::VectorXd r = evaluate(range, 0, *sample.test_state, {}).residual;
  std::vector<BlockId> other = before;
  std::swap(other.front(), other.back());
  range.set_stencil(0, other, sample.test_state->dofs());
  EXPECT_TRUE(range.reject(0));
  EXPECT_TRUE(std::ranges::equal(range.stencil(0), before));
  EXPECT_EQ(evaluate(range, 0, *sample.test_state, {}).residual, r);
  EXPECT_FALSE(range.reject(0));
}

}  // namespace
}  // namespace trammel::beam_sliding
