#include "kernel/model_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_systems.hpp"

namespace trammel {
namespace {

using testing::begin;
using ::testing::HasSubstr;

struct TwoBodies : ::testing::Test {
  Model model;
  ModelBuilder builder{model};
  Frame a, b, c;

  void SetUp() override {
    begin(builder, "bodies");
    a = builder.add_frame("a", so3::exp(Vec3(0.1, 0.2, 0.3)), Vec3(1, 0, 0));
    b = builder.add_frame("b", so3::exp(Vec3(-1, 0.5, 2)), Vec3(1, 0, 0));
    c = builder.add_frame("c", Mat3::Identity(), Vec3(1, 0, 0));
  }

  /// Offers to identify a part of two frames; gives the multiplier that it fulfils.
  BlockId offer(FramePart part, const Marker& of, const Marker& with) {
    const Dimension dimension = part == FramePart::rotation ? Dimension::angle : Dimension::length;
    const BlockId multiplier =
        builder.add_multiplier("held " + std::to_string(offers_++), rows_of(dimension, 3));
    builder.offer_identity(of, with, part, multiplier);
    return multiplier;
  }
  Identification identification() const { return {model, true, PETSC_COMM_SELF}; }

 private:
  int offers_ = 0;
};

TEST_F(TwoBodies, with_identified_rotations_differ_by_the_constant_rotation_of_the_start) {
  begin(builder, "joint");
  const BlockId held = offer(FramePart::rotation, Marker::on_frame(a), Marker::on_frame(b));
  const Identification found = identification();
  const BlockRoot& root = found.root(b.rotation);
  EXPECT_EQ(root.root, a.rotation);
  ASSERT_NE(root.Q, nullptr);
  EXPECT_TRUE(
      root.Q->isApprox(so3::exp(Vec3(0.1, 0.2, 0.3)).transpose() * so3::exp(Vec3(-1, 0.5, 2)), 1e-14));
  EXPECT_TRUE(found.root(held).fixed);
}

TEST_F(TwoBodies, keep_multipliers_in_a_loop) {
  begin(builder, "joints");
  const Marker ma = Marker::on_frame(a), mb = Marker::on_frame(b), mc = Marker::on_frame(c);
  const BlockId first = offer(FramePart::position, ma, mb), second = offer(FramePart::position, mb, mc),
                closing = offer(FramePart::position, mc, ma),
                grounded = offer(FramePart::position, Marker::ground(), mc),
                again = offer(FramePart::position, Marker::ground(), ma);
  const Identification found = identification();
  EXPECT_TRUE(found.root(a.position).fixed);
  EXPECT_EQ(found.total(), 3);
  for (const BlockId taken : {first, second, grounded}) EXPECT_TRUE(found.root(taken).fixed);
  for (const BlockId refused : {closing, again}) EXPECT_FALSE(found.root(refused).fixed);
  EXPECT_EQ(Identification(model, false, PETSC_COMM_SELF).total(), 0);
}

TEST_F(TwoBodies, do_not_identify_positions_at_an_offset_marker) {
  begin(builder, "joint");
  offer(FramePart::position, Marker::on_frame(a, Mat3::Identity(), Vec3(0.1, 0, 0)), Marker::on_frame(b));
  EXPECT_TRUE(model.offers.empty());
}

TEST_F(TwoBodies, keep_multipliers_if_the_reaction_is_read) {
  const int joint = begin(builder, "joint");
  offer(FramePart::position, Marker::on_frame(a), Marker::on_frame(b));
  const Location required{"case.yaml", 7, 3};
  begin(builder, "asked");
  const int asked = builder.entity_index();
  builder.offer_identity(Marker::on_frame(b), Marker::on_frame(c), FramePart::position,
                         builder.add_multiplier("force", rows_of(Dimension::length, 3)), &required);
  begin(builder, "reader");
  builder.keep_multipliers(joint);
  EXPECT_EQ(identification().total(), 1);
  EXPECT_EQ(identification().root(a.position).root, a.position);
  try {
    builder.keep_multipliers(asked);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'share' must be 'no' here: 'plain' reads the reaction of the joint"));
    EXPECT_EQ(e.where().text(), "case.yaml:7:3");
  }
}

TEST_F(TwoBodies, refuse_conflicting_initial_velocities_of_an_identified_block) {
  begin(builder, "moving");
  const BlockId p = builder.add_position("p", Vec3(1, 0, 0), Vec3(0, 2, 0));
  begin(builder, "pin");
  offer(FramePart::position, Marker::on_point(p).named("p"), Marker::on_frame(a).named("a"));
  try {
    const Layout layout(PETSC_COMM_SELF, model, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(
        e.what(),
        HasSubstr("'pin' (plain): the initial velocities of 'p' and 'a' differ by 2 m/s, but the joint "
                  "makes them equal; give equal ones, or `share: no` and a consistent start"));
  }
  const Layout apart(PETSC_COMM_SELF, model, {.identify = false});
  EXPECT_EQ(apart.root(p).root, p);
}

/// Holds two points together; counts its evaluations.
struct Pin {
  std::shared_ptr<int> evaluations = std::make_shared<int>(0);
  bool shared = false;

  bool identified(int block, bool yes) {
    EXPECT_EQ(block, 2);
    shared = yes;
    return !shared;
  }
  bool couples(int row, int column) const { return !shared && (row == 2) != (column == 2); }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    ++*evaluations;
    if (shared) return;
    const Eigen::Map<const Vec3> force(x.value(2));
    out.residual() << -force, force, x.position(1) - x.position(0);
    if (!out.request.tangent) return;
    const Mat3 one = Mat3::Identity();
    out.K().block<3, 3>(0, 6) = out.K().block<3, 3>(6, 0) = -one;
    out.K().block<3, 3>(3, 6) = out.K().block<3, 3>(6, 3) = one;
  }
};

TEST_F(TwoBodies, have_no_multiplier_unknowns_if_their_blocks_are_identified) {
  begin(builder, "pin");
  const BlockId force = offer(FramePart::position, Marker::on_frame(a), Marker::on_frame(b));
  const Pin pin;
  builder.add(pin, {a.position, b.position, force});
  for (const bool identify : {true, false, true}) {
    Layout layout(PETSC_COMM_SELF, model, {.identify = identify});
    EXPECT_EQ(layout.global_size(), identify ? 15 : 21);
    EXPECT_EQ(layout.unknown_of(force) == nullptr, identify);
    Assembler assembler(model, layout);
    *pin.evaluations = 0;
    Vec r = layout.create_vector();
    ASSERT_TRUE(assembler.residual(layout.initial_state(), ConstraintLevel::position, r));
    VecDestroy(&r);
    EXPECT_EQ(*pin.evaluations, identify ? 0 : 1);
  }
}

TEST_F(TwoBodies, refuse_an_unknown_marker_and_offer_the_nearest) {
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

TEST_F(TwoBodies, need_a_normal_force_and_coefficients_for_friction) {
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
