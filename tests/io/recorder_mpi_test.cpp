// The recorder as a run's monitor: what is written when, and what is left after a failure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "drawn_scene.hpp"
#include "io/recorder/recorder.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/error.hpp"

namespace trammel {
namespace {

using testing::begin_entity;
using ::testing::ElementsAre;
using testing::fresh_folder;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// Reports another number each time that it is asked, as a sum over ranks may in its last digits.
struct Restless {
  std::shared_ptr<int> asked = std::make_shared<int>(0);
  void evaluate(const LocalState&, LocalSystem&) const {}
  void outputs(const LocalState&, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("asked", "", ++*asked);
  }
};

struct Scene {
  Model model;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;
  State state;

  Scene() {
    const auto frames = testing::line_of_bodies(model, 5);
    ModelBuilder builder(model);
    begin_entity(builder, "probe", Type::Category::sensor);
    builder.add(testing::Probe{}, {frames[2].position, frames[2].rotation});
    begin_entity(builder, "restless", Type::Category::sensor);
    builder.add(Restless{}, {frames[4].position});
    layout = std::make_unique<Layout>(PETSC_COMM_WORLD, model, LayoutOptions{});
    assembler = std::make_unique<Assembler>(model, *layout);
    state = layout->initial_state();
  }
  bool first() const { return layout->rank() == 0; }

  /// A stage of `steps` steps from `begin` to `until`, as a solver tells it.
  void run(Monitor& monitor, const Stage& stage, double begin, double until, int steps,
           bool restarted = false) {
    StepReport report;
    report.restarted = restarted;
    report.begin = begin;
    report.until = until;
    report.step = (until - begin) / steps;
    report.time = state.time = begin;
    monitor.stage_begins(stage, report, state);
    for (int i = 1; i <= steps; ++i) {
      report.number = report.nominal = i;
      report.time = state.time = begin + i * report.step;
      report.last = i == steps;
      monitor.accepted(report, state);
    }
    monitor.stage_ends(stage, report, state);
  }
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// First column of a history.
std::vector<double> times_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  std::vector<double> times;
  while (std::getline(in, line)) times.push_back(std::stod(line));
  return times;
}

std::vector<double> frames_of(const fs::path& pvd) {
  std::istringstream in(text_of(pvd));
  std::vector<double> times;
  const std::string key = "timestep=\"";
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find(key);
    if (at == std::string::npos) continue;
    const double time = std::stod(line.substr(at + key.size()));
    if (times.empty() || times.back() != time) times.push_back(time);
  }
  return times;
}

TEST(Recorder, records_by_steps_with_the_first_and_the_last) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder") / "new" / "folder";
  Recorder recorder(*scene.assembler, {folder, "rig", {true, 4, 0}, {true, 2, 0}});
  scene.run(recorder, Stage{"", StaticStage{}}, 0, 1, 2);
  scene.run(recorder, Stage{"", DynamicStage{}}, 1, 6, 10);
  const RecorderCounts counts = recorder.counts();
  EXPECT_EQ(counts.frames, 5);
  EXPECT_EQ(counts.histories, 2);
  EXPECT_GT(counts.bytes_per_frame(), 1000);
  EXPECT_EQ(recorder.view(), folder / "rig_paraview.py");
  if (!scene.first()) return;
  EXPECT_THAT(times_of(folder / "probe.csv"), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(frames_of(folder / "rig.pvd"), ElementsAre(0, 1, 3, 5, 6));
  EXPECT_THAT(text_of(folder / "rig_paraview.py"),
              ::testing::AllOf(HasSubstr("SERIES = 'rig.pvd'"), HasSubstr("'joints': []"),
                               HasSubstr("'forces': ['force', 'moment']"),
                               HasSubstr("('force', 'forces', 'N', (0.8, 0.15, 0.15), 0.0"),
                               HasSubstr("('moment', 'moments', 'N m', (0.15, 0.35, 0.8), 0.")));
}

TEST(Recorder, records_by_time) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder_time");
  Recorder recorder(*scene.assembler, {folder, "rig", {true, 1, 0.3}, {true, 1, 0.1}});
  scene.run(recorder, Stage{"", DynamicStage{}}, 0, 1, 10);
  if (!scene.first()) return;
  EXPECT_EQ(times_of(folder / "probe.csv").size(), 11U);
  const std::vector<double> frames = frames_of(folder / "rig.pvd");
  ASSERT_EQ(frames.size(), 5U);
  EXPECT_NEAR(frames[1], 0.3, 1e-12);
  EXPECT_NEAR(frames[3], 0.9, 1e-12);
  EXPECT_NEAR(frames[4], 1, 1e-12);
}

TEST(Recorder, recognizes_a_border_of_stages_by_time_and_stage) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder_border");
  Recorder recorder(*scene.assembler, {folder, "rig", {false, 1, 0}, {true, 1, 0}});
  scene.run(recorder, Stage{"", StaticStage{}}, 0, 0, 1);
  scene.run(recorder, Stage{"", DynamicStage{}}, 0, 1, 2);
  scene.run(recorder, Stage{"", DynamicStage{}}, 1, 2, 2, true);
  scene.run(recorder, Stage{"", AssembleStage{}}, 2, 2, 1);
  scene.run(recorder, Stage{"", DynamicStage{}}, 2, 3, 1);
  recorder.failed({}, scene.state, "no convergence");
  if (!scene.first()) return;
  // A static stage that takes no time has its step; a restart and an assembly have a second line; an end has none.
  for (const char* name : {"probe.csv", "restless.csv"})
    EXPECT_THAT(times_of(folder / name), ElementsAre(0, 0, 0.5, 1, 1, 1.5, 2, 2, 3)) << name;
}

TEST(Recorder, does_not_record_stages_that_assemble) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder_assemble");
  Recorder recorder(*scene.assembler, {folder, "rig", {}, {}});
  scene.run(recorder, Stage{"", AssembleStage{}}, 0, 0, 1);
  EXPECT_EQ(recorder.counts().frames, 0);
  scene.run(recorder, Stage{"", DynamicStage{}}, 0, 1, 2);
  EXPECT_EQ(recorder.counts().frames, 3);
}

TEST(Recorder, records_the_last_good_state_after_a_failure) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder_failed");
  Recorder recorder(*scene.assembler, {folder, "rig", {true, 100, 0}, {true, 100, 0}});
  StepReport report;
  recorder.stage_begins(Stage{"", DynamicStage{}}, report, scene.state);
  report.number = report.nominal = 7;
  report.time = scene.state.time = 0.7;
  recorder.accepted(report, scene.state);
  recorder.failed(report, scene.state, "no convergence");
  if (!scene.first()) return;
  EXPECT_THAT(frames_of(folder / "rig.pvd"), ElementsAre(0, 0.7));
  EXPECT_THAT(times_of(folder / "probe.csv"), ElementsAre(0, 0.7));
}

TEST(Recorder, writes_nothing_that_is_off) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder_off");
  Recorder recorder(*scene.assembler, {folder, "rig", {false, 1, 0}, {false, 1, 0}});
  scene.run(recorder, Stage{"", DynamicStage{}}, 0, 1, 2);
  EXPECT_EQ(recorder.counts().frames, 0);
  EXPECT_EQ(recorder.counts().histories, 0);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(Recorder, gives_one_error_on_all_ranks_for_a_folder_that_cannot_be_made) {
  Scene scene;
  const fs::path folder = fresh_folder("recorder_refused");
  if (scene.first()) std::ofstream(folder / "file") << "in the way";
  MPI_Barrier(PETSC_COMM_WORLD);
  try {
    Recorder recorder(*scene.assembler, {folder / "file" / "results", "rig", {}, {}});
    FAIL() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot write '" + (folder / "file" / "results").string() + "': "));
  }
}

}  // namespace
}  // namespace trammel
