#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "drawn_scene.hpp"
#include "io/recorder/recorder.hpp"
#include "kernel/model_builder.hpp"
#include "picture.hpp"

namespace trammel::testing {

/// Draws a swept section between two bodies.
struct Arm {
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    canvas.cylinder(Canvas::Layer::sections, x.position(0), x.position(1), 0.1);
  }
};

/// Draws a strip between two bodies with the section moments of a beam: a torque of 50 N m, and bending moments of 5 N m at one side and
/// (6, `M3`) at the other.
inline void draw_strip(const LocalState& x, double M3, Canvas& canvas) {
  const Vec3 width(0, 0.3, 0.3);
  const std::array<Vec3, 4> corners{x.position(0), x.position(1), x.position(1) + width,
                                    x.position(0) + width};
  constexpr std::array<int, 5> face{4, 0, 1, 2, 3};
  const std::array<double, 12> moments{50, 3, 4, 50, 6, M3, 50, 6, M3, 50, 3, 4};
  canvas.surface(Canvas::Layer::sections, corners, face);
  canvas.field("section moment", moments, 3);
}

/// A strip with bending moments of 5 and 10 N m.
struct BentArm {
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    draw_strip(x, 8, canvas);
  }
};

/// Records a scene into a folder: five bodies, one arm, forces and moments, joints at the end.
template <class AnArm = Arm>
void record_rig(const std::filesystem::path& folder) {
  Model model;
  const auto frames = line_of_bodies(model, 5);
  ModelBuilder builder(model);
  begin_entity(builder, "arm", Type::Category::element);
  builder.add(AnArm{}, {frames[1].position, frames[3].position});
  Layout layout(PETSC_COMM_SELF, model, LayoutOptions{});
  Assembler assembler(model, layout);
  State state = layout.initial_state();
  Recorder recorder(assembler, {folder, "rig", {}, {}});
  StepReport report;
  const Stage stage{"", DynamicStage{}};
  recorder.stage_begins(stage, report, state);
  state.time = report.time = 1;
  report.last = true;
  recorder.accepted(report, state);
  recorder.stage_ends(stage, report, state);
}

/// Sections, bodies and arrows in a picture of that scene.
inline void expect_all_parts(const std::filesystem::path& picture) {
  using namespace picture;
  EXPECT_GT(share(picture, is_section), 0.3);
  EXPECT_GT(share(picture, is_body), 0.3);
  EXPECT_GT(share(picture, is_force), 2 * axes_share);
  EXPECT_GT(share(picture, is_moment), 0.1);
}

}  // namespace trammel::testing
