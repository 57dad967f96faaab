#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/identification.hpp"
#include "plain_case.hpp"
#include "trammel/lie.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel {
namespace {

using ::testing::HasSubstr;

/// Two frames with an arm each, whose ends meet at (1, 0, 0).
struct TwoFrames : testing::PlainCase {
  Frame first, second;

  TwoFrames() {
    registry.set_source("lower_pairs", "");
    trammel_register(registry);
    Type body;
    body.name = "frames";
    builder.begin({"bodies", {}, {}, {}, {}}, body);
    first = builder.add_frame("first", Mat3::Identity(), Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, 0.5));
    second =
        builder.add_frame("second", so3::exp(Vec3(0, 0, 1)), Vec3(1, 0, 0), Vec3(0, 0.5, 0), Vec3(0, 0, 2));
    builder.offer_marker("first", Marker::on_frame(first));
    builder.offer_marker("end", Marker::on_frame(first, Mat3::Identity(), Vec3(1, 0, 0)));
    builder.offer_marker("second", Marker::on_frame(second));
    builder.offer_marker("far", Marker::on_frame(second, Mat3::Identity(), Vec3(0.25, 0, 0)));
  }
  void joint(const std::string& type, const std::string& text) {
    add(Type::Category::joint, type, "J", text);
  }
  std::string message(const std::string& type, const std::string& text) {
    return PlainCase::message(Type::Category::joint, type, text);
  }
  const Block& last() const { return model.blocks.back(); }
  /// The message where the layout cannot identify what joints offer.
  std::string conflict() const {
    try {
      (void)Identification(model, true, MPI_COMM_SELF);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }
};

TEST(LowerPairsInACase, start_revolute_with_its_rate) {
  TwoFrames c;
  c.joint("revolute", "{between: [bodies.end, bodies.second], axis: [0, 0, 1]}");
  const auto& coordinates = c.model.coordinates.begin()->second;
  ASSERT_EQ(coordinates.size(), 1U);
  EXPECT_EQ(coordinates[0].name, "angle");
  const Block& angle = c.model.block(coordinates[0].block);
  EXPECT_NEAR(angle.initial_rate[0], 1.5, 1e-15);
  EXPECT_EQ(angle.initial[0], 0);
  EXPECT_EQ(c.last().kind, BlockKind::multiplier);
  EXPECT_EQ(c.last().size, 3);
  EXPECT_TRUE(c.model.signals.contains("J.angle"));
  EXPECT_TRUE(c.model.offers.empty());  // `end` is no origin of a frame
}

TEST(LowerPairsInACase, accept_revolute_without_coordinate) {
  TwoFrames c;
  c.joint("revolute", "{between: [bodies.end, bodies.second], axis: [0, 0, 1], coordinate: no}");
  EXPECT_TRUE(c.model.coordinates.empty());
  EXPECT_EQ(c.last().size, 2);
}

TEST(LowerPairsInACase, put_the_ground_at_the_other_marker_and_identify_blocks) {
  TwoFrames c;
  c.joint("spherical", "{between: [ground, bodies.first]}");
  const Identification found(c.model, true, MPI_COMM_SELF);
  ASSERT_EQ(found.total(), 1);
  EXPECT_TRUE(found.root(c.first.position).fixed);
  EXPECT_FALSE(found.root(c.first.rotation).fixed);
}

TEST(LowerPairsInACase, start_identified_blocks_with_equal_velocities) {
  TwoFrames c;
  c.joint("fixed", "{between: [ground, bodies.first]}");
  EXPECT_THAT(c.conflict(), HasSubstr("joint 'J' (fixed): the initial angular velocities of 'ground' and "
                                      "'bodies.first' differ by 0.5 rad/s, but the joint makes them equal"));
}

TEST(LowerPairsInACase, keep_multipliers_with_share_no) {
  TwoFrames c;
  c.joint("spherical", "{between: [ground, bodies.first], share: no}");
  EXPECT_TRUE(c.model.offers.empty());
  EXPECT_EQ(c.last().name, "force");
}

TEST(LowerPairsInACase, move_both_markers_to_position) {
  TwoFrames c;
  c.joint("spherical", "{between: [bodies.first, bodies.second], position: [1, 0, 0]}");
  EXPECT_EQ(c.last().name, "force");
  EXPECT_THAT(c.message("spherical", "{between: [bodies.first, bodies.second]}"), HasSubstr("1 m apart"));
}

TEST(LowerPairsInACase, report_the_gap) {
  TwoFrames c;
  EXPECT_THAT(
      c.message("revolute", "{between: [bodies.end, bodies.far], axis: [0, 0, 1]}"),
      HasSubstr("markers 'bodies.end' and 'bodies.far' do not meet at the start: they are 0.25 m apart"));
  EXPECT_EQ(c.message("revolute", "{between: [bodies.end, bodies.far], axis: [0, 0, 1], assemble: yes}"), "");
}

TEST(LowerPairsInACase, refuse_impossible_input) {
  TwoFrames c;
  EXPECT_THAT(c.message("revolute", "{between: [bodies.end, bodies.second]}"),
              HasSubstr("'axis' is missing"));
  EXPECT_THAT(c.message("revolute", "{between: [bodies.end, bodies.second], axis: [0, 0, 0]}"),
              HasSubstr("the axis must not be zero"));
  EXPECT_THAT(c.message("revolute",
                        "{between: [bodies.end, bodies.second], axis: [0, 0, 1], "
                        "rotation: [1, 0, 0, 0]}"),
              HasSubstr("not both"));
  EXPECT_THAT(c.message("fixed", "{between: [ground, ground]}"),
              HasSubstr("both markers of the joint are the ground"));
  EXPECT_THAT(
      c.message("fixed", "{between: [bodies.second, bodies.far], assemble: yes}"),
      HasSubstr("the joint connects a thing with itself: 'bodies.second' and 'bodies.far' are fixed in"));
}

TEST(LowerPairsInACase, start_sliding_joints_where_their_markers_are) {
  TwoFrames c;
  c.joint("cylindrical",
          "{between: [bodies.end, bodies.far], axis: [0.540302305868140, 0.841470984807897, 0]}");
  const auto& coordinates = c.model.coordinates.begin()->second;
  ASSERT_EQ(coordinates.size(), 2U);
  EXPECT_EQ(coordinates[0].name, "angle");
  EXPECT_EQ(coordinates[1].name, "slide");
  const Block& slide = c.model.block(coordinates[1].block);
  EXPECT_NEAR(slide.initial[0], 0.25, 1e-14);
  EXPECT_EQ(slide.unit, "m");
  // Seen from A, which turns about z, B only moves across the axis.
  EXPECT_NEAR(slide.initial_rate[0], 0, 1e-14);
  EXPECT_TRUE(c.model.signals.contains("J.slide"));
}

TEST(LowerPairsInACase, give_planar_three_coordinates) {
  TwoFrames c;
  c.joint("planar", "{between: [ground, bodies.far], axis: [0, 0, 1]}");
  const auto& coordinates = c.model.coordinates.begin()->second;
  ASSERT_EQ(coordinates.size(), 3U);
  EXPECT_EQ(coordinates[1].name, "slide_1");
  EXPECT_EQ(coordinates[2].name, "slide_2");
  // far has v = (0, 0.5, 0) + 2 e_z x 0.25 (cos 1, sin 1, 0).
  const Block& slides = c.model.block(coordinates[2].block);
  EXPECT_NEAR(slides.initial_rate[0], -0.5 * std::sin(1), 1e-14);
  EXPECT_NEAR(slides.initial_rate[1], 0.5 + 0.5 * std::cos(1), 1e-14);
  EXPECT_NEAR(c.model.block(coordinates[0].block).initial_rate[0], 2, 1e-14);
}

TEST(LowerPairsInACase, identify_the_rotations_of_prismatic) {
  TwoFrames c;
  c.joint("prismatic", "{between: [bodies.end, bodies.second], axis: [0, 1, 0]}");
  EXPECT_THAT(c.conflict(), HasSubstr("joint 'J' (prismatic): the initial angular velocities"));
  TwoFrames d;
  d.joint("prismatic", "{between: [bodies.end, bodies.second], axis: [0, 1, 0], share: no}");
  EXPECT_EQ(d.last().name, "moment");
  EXPECT_TRUE(d.model.offers.empty());
}

TEST(LowerPairsInACase, refuse_markers_that_cannot_slide) {
  TwoFrames c;
  EXPECT_THAT(c.message("cylindrical", "{between: [bodies.end, bodies.far], axis: [0, 0, 1]}"),
              HasSubstr("do not lie on the joint's axis: they are 0.25 m apart across it"));
  EXPECT_THAT(c.message("planar", "{between: [bodies.end, bodies.far], axis: [1, 0, 0]}"),
              HasSubstr("do not lie in the joint's plane"));
  EXPECT_THAT(c.message("screw", "{between: [ground, bodies.far], axis: [0, 0, 1], pitch: 0}"),
              HasSubstr("the pitch of a screw must not be zero"));
  EXPECT_THAT(c.message("screw", "{between: [ground, bodies.far], axis: [0, 0, 1]}"), HasSubstr("pitch"));
  EXPECT_THAT(c.message("prismatic", "{between: [ground, bodies.far]}"), HasSubstr("'axis' is missing"));
}

TEST(LowerPairsInACase, refuse_inconsistent_axes) {
  TwoFrames c;
  const std::string start = "{between: [bodies.end, bodies.second], axis: [0, 0, 1], axis_B: ";
  EXPECT_THAT(c.message("revolute", start + "[0, 1, 1]}"), HasSubstr("are 45 degrees apart at the start"));
  EXPECT_THAT(c.message("revolute", start + "[0, 1, -2], assemble: yes}"), HasSubstr("wrong branch"));
  EXPECT_THAT(c.message("revolute", start + "[0, 0, -1]}"), HasSubstr("180 degrees"));
  EXPECT_THAT(c.message("revolute", start + "[0, 0, 0]}"), HasSubstr("axis_B must not be zero"));
  EXPECT_THAT(c.message("revolute",
                        "{between: [bodies.end, bodies.second], axis_B: [0, 0, 1], rotation: [1, 0, 0, 0]}"),
              HasSubstr("beside `axis`"));
  EXPECT_EQ(c.message("revolute", start + "[0, 0.5, 1], assemble: yes}"), "");
  EXPECT_EQ(c.message("revolute", start + "[0, 0, 2]}"), "");
}

}  // namespace
}  // namespace trammel
