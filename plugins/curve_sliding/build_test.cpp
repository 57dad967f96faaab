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

TEST(CurveSliding, RefusesWhatDoesNotFit) {
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

TEST(CurveSliding, SlidesAlongCurvesOnly) {
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
Specimen at(TrackCase& c, double eta, double rate) {
  Specimen s = c.specimen(true);
  const auto block = static_cast<std::size_t>(testing::block_named(s, "J.coordinates"));
  s.state().value[static_cast<std::size_t>(s.places()[block].value)] = eta;
  s.state().rate[static_cast<std::size_t>(s.places()[block].dof)] = rate;
  return s;
}

TEST(Ends, EndTheRunWithAMessage) {
  TrackCase c("ground", std::make_shared<Cubic>(0, 0));
  c.slide("{between: [track, bodies.b]}");
  ElementRange& range = c.part(true);
  range.commit(0, at(c, 0.9, 2).local(), {0, 1});
  EXPECT_EQ(range.review(0, at(c, 0.99, 2).local(), {1, 1.1}).verdict, Review::Verdict::keep);
  EXPECT_EQ(range.review(0, at(c, 1.1, 2).local(), {1, 1.1}).verdict, Review::Verdict::changed);
  try {
    evaluate(range, 0, at(c, 1.1, 2), {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("runs off the end of curve 'track' at s = 2 m"));
  }
}

TEST(Ends, LetGoAtTheInstantAtWhichTheyArePassed) {
  TrackCase c("ground", std::make_shared<Cubic>(0, 0));
  c.slide("{between: [track, bodies.b], ends: leave}");
  ElementRange& range = c.part(true);
  range.commit(0, at(c, 0.9, 2).local(), {0, 1});
  const Review cut = range.review(0, at(c, 1.1, 2).local(), {1, 1.1});
  ASSERT_EQ(cut.verdict, Review::Verdict::cut);
  EXPECT_NEAR(cut.cut_time, 1.05, 1e-9);
  const Specimen end = at(c, 1 + 1e-12, 2);
  EXPECT_EQ(range.review(0, end.local(), {1, 1.05}).verdict, Review::Verdict::keep);
  EXPECT_GT(evaluate(range, 0, at(c, 0.5, 2), {}).residual.norm(), 0.1);
  range.commit(0, end.local(), {1, 1.05});
  // Nothing is left but multipliers that vanish.
  Specimen s = end;
  s.disturb(5);
  const Evaluation e = evaluate(range, 0, s, {true, true, true});
  EXPECT_EQ(e.residual.head(6), Eigen::VectorXd::Zero(6));
  EXPECT_EQ(e.residual.tail(4), Eigen::Vector4d(Eigen::Map<const Eigen::Vector4d>(s.local().value(3))));
  for (const CheckedTerm& term : check_derivatives(range, 0, s))
    EXPECT_LT(term.what.find("residual") != std::string::npos ? term.relative() : 0, 1e-8) << term.what;
  EXPECT_EQ(range.review(0, s.local(), {1.05, 2}).verdict, Review::Verdict::keep);
  const std::vector<double> history = range.history(0);
  TrackCase again("ground", std::make_shared<Cubic>(0, 0));
  again.slide("{between: [track, bodies.b], ends: leave}");
  again.part(true).restore(0, history);
  EXPECT_EQ(evaluate(again.part(true), 0, s, {}).residual, e.residual);
}

TEST(Ends, HoldWithSprings) {
  TrackCase c("ground", std::make_shared<Cubic>(0, 0));
  c.slide("{between: [track, bodies.b], ends: stop, end_stiffness: 50, end_damping: 0.3}");
  for (Model::Range& r : c.model.ranges) {
    ElementRange& range = *r.instances;
    if (range.joint(0) != nullptr || range.stencil(0).size() != 1) continue;
    Specimen s(c.model, range.stencil(0));
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
