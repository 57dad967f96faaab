#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "axes.hpp"
#include "plain_case.hpp"
#include "time_functions.hpp"
#include "trammel/activity.hpp"
#include "trammel/lie.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::generic_joint {
namespace {

using ::testing::HasSubstr;

struct TwoBodies : trammel::testing::PlainCase {
  Frame first, second;

  TwoBodies() {
    registry.set_source("generic_joint", "");
    trammel_register(registry);
    Type body;
    body.name = "frames";
    builder.begin({"bodies", {}, {}, {}, {}}, body);
    first = builder.add_frame("first", Mat3::Identity(), Vec3::Zero());
    second = builder.add_frame("second", so3::exp(Vec3(0, 0, 0.5)), Vec3(1, 0, 0));
    builder.offer_marker("first", Marker::on_frame(first));
    builder.offer_marker("end", Marker::on_frame(first, Mat3::Identity(), Vec3(1, 0, 0)));
    builder.offer_marker("second", Marker::on_frame(second));
    builder.offer_marker("point", Marker::on_point(second.position));
    context.functions["jump"] = time_function([](Jet t) { return 0.25 + t; });
    context.functions["smooth"] = time_function([](Jet t) { return 1.0 - cos(20.0 * std::numbers::pi * t); });
  }
  std::string joint(const std::string& text) { return message(Type::Category::joint, "generic", text); }
  int multipliers() const {
    int n = 0;
    for (const Block& b : model.blocks)
      if (b.kind == BlockKind::multiplier) n += b.size;
    return n;
  }
};

TEST(GenericJointInACase, locks_what_the_flags_say) {
  TwoBodies c;
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.second], constrained: [1, 1, 1, 1, 1, 0]}"), "");
  EXPECT_EQ(c.multipliers(), 5);
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.second], constrained: [0, 0, 0, 0, 0, 0]}"), "");
  EXPECT_EQ(c.multipliers(), 5);
}

TEST(GenericJointInACase, turns_either_marker) {
  TwoBodies c;
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.second], rotation_A: {axis: [0, 0, 1], angle: 0.5}}"), "");
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.second], rotation_B: {axis: [0, 0, 1], angle: -0.5}}"),
            "");
  EXPECT_THAT(c.joint("{between: [bodies.end, bodies.second]}"),
              HasSubstr("rotation (equation 3 of 3) is off by -0.479426 rad"));
}

TEST(GenericJointInACase, accepts_offsets_that_begin_at_the_markers) {
  TwoBodies c;
  const std::string locked = "constrained: [1, 1, 1, 0, 0, 0]";
  EXPECT_EQ(
      c.joint("{between: [bodies.end, bodies.second], translation_offset: [smooth, 0, 0], " + locked + "}"),
      "");
  EXPECT_EQ(
      c.joint("{between: [bodies.first, bodies.second], translation_offset: [1, 0, 0], " + locked + "}"), "");
  EXPECT_EQ(c.joint("{between: [bodies.first, bodies.second], translation_offset: [1, 0, 0], "
                    "rotation_offset: [0, 0, 0.5]}"),
            "");
}

TEST(GenericJointInACase, refuses_an_offset_that_jumps_at_the_start) {
  TwoBodies c;
  const std::string text =
      "{between: [bodies.end, bodies.second], translation_offset: [0, jump, 0], constrained: [1, 1, 1, 0, 0, "
      "0]";
  EXPECT_THAT(
      c.joint(text + "}"),
      HasSubstr("open at the start: its translation along y is off by -0.25 m; correct the markers or "
                "the offset, or give `assemble: yes`"));
  EXPECT_EQ(c.joint(text + ", assemble: yes}"), "");
}

TEST(GenericJointInACase, refuses_bad_flags) {
  TwoBodies c;
  const std::string begin = "{between: [bodies.end, bodies.second], constrained: ";
  EXPECT_THAT(c.joint(begin + "[1, 1, 1]}"), HasSubstr("must be six flags, 1 (locked) or 0 (free)"));
  EXPECT_THAT(c.joint(begin + "[1, 1, 1]}"), HasSubstr("found 3 of them"));
  EXPECT_THAT(c.joint(begin + "[1, 1, 1, 0, 2, 0]}"), HasSubstr("found 2"));
}

TEST(GenericJointInACase, refuses_impossible_input) {
  TwoBodies c;
  const std::string begin = "{between: [bodies.end, bodies.second], ";
  EXPECT_THAT(c.joint(begin + "rotation_A: [0, 0, 0, 0]}"), HasSubstr("quaternion"));
  EXPECT_THAT(c.joint(begin + "rotation_B: [[1, 0, 0], [0, 1, 0], [0, 1, 1]]}"), HasSubstr("orthonormal"));
  EXPECT_THAT(c.joint(begin + "constrained: [0, 1, 1, 0, 0, 0], translation_offset: [jump, 0, 0]}"),
              HasSubstr("translation along x is free: an offset of it has no effect"));
  EXPECT_THAT(c.joint(begin + "constrained: [1, 1, 1, 0, 0, 1], alternative: yes}"),
              HasSubstr("needs two or three locked rotations, and one is locked"));
  EXPECT_THAT(c.joint(begin + "colour: [1, 0, 0]}"), HasSubstr("four numbers from 0 to 1"));
  EXPECT_THAT(c.joint("{between: [ground, ground]}"), HasSubstr("both markers of the joint are the ground"));
  EXPECT_THAT(c.joint("{between: [bodies.first, bodies.end]}"),
              HasSubstr("connects a thing with itself: 'bodies.first' and 'bodies.end'"));
  EXPECT_THAT(c.joint("{between: [bodies.end, bodies.point], constrained: [1, 1, 1, 1, 0, 0]}"),
              HasSubstr("a point without orientation"));
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.point], constrained: [1, 1, 1, 0, 0, 0]}"), "");
}

/// Twice the distance that it reads.
class TwiceGap final : public Function {
 public:
  TwiceGap() : Function("2*gap", {"gap"}) {}

 private:
  Jet do_at(double) const override { return {}; }
  void do_evaluate(double, std::span<const double> s, FunctionValue& out) const override {
    out.reset(1);
    out.value = 2 * s[0];
    out.gradient[0] = 2;
  }
};

TEST(GenericJointInACase, follows_the_signals_that_its_functions_read) {
  TwoBodies c;
  c.context.functions["twice"] = std::make_shared<TwiceGap>();
  const std::string text =
      "{between: [bodies.first, bodies.second], constrained: [1, 1, 1, 0, 0, 0], translation_offset: ";
  EXPECT_THAT(c.joint(text + "[twice, 0, 0]}"), HasSubstr("signal 'gap' not found"));
  c.model.signals["gap"] = distance_signal(Marker::ground(), Marker::on_frame(c.second));
  EXPECT_THAT(c.joint(text + "[twice, 0, 0]}"), HasSubstr("translation along x is off by -1 m"));
  EXPECT_EQ(c.joint(text + "[twice, 0, 0], active: no}"), "");
}

TEST(GenericJointInACase, declares_its_rows_and_whether_they_switch) {
  TwoBodies c;
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.second], constrained: [1, 0, 1, 0, 0, 1], assemble: yes}"),
            "");
  EXPECT_EQ(c.joint("{between: [bodies.end, bodies.second], constrained: [1, 0, 1, 0, 0, 1], active: no}"),
            "");
  int blocks = 0;
  for (const Block& b : c.model.blocks) {
    if (b.kind != BlockKind::multiplier) continue;
    const bool force = blocks % 2 == 0;
    EXPECT_EQ(b.rows.size(), force ? 2U : 1U);
    for (const Row& row : b.rows) {
      EXPECT_EQ(row.measure.dimension, force ? Dimension::length : Dimension::angle);
      EXPECT_EQ(row.switches, blocks >= 2);
    }
    ++blocks;
  }
  EXPECT_EQ(blocks, 4);
}

TEST(GenericJointInACase, breaks_at_a_force_or_a_moment) {
  TwoBodies c;
  EXPECT_EQ(c.joint("{between: [ground, bodies.first], active: {force: 100}}"), "");
  const Activity& activity = c.model.activities.begin()->second;
  EXPECT_EQ(activity.force, 100);
  EXPECT_FALSE(activity.moment.has_value());
  EXPECT_THAT(c.joint("{between: [ground, bodies.first], active: {}}"),
              HasSubstr("none of 'until', 'force'"));
}

TEST(GenericJointInACase, refuses_a_start_half_a_turn_away) {
  TwoBodies c;
  const std::string text =
      "{between: [bodies.end, bodies.second], rotation_A: {axis: [0, 0, 1], angle: 0.5}, "
      "rotation_B: {axis: [1, 0, 0], angle: 3.141592653589793}";
  EXPECT_THAT(c.joint(text + "}"), HasSubstr("half a turn off at the start"));
  EXPECT_EQ(c.joint(text + ", constrained: [1, 1, 1, 0, 1, 1]}"), "");
}

TEST(GenericJointInACase, knows_which_joint_it_is) {
  const auto kind = [](const char* flags) {
    LockedAxes axes;
    for (std::size_t k = 0; k < 6; ++k) axes.flag[k] = flags[k] == '1';
    return std::string(LockedAxes::name(axes.kind()));
  };
  EXPECT_EQ(kind("111111"), "rigid");
  EXPECT_EQ(kind("111101"), "revolute");
  EXPECT_EQ(kind("101111"), "prismatic");
  EXPECT_EQ(kind("110110"), "cylindrical");
  EXPECT_EQ(kind("110011"), "other");
  EXPECT_EQ(kind("001110"), "planar");
  EXPECT_EQ(kind("111010"), "universal");
  EXPECT_EQ(kind("111000"), "spherical");
  EXPECT_EQ(kind("000000"), "free");
  EXPECT_EQ(kind("000111"), "other");
}

}  // namespace
}  // namespace trammel::generic_joint
