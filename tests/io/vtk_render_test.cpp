// Pictures of a series: sections, bodies, joints and arrows can be told in them by their colours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_scene.hpp"
#include "io/recorder.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::fresh_folder;
namespace fs = std::filesystem;
using namespace testing::picture;

/// Draws a swept section between two bodies.
struct Arm {
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionShares&, Canvas& canvas) const {
    canvas.cylinder(Canvas::Layer::sections, x.position(0), x.position(1), 0.1);
  }
};

/// Records a scene into a folder: five bodies, one arm, forces and moments, joints at the end.
void record(const fs::path& folder) {
  Model model;
  const auto frames = testing::line_of_bodies(model, 5);
  Builder builder(model);
  testing::begin_entity(builder, "arm", Type::Category::element);
  builder.add(Arm{}, {frames[1].position, frames[3].position});
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

void expect_all_parts(const fs::path& picture) {
  EXPECT_GT(share(picture, is_section), 0.3);
  EXPECT_GT(share(picture, is_body), 0.3);
  EXPECT_GT(share(picture, is_force), 2 * axes_share);
  EXPECT_GT(share(picture, is_moment), 0.1);
}

const std::string tool = TRAMMEL_BINARY_DIR "/bin/trammel-render";

TEST(Render, ShowsSectionsBodiesAndArrows) {
  const fs::path folder = fresh_folder("render");
  record(folder);
  const std::string picture = (folder / "picture.png").string();
  ASSERT_EQ(run_on_display(tool + " " + folder.string() + " --size 640x400 -o " + picture), 0);
  expect_all_parts(picture);
  const std::string plain = (folder / "plain.png").string();
  ASSERT_EQ(
      run_on_display(tool + " " + folder.string() + " --instants 2 --arrow 0 --size 640x400 -o " + plain), 0);
  EXPECT_GT(share(plain, is_body), 0.3);
  EXPECT_LT(share(plain, is_force), axes_share);
  EXPECT_GT(share(plain, [](const Pixel& p) { return p[0] + p[1] + p[2] > 650; }), 50);  // a light background
}

TEST(Render, RefusesWithOneMessage) {
  const fs::path folder = fresh_folder("render_refused");
  EXPECT_EQ(run(tool + " " + (folder / "nothing").string() + " 2>" + (folder / "log").string()), 1);
  EXPECT_EQ(run("env -u DISPLAY " + tool + " " + folder.string() + " 2>" + (folder / "log").string()), 1);
  EXPECT_EQ(run(tool + " --help > " + (folder / "log").string()), 0);
}

#ifdef TRAMMEL_PVBATCH
TEST(ParaviewState, OpensFromAnyFolderInParaview) {
  const fs::path made = fresh_folder("paraview"), folder = fresh_folder("paraview moved");
  record(made);
  fs::remove_all(folder);
  fs::rename(made, folder);
  const std::string picture = (folder / "picture.png").string();
  ASSERT_EQ(run_on_display(TRAMMEL_PVBATCH " --force-offscreen-rendering '" +
                           (folder / "rig_paraview.py").string() + "' '" + picture + "'"),
            0);
  expect_all_parts(picture);
}
#endif

}  // namespace
}  // namespace trammel
