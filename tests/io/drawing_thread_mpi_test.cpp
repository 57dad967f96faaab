// A thread draws frames: from copies of states, while the computation goes on, and before elements change.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "drawn_piece.hpp"
#include "drawn_scene.hpp"
#include "io/recorder/recorder.hpp"
#include "io/vtk/vtk_series.hpp"
#include "solvers/run/simulation.hpp"
#include "trammel/error.hpp"

namespace trammel {
namespace {

using testing::fresh_folder;
using ::testing::HasSubstr;
using testing::read_piece;
namespace fs = std::filesystem;

/// What the drawing of a body meets.
struct Meeting {
  std::atomic<bool> open = true;  ///< the drawing may end
  std::atomic<std::thread::id> thread;
};

/// A body that remembers the number of its steps. It draws its place, with that number as a field, and takes its time.
struct Counting {
  struct History {
    static constexpr int version = 1;
    int reviews = 0, commits = 0;
    void serialize(Archive& archive) { archive(reviews, commits); }
  };
  std::shared_ptr<Meeting> meeting;
  History now{};

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual().head<3>() = x.acceleration(0);
    out.residual().tail<3>() = x.acceleration(1);
    if (out.request.tangent) out.M().setIdentity();
  }
  History& history() { return now; }
  Review review(const LocalState&, const StepInfo&) {
    ++now.reviews;
    return Review::keep();
  }
  void commit(const LocalState&, const StepInfo&) { ++now.commits; }
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    using namespace std::chrono_literals;
    if (x.time() > 90) throw Error("there is no pencil");
    meeting->thread = std::this_thread::get_id();
    std::this_thread::sleep_for(2ms);  // a step takes less
    for (int i = 0; i < 2000 && !meeting->open; ++i) std::this_thread::sleep_for(5ms);
    const Vec3 p = x.position(0);
    canvas.points(Canvas::Layer::joints, {&p, 1});
    const std::array<double, 1> reviews{static_cast<double>(now.reviews)},
        commits{static_cast<double>(now.commits)};
    canvas.field("reviews", reviews, 1);
    canvas.field("commits", commits, 1);
  }
};

struct Scene {
  std::shared_ptr<Meeting> meeting = std::make_shared<Meeting>();
  Model model;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;
  State state;

  Scene() {
    ModelBuilder builder(model);
    for (int i = 0; i < 5; ++i) {
      testing::begin_entity(builder, "body" + std::to_string(i), Type::Category::body);
      const Frame frame = builder.add_frame("", Mat3::Identity(), Vec3(i, 0, 0), Vec3(0, 1, 0));
      builder.add(Counting{meeting}, {frame.position, frame.rotation});
    }
    layout = std::make_unique<Layout>(PETSC_COMM_WORLD, model, LayoutOptions{});
    assembler = std::make_unique<Assembler>(model, *layout);
    state = layout->initial_state();
  }
  bool first() const { return layout->rank() == 0; }
  bool has_bodies() const {
    for (const RangePlan& plan : assembler->plans())
      if (!plan.instances.empty()) return true;
    return false;
  }
};

vtkSmartPointer<vtkPolyData> frame(const fs::path& folder, int number) {
  return read_piece(folder / "line_vtk" / ("00000" + std::to_string(number) + "_joints.pvtp"));
}

TEST(DrawingThread, draws_a_copy_of_the_state_while_the_computation_goes_on) {
  Scene scene;
  const fs::path folder = fresh_folder("drawing_copy");
  VtkSeries series(*scene.assembler, folder, "line");
  series.record(scene.state);
  scene.meeting->open = false;
  const auto set_height = [&](double height) {
    for (const UnknownBlock& u : scene.layout->unknowns())
      if (u.kind == BlockKind::position)
        scene.state.value[static_cast<std::size_t>(u.offset.value) + 2] = height;
  };
  set_height(0.25);
  scene.state.time = 1;
  series.record(scene.state);  // would return after ten seconds if it waited
  EXPECT_FALSE(scene.meeting->open);
  set_height(7);
  scene.meeting->open = true;
  EXPECT_TRUE(series.finish_drawing());
  EXPECT_FALSE(series.finish_drawing());
  if (scene.has_bodies()) {
    EXPECT_NE(scene.meeting->thread.load(), std::this_thread::get_id());
  }
  series.drain();
  if (!scene.first()) return;
  const auto drawn = frame(folder, 1);
  ASSERT_EQ(drawn->GetNumberOfPoints(), 5);
  for (vtkIdType i = 0; i < 5; ++i) EXPECT_EQ(drawn->GetPoint(i)[2], 0.25);
}

TEST(DrawingThread, sees_elements_as_they_were_when_a_step_was_accepted) {
  Scene scene;
  const fs::path folder = fresh_folder("drawing_histories");
  constexpr int steps = 8;
  Recorder recorder(*scene.assembler, {folder, "line", {true, 1, 0}, {false, 1, 0}});
  Simulation simulation(*scene.assembler);
  simulation.add(recorder);
  DynamicStage stage;
  stage.until = 0.08;
  stage.step = 0.01;
  const std::vector<Stage> stages{Stage{"", stage}};
  simulation.run(stages);
  EXPECT_EQ(recorder.counts().frames, steps + 1);
  if (!scene.first()) return;
  for (int k = 0; k <= steps; ++k) {
    const auto drawn = frame(folder, k);
    ASSERT_EQ(drawn->GetNumberOfPoints(), 5);
    for (const char* name : {"reviews", "commits"})
      for (vtkIdType i = 0; i < 5; ++i)
        EXPECT_EQ(drawn->GetPointData()->GetArray(name)->GetTuple1(i), k) << name << " in frame " << k;
  }
}

TEST(DrawingThread, gives_one_error_on_all_ranks_for_an_element_that_cannot_be_drawn) {
  Scene scene;
  const fs::path folder = fresh_folder("drawing_fails");
  VtkSeries series(*scene.assembler, folder, "line");
  series.record(scene.state);
  scene.state.time = 100;
  std::string found;
  try {
    series.record(scene.state);
    series.finish_drawing();
  } catch (const Error& e) {
    found = e.what();
  }
  EXPECT_THAT(found, HasSubstr("body 'body"));
  EXPECT_THAT(found, HasSubstr("' (plain), while it is recorded: there is no pencil"));
  EXPECT_EQ(series.frames(), 1);
}

}  // namespace
}  // namespace trammel
