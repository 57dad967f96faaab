#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_curves.hpp"
#include "track_case.hpp"

namespace trammel::curve_sliding {
namespace {

using ::testing::HasSubstr;
using testing::TrackCase;

std::string message(const std::string& own, const Vec3& p_WB = Vec3::Zero(),
                    std::shared_ptr<const Curve> curve = std::make_shared<Cubic>()) {
  TrackCase c("ground", std::move(curve), p_WB);
  return c.message("curve_sliding", "{between: [track, bodies.b]" + own + "}");
}

TEST(CurveSliding, refuses_what_does_not_fit) {
  EXPECT_EQ(message(""), "");
  EXPECT_THAT(message("", Vec3(0.1, 0, 0.3)), HasSubstr("m off the curve 'track': the nearest point is"));
  EXPECT_EQ(message(", assemble: yes", Vec3(0.1, 0, 0.3)), "");
  EXPECT_THAT(message("", Vec3::Zero(), std::make_shared<Corner>()),
              HasSubstr("a kink of 90 degrees at [0, 0, 0] (s = 1 m)"));
  EXPECT_THAT(message(", range: [0, 100]"),
              HasSubstr("outside of the curve, whose arc length goes from 0 to"));
  EXPECT_THAT(message(", range: [2, 1]"), HasSubstr("rising"));
  EXPECT_THAT(message(", range: [0, 0.5]"), HasSubstr("outside of the range from 0 to 0.5 m"));
  EXPECT_THAT(message(", ends: stop"), HasSubstr("needs 'end_stiffness'"));
  EXPECT_THAT(message(", end_stiffness: 5"), HasSubstr("belongs to `ends: stop`"));
  EXPECT_THAT(message(", frame: up"), HasSubstr("belongs to `orientation:"));
  EXPECT_THAT(message(", orientation: locked, frame: up, guide: track"), HasSubstr("does not belong"));
  EXPECT_THAT(message(", orientation: locked, frame: guide"), HasSubstr("needs 'guide'"));
  EXPECT_THAT(message(", orientation: locked, frame: guide, guide: trak"), HasSubstr("did you mean 'track'"));
  EXPECT_THAT(message(", orientation: locked, frame: frenet", Vec3::Zero(), std::make_shared<Cubic>(0, 1)),
              HasSubstr("take `frame: rotation_minimizing`"));
  EXPECT_THAT(message(", orientation: locked, axes: own"),
              HasSubstr("do not stand as the curve's moving frame"));
  EXPECT_THAT(message(", orientation: locked, up: [0, 0, 0]"), HasSubstr("must not be zero"));
}

TEST(CurveSliding, accepts_curves_only) {
  TrackCase c("ground", std::make_shared<Cubic>());
  EXPECT_THAT(c.message("curve_sliding", "{between: [bodies.a, bodies.b]}"),
              HasSubstr("there is no curve 'bodies.a'"));
  EXPECT_THAT(c.message("curve_sliding", "{between: [track, track]}"),
              HasSubstr("connects a thing with itself"));
  c.add_curve("far", "bodies.a", std::make_shared<Cubic>());
  EXPECT_THAT(c.message("curve_sliding",
                        "{between: [track, bodies.b], orientation: locked, frame: guide, guide: far}"),
              HasSubstr("fixed in the same marker"));
}

/// The state of the joint with s = value and the rate given.
TestState at(TrackCase& c, double eta, double rate) {
  TestState s = c.test_state(true);
  const auto block = static_cast<std::size_t>(testing::block_named(s, "J.coordinates"));
  s.state().value[static_cast<std::size_t>(s.state_offsets()[block].value)] = eta;
  s.state().rate[static_cast<std::size_t>(s.state_offsets()[block].dof)] = rate;
  return s;
}

TEST(Ends, end_the_run_with_a_message) {
  TrackCase c("ground", std::make_shared<Cubic>(0, 0));
  c.slide("{between: [track, bodies.b]}");
  ElementRange& range = c.part(true);
  range.commit(0, at(c, 0.9, 2).local(), {0, 1});
  EXPECT_EQ(range.review(0, at(c, 0.99, 2).local(), {1, 1.1}).verdict, Review::Verdict::keep);
  try {
    range.review(0, at(c, 1.1, 2).local(), {1, 1.1});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("runs off the end of curve 'track' at s = 2 m"));
    EXPECT_THAT(e.what(), HasSubstr("`ends: inactive`"));
  }
}

TEST(Ends, make_the_joint_inactive_at_the_instant_at_which_they_are_passed) {
  TrackCase c("ground", std::make_shared<Cubic>(0, 0));
  c.slide("{between: [track, bodies.b], ends: inactive}");
  ElementRange& range = c.part(true);
  range.commit(0, at(c, 0.9, 2).local(), {0, 1});
  EXPECT_EQ(range.review(0, at(c, 0.95, 2).local(), {1, 1.025}).verdict, Review::Verdict::keep);
  const Review inside = range.review(0, at(c, 1.1, 2).local(), {1, 1.1});
  ASSERT_EQ(inside.verdict, Review::Verdict::cut);
  EXPECT_EQ(inside.rows, RowStatus::inactive);
  EXPECT_NEAR(inside.cut_time, 1.05, 1e-9);
  // The step that was cut there ends at the end of the curve, to rounding.
  const Review there = range.review(0, at(c, 1 + 1e-12, 2).local(), {1, 1.05});
  EXPECT_EQ(there.rows, RowStatus::inactive);
  EXPECT_EQ(there.cut_time, 1.05);
  EXPECT_EQ(range.review(0, at(c, 1 - 1e-12, 2).local(), {1, 1.05}).verdict, Review::Verdict::keep);
  // From a state at the end, or a little short of it, it lies at the begin.
  for (const double eta : {1 - 1e-12, 1.0}) {
    range.commit(0, at(c, eta, 2).local(), {1, 1.05});
    const Review begin = range.review(0, at(c, 1.1, 2).local(), {1.05, 1.1});
    EXPECT_EQ(begin.rows, RowStatus::inactive);
    EXPECT_EQ(begin.cut_time, 1.05);
  }
}

TEST(Ends, switch_all_rows_of_the_joint_together) {
  TrackCase c("ground", std::make_shared<Cubic>());
  c.slide("{between: [track, bodies.b], ends: inactive, arc_length: velocity}");
  for (const bool joint : {true, false}) {
    const Block& rows = c.model.block(c.part(joint).stencil(0).back());
    ASSERT_TRUE(is_multiplier(rows.kind));
    for (const Row& row : rows.rows) EXPECT_TRUE(row.switches) << rows.name;
  }
  EXPECT_TRUE(c.model.activities.begin()->second.by_instance);
  EXPECT_EQ(c.model.block(c.part(true).stencil(0).back()).rows.size(), 3U);
  EXPECT_EQ(c.model.block(c.part(false).stencil(0).back()).measure(0).dimension, Dimension::velocity);
  EXPECT_THAT(message(", ends: inactive, active: {until: 2}"),
              HasSubstr("two switches, `ends` and `active`"));
  EXPECT_THAT(message(", ends: leave"), HasSubstr("inactive"));
}

TEST(SlidingJoint, continues_from_its_history) {
  const auto made = [](TrackCase& c) -> ElementRange& {
    c.slide("{between: [track, bodies.b], ends: inactive}");
    return c.part(true);
  };
  TrackCase one("ground", std::make_shared<Cubic>(0, 0)), two("ground", std::make_shared<Cubic>(0, 0));
  ElementRange &range = made(one), &again = made(two);
  range.commit(0, at(one, 0.9, 2).local(), {0, 1});
  again.commit(0, at(two, 0.1, 1).local(), {0, 1});
  Archive saved;
  range.serialize(0, saved);
  Archive reader(saved.bytes());
  again.serialize(0, reader);
  EXPECT_EQ(reader.left(), 0U);
  const auto asked = [](ElementRange& of, TrackCase& c) {
    return of.review(0, at(c, 1.1, 2).local(), {1, 1.1}).cut_time;
  };
  EXPECT_EQ(asked(again, two), asked(range, one));
}

TEST(Ends, push_back_with_springs) {
  TrackCase c("ground", std::make_shared<Cubic>(0, 0));
  c.slide("{between: [track, bodies.b], ends: stop, end_stiffness: 50, end_damping: 0.3}");
  for (Model::Range& r : c.model.ranges) {
    ElementRange& range = *r.instances;
    if (range.joint(0) != nullptr || range.stencil(0).size() != 1) continue;
    TestState s(c.model, range.stencil(0));
    s.state().value[1] = 2.1;
    s.state().rate[1] = 0.7;
    EXPECT_NEAR(evaluate(range, 0, s, {}).residual[1], 50 * 0.1 * (1 + 0.3 * 0.7), 1e-12);
    EXPECT_LT(worst_derivative(range, 0, s).relative(), 1e-8);
    s.state().value[1] = -0.1;
    EXPECT_NEAR(evaluate(range, 0, s, {}).residual[1], -50 * 0.1 * (1 - 0.3 * 0.7), 1e-12);
    s.state().value[1] = 1;
    EXPECT_EQ(evaluate(range, 0, s, {}).residual[1], 0);
    return;
  }
  FAIL() << "no stops";
}

}  // namespace
}  // namespace trammel::curve_sliding
