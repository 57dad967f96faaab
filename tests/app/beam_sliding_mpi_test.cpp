// Sliders that cross from the part of a beam that one rank owns to that of another, and steps that are given up
// after such a crossing.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/model_builder.hpp"
#include "sliding_scene.hpp"

namespace trammel {
namespace {

using testing::bead_scene;
using testing::block_named;
using testing::expect_same;
using testing::Scene;
using testing::SceneRun;
using testing::sleeve_scene;

constexpr double agreement = 1e-9;  // of a channel's range

/// Which ranks' elements were hosts: the ranks that owned both nodes of one at some step, by slider.
class HostsByRank final : public Monitor {
 public:
  HostsByRank(const SceneRun& run, const std::vector<std::string>& sliders)
      : ranks(sliders.size()), layout_(*run.layout) {
    for (const std::string& slider : sliders) s_.push_back(block_named(run.model, slider + ".s"));
    for (int k = 0; k <= Scene::elements; ++k) {
      const std::string name = k == 0                 ? "start"
                               : k == Scene::elements ? "end"
                                                      : "node " + std::to_string(k + 1);
      const BlockRoot& node = run.layout->root(block_named(run.model, "rod." + name + " position"));
      owner_.push_back(node.fixed ? -1 : layout_.owner(node.root));  // the clamp has taken the first one
    }
  }

  void stage_begins(const Stage&, const StepReport&, const State& state) override { look(state); }
  void accepted(const StepReport&, const State& state) override { look(state); }

  std::vector<std::set<int>> ranks;

 private:
  void look(const State& state) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const UnknownBlock* u = layout_.knows(s_[i]) ? layout_.unknown_of(s_[i]) : nullptr;
      double s = u != nullptr && u->owned ? state.value[static_cast<std::size_t>(u->offset.value)] : 0;
      MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_SUM, layout_.comm());
      const auto host =
          static_cast<std::size_t>(std::min(s / Scene::length * Scene::elements, Scene::elements - 1.0));
      if (owner_.at(host) >= 0 && owner_[host] == owner_.at(host + 1)) ranks[i].insert(owner_[host]);
    }
  }

  const Layout& layout_;
  std::vector<BlockId> s_;
  std::vector<int> owner_;  ///< by node
};

class Crossing : public ::testing::TestWithParam<Scene> {};

TEST_P(Crossing, of_ranks_gives_the_motion_of_one_rank) {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  SceneRun many(GetParam(), PETSC_COMM_WORLD);
  HostsByRank hosts(many, GetParam().sliders);
  const auto found = many.run(0.4, {&hosts});
  // Whole elements of at least two ranks were hosts: an element between two parts counts for neither.
  for (std::size_t i = 0; i < hosts.ranks.size(); ++i)
    EXPECT_GE(hosts.ranks[i].size(), ranks > 1 ? 2U : 1U) << GetParam().sliders[i];
  if (many.layout->rank() == 0) {
    const auto expected = SceneRun(GetParam(), PETSC_COMM_SELF).run(0.4);
    EXPECT_GE(expected.size(), 4U);
    expect_same(expected, found, agreement);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
}

const Scene scenes[] = {
    bead_scene("bead", DynamicStage::Form::index3),
    bead_scene("bead_of_index2", DynamicStage::Form::index2),
    sleeve_scene("sleeve_towards_the_root"),
    {"screw_behind_a_cylinder",
     {"screw", "slide"},
     R"(  nut: {type: rigid_body, mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [0.15, 0, 0],
        velocity: [2.5, 0, 0]}
  tube: {type: rigid_body, mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [0.65, 0, 0],
         velocity: [2.5, 0, 0]}
)",
     "  screw: {type: beam_sliding, beam: rod, slider: nut, contact: screw, pitch: 3, reserve: 2}\n"
     "  slide: {type: beam_sliding, beam: rod, slider: tube, contact: cylindrical}\n",
     R"(  screw: {type: outputs, of: screw}
  slide: {type: outputs, of: slide}
  tube: {type: motion, of: tube}
)"},
    // Bristles ten times as stiff leave a step of this size several solutions.
    {"sleeve_with_bristles",
     {"slide"},
     "  block: {type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [0.35, 0, 0],\n"
     "          velocity: [3.6, 0, 0]}\n",
     R"(  slide:
    {type: beam_sliding, beam: rod, slider: block, contact: prismatic, reserve: 1,
     friction: {s: {law: lugre, coefficient: 0.2, static: 0.3, stribeck: 0.1, stiffness: 100, damping: 3}}}
)",
     "  slide: {type: outputs, of: slide}\n  friction: {type: outputs, of: slide.s.friction}\n"},
    // What hangs on the arc length elsewhere, as other ranks know it, feels how the stop yields. (Its rates carry the
    // rounding of the short step at the beam's end, hundredfold: 1e-8.)
    {"bead_at_a_stop",
     {"slide"},
     R"(  bead: {type: point_mass, mass: 0.3, position: [0.35, 0, 0], velocity: [6.5, 0, 0]}
  pendulum: {type: rigid_body, mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0, -0.5, 1],
             markers: {top: {at: [0, 0.5, 0]}}}
)",
     "  slide: {type: beam_sliding, beam: rod, slider: bead, reserve: 1, ends: stop, stop_stiffness: 1.2e4}\n"
     "  pin: {type: revolute, between: [ground, pendulum.top], axis: [0, 0, 1], actuator: {angle: "
     "0.5*slide.s - 0.1*slide.s_rate}}\n",
     "  slide: {type: outputs, of: slide}\n  pendulum: {type: outputs, of: pin, channels: [angle]}\n"},
    {"beads_that_pass",
     {"fore", "aft"},
     "  there: {type: point_mass, mass: 0.3, position: [0.25, 0, 0], velocity: [3, 0, 0]}\n"
     "  back: {type: point_mass, mass: 0.2, position: [1.75, 0, 0], velocity: [-3, 0, 0]}\n",
     "  fore: {type: beam_sliding, beam: rod, slider: there, reserve: 2}\n"
     "  aft: {type: beam_sliding, beam: rod, slider: back}\n",
     "  fore: {type: outputs, of: fore}\n  aft: {type: outputs, of: aft}\n"},
};

INSTANTIATE_TEST_SUITE_P(BeamSliding, Crossing, ::testing::ValuesIn(scenes),
                         [](const auto& tested) { return tested.param.name; });

/// How a step that crossed a border is given up.
enum class Way {
  review_refuses,
  review_cuts,
  next_solve_fails,  ///< the one with the new host
  first_solve_fails  ///< before anything has crossed: the reference
};

/// Has a step in which the slider crossed a border, or left the beam at its end, given up once.
struct Objector {
  /// What outlives a step that is given up.
  struct Record {
    std::vector<StepInfo> steps;  ///< that were given up: found by the first three ways, read by the last
    std::vector<StepInfo> done;   ///< those that the last way gave up
    bool left = false;

    /// Gives the steps that one rank has to all: another run may be partitioned in another way.
    static void share(std::vector<StepInfo>& steps) {
      int count = static_cast<int>(steps.size());
      MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
      steps.resize(static_cast<std::size_t>(count), StepInfo{0, 0});
      for (StepInfo& step : steps)
        for (double* instant : {&step.start, &step.end})
          MPI_Allreduce(MPI_IN_PLACE, instant, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    }
    static bool has(const std::vector<StepInfo>& steps, const StepInfo& step) {
      return std::ranges::any_of(steps, [&step](const StepInfo& s) {  // instants of events are roots
        return std::abs(s.start - step.start) < 1e-9 && std::abs(s.end - step.end) < 1e-9;
      });
    }
  };
  Way way = Way::review_refuses;
  std::shared_ptr<Record> record;
  double time = 0, s = 0;  ///< at the last commit
  bool fails = false;
  mutable std::optional<StepInfo> refused = std::nullopt;

  static int element(double at) { return static_cast<int>(at / Scene::length * Scene::elements); }

  void evaluate(const LocalState& x, LocalSystem&) const {
    if (!(x.time() > time)) return;
    const StepInfo step{time, x.time()};
    if (way == Way::first_solve_fails && Record::has(record->steps, step) && !Record::has(record->done, step))
      refused = step;
    else if (!fails)
      return;
    throw RejectStep("not in one step");
  }
  Review review(const LocalState& x, const StepInfo& step) {
    if (way == Way::first_solve_fails || Record::has(record->steps, step)) return Review::keep();
    // Once it has left at the beam's end, the slider's arc length stays where it is.
    const double end = Scene::length - 1e-5, at = x.value(0)[0];
    const bool leaves = !record->left && s > end && at == s;
    const bool crosses = at < end && element(at) != element(s);
    if (!leaves && (!crosses || step.end - step.start < 0.75 * Scene::step)) return Review::keep();
    record->left = record->left || leaves;
    record->steps.push_back(step);
    if (way == Way::review_refuses) throw RejectStep("not in one step");
    if (way == Way::review_cuts) return Review::cut(0.5 * (step.start + step.end));
    fails = true;
    return Review::keep();
  }
  void commit(const LocalState& x, const StepInfo& step) {
    time = step.end;
    s = x.value(0)[0];
    EXPECT_FALSE(fails);  // the slider had the step solved again
    fails = false;
  }
  struct History {
    static constexpr int version = 1;
    void serialize(Archive&) {}
  };
  History remembered = {};
  History& history() { return remembered; }
  void restored() {
    if (refused) record->done.push_back(*refused);
    refused.reset();
    fails = false;
  }
};

class GivenUp : public ::testing::TestWithParam<std::tuple<Scene, Way>> {};

TEST_P(GivenUp, crossings_leave_nothing_behind) {
  const Scene& scene = std::get<0>(GetParam());
  const auto record = std::make_shared<Objector::Record>();
  const auto run = [&scene, &record](Way how) {
    SceneRun with(scene, PETSC_COMM_WORLD, [&](Model& model) {
      static const Type type = [] {
        Type t;
        t.name = "objector";
        return t;
      }();
      ModelBuilder builder(model);
      Entity entity;
      entity.name = "objector";
      builder.begin(entity, type);
      const BlockId s = block_named(model, scene.sliders.front() + ".s");
      builder.add(Objector{how, record, 0, model.block(s).initial[0]}, {s});
    });
    return with.run(0.14);
  };
  const auto found = run(std::get<1>(GetParam()));
  Objector::Record::share(record->steps);
  EXPECT_GE(record->steps.size(), 3U);
  auto left = static_cast<int>(record->left);
  MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  EXPECT_EQ(left, scene.name == "leaving_bead" ? 1 : 0);
  const auto expected = run(Way::first_solve_fails);
  Objector::Record::share(record->done);
  EXPECT_EQ(record->done.size(), record->steps.size());
  expect_same(expected, found, agreement);
}

Scene leaving_scene() {
  Scene scene = bead_scene("leaving_bead", DynamicStage::Form::index3);
  scene.bodies = "  bead: {type: point_mass, mass: 0.3, position: [1.65, 0, 0], velocity: [3.2, 0, 0]}\n";
  scene.joints = "  slide: {type: beam_sliding, beam: rod, slider: bead, reserve: 1, ends: inactive}\n";
  return scene;
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Scene, Way>>& tested) {
  const auto& [scene, way] = tested.param;
  if (way == Way::review_refuses) return scene.name + "_a_review_refuses";
  return scene.name + (way == Way::review_cuts ? "_a_review_cuts" : "_the_next_solve_fails");
}

INSTANTIATE_TEST_SUITE_P(BeamSliding, GivenUp,
                         ::testing::Combine(::testing::Values(bead_scene("bead", DynamicStage::Form::index3),
                                                              sleeve_scene("sleeve")),
                                            ::testing::Values(Way::review_refuses, Way::review_cuts,
                                                              Way::next_solve_fails)),
                         name_of);
// A slider that leaves begins a step anew, and has none solved again.
INSTANTIATE_TEST_SUITE_P(Leaving, GivenUp,
                         ::testing::Combine(::testing::Values(leaving_scene()),
                                            ::testing::Values(Way::review_refuses, Way::review_cuts)),
                         name_of);

}  // namespace
}  // namespace trammel
