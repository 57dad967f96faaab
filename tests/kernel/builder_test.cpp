#include "trammel/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_systems.hpp"

namespace trammel {
namespace {

using testing::begin;
using ::testing::HasSubstr;

struct TwoBodies : ::testing::Test {
  Model model;
  Builder builder{model};
  Frame a, b, c;

  void SetUp() override {
    begin(builder, "bodies");
    a = builder.add_frame("a", so3::exp(Vec3(0.1, 0.2, 0.3)), Vec3(1, 0, 0));
    b = builder.add_frame("b", so3::exp(Vec3(-1, 0.5, 2)), Vec3(1, 0, 0));
    c = builder.add_frame("c", Mat3::Identity(), Vec3(1, 0, 0));
  }
};

TEST_F(TwoBodies, SharedRotationDiffersByTheConstantRotationOfTheStart) {
  begin(builder, "joint");
  ASSERT_TRUE(builder.share_rotation(Marker::on_frame(a), Marker::on_frame(b)));
  const BlockRoot& root = model.root(b.rotation);
  EXPECT_EQ(root.root, a.rotation);
  EXPECT_TRUE(root.rotated);
  EXPECT_TRUE(root.Q.isApprox(so3::exp(Vec3(0.1, 0.2, 0.3)).transpose() * so3::exp(Vec3(-1, 0.5, 2)), 1e-14));
}

TEST_F(TwoBodies, ALoopIsNotShared) {
  begin(builder, "joints");
  const Marker ma = Marker::on_frame(a), mb = Marker::on_frame(b), mc = Marker::on_frame(c);
  EXPECT_TRUE(builder.share_position(ma, mb));
  EXPECT_TRUE(builder.share_position(mb, mc));
  EXPECT_FALSE(builder.share_position(mc, ma));
  EXPECT_TRUE(builder.share_position(Marker::ground(), mc));
  EXPECT_TRUE(model.root(a.position).fixed);
  EXPECT_FALSE(builder.share_position(Marker::ground(), ma));
  EXPECT_EQ(model.shared.size(), 3U);
}

TEST_F(TwoBodies, AnOffsetMarkerSharesNoPosition) {
  begin(builder, "joint");
  EXPECT_FALSE(
      builder.share_position(Marker::on_frame(a, Mat3::Identity(), Vec3(0.1, 0, 0)), Marker::on_frame(b)));
  EXPECT_TRUE(model.shared.empty());
}

TEST_F(TwoBodies, ConflictingInitialVelocitiesOfASharedBlockAreAnError) {
  begin(builder, "moving");
  const BlockId p = builder.add_position("p", Vec3(1, 0, 0), Vec3(0, 2, 0));
  begin(builder, "pin");
  ASSERT_TRUE(builder.share_position(Marker::on_point(p), Marker::on_frame(a)));
  try {
    builder.finish();
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("joint 'pin'"), HasSubstr("velocit")));
  }
}

TEST_F(TwoBodies, AnUnknownMarkerOffersTheNearest) {
  struct Plain : ValueContext {
    double number(const Value& v) const override { return std::stod(v.text); }
    std::shared_ptr<const Function> function(const Value&) const override { return nullptr; }
  } context;
  begin(builder, "crank");
  builder.offer_marker("start", Marker::on_frame(a));
  builder.offer_marker_family(
      "at", [this](double s) { return Marker::on_frame(a, Mat3::Identity(), Vec3(s, 0, 0)); });
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = "crank.strat";
  value.where = {"case.yaml", 4, 7};
  try {
    (void)builder.marker(value, context);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("'crank.strat' not found"), HasSubstr("did you mean 'crank.start'"),
                                HasSubstr("Markers of 'crank': crank.start, crank.at(s)")));
    EXPECT_EQ(e.where().text(), "case.yaml:4:7");
  }
  value.text = "crank.at(0.25)";
  EXPECT_EQ(builder.marker(value, context).p_FM_F(), Vec3(0.25, 0, 0));
}

/// A mass hung on the ground by a shared block: the reaction is the sum of the shares on its side.
struct Weight {
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual() = 2.0 * x.acceleration(0) + Vec3(0, 0, 19.62);
  }
};

TEST(Reaction, OfASharedPositionIsTheSumOfTheSharesOnOneSide) {
  Model model;
  Builder builder(model);
  begin(builder, "upper");
  const BlockId p = builder.add_position("p", Vec3::Zero());
  builder.add(Weight{}, {p});
  begin(builder, "lower");
  const BlockId q = builder.add_position("q", Vec3::Zero());
  builder.add(Weight{}, {q});
  builder.add(Weight{}, {q});
  const int hook = begin(builder, "hook");
  ASSERT_TRUE(builder.share_position(Marker::ground(), Marker::on_point(p)));
  struct Nothing {
    void evaluate(const LocalState&, LocalSystem&) const {}
  };
  builder.add(Nothing{}, {p});
  const int link = begin(builder, "link");
  ASSERT_TRUE(builder.share_position(Marker::on_point(p), Marker::on_point(q)));
  builder.add(Nothing{}, {p, q});
  Layout layout(PETSC_COMM_SELF, model, {});
  EXPECT_EQ(layout.global_size(), 0);
  Assembler assembler(model, layout);
  std::map<int, Vec3> force;
  assembler.visit(layout.initial_state(),
                  [&](const ElementRange& range, int i, const LocalState&, const ReactionShares& shares) {
                    if (shares.has_force) force[range.entity(i)] = shares.force_on_A;
                  });
  // The joint pulls the ground down with three weights, and the upper body with two.
  EXPECT_TRUE(force.at(hook).isApprox(Vec3(0, 0, -3 * 19.62)));
  EXPECT_TRUE(force.at(link).isApprox(Vec3(0, 0, -2 * 19.62)));
}

TEST_F(TwoBodies, FrictionNeedsANormalForceAndCoefficients) {
  begin(builder, "joint");
  const std::array<Dimension, 2> axes{Dimension::velocity, Dimension::velocity};
  const auto message = [&](FrictionLaw law) {
    try {
      (void)builder.add_friction("slip", axes, std::move(law));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::shared_ptr<const Signal> load = time_signal();
  EXPECT_THAT(message({.at_rest = {0.5, 0.5}, .sliding = {0.4, 0.4}, .normal = nullptr, .pressed_by = {}}),
              HasSubstr("needs a normal force"));
  EXPECT_THAT(message({.at_rest = {0.5, 0.5}, .sliding = {0.4, -0.4}, .normal = load, .pressed_by = {}}),
              HasSubstr("coefficient of friction is negative, -0.4"));
  EXPECT_THAT(message({.at_rest = {0.3, 0.5}, .sliding = {0.4, 0.4}, .normal = load, .pressed_by = {}}),
              HasSubstr("at rest, 0.3, is less than that of sliding, 0.4"));
  EXPECT_EQ(message({.at_rest = {0.5, 0.5}, .sliding = {0.4, 0.4}, .normal = load, .pressed_by = {}}), "");
}

}  // namespace
}  // namespace trammel
