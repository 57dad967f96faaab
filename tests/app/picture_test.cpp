// A run on two ranks, drawn: what each rank wrote comes together in one picture.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/Core>

#include <filesystem>
#include <sstream>

#include "command.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using namespace testing::picture;

const char* const pendulum_of_beam_and_block = R"(trammel: 1
sections:
  bar: {shape: {type: rectangle, width: 0.1, height: 0.1}, material: {E: 1e8, nu: 0.3, rho: 1000}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 8}
  block: {type: rigid_body, mass: 5, inertia: [0.05, 0.05, 0.05], position: [1.15, 0, 0], shape: {type: box, size: [0.3, 0.3, 0.3]}}
joints:
  pin: {type: revolute, axis: [0, 1, 0], between: [ground, beam.start], size: 0.2}
  weld: {type: fixed, between: [beam.end, block], position: [1, 0, 0]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
stages:
  - {type: dynamic, until: 0.2, step: 0.01}
output: {vtk: {every: 10}}
)";

TEST(Picture, of_two_ranks_shows_sections_bodies_and_forces) {
  const testing::Workplace here;
  const testing::Outcome run = here.run_on(2, pendulum_of_beam_and_block);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string shot = (here / "picture.png").string();
  ASSERT_EQ(run_without_display(TRAMMEL_BINARY_DIR "/bin/trammel-render " + (here / "out").string() +
                                " --size 640x400 --colour none -o " + shot),
            0);
  EXPECT_GT(share(shot, is_section), 0.3);
  EXPECT_GT(share(shot, is_body), 0.3);
  EXPECT_GT(share(shot, is_force), 2 * axes_share);
}

/// The direction that points up in the view of a run.
std::string up_of(const testing::Workplace& here) {
  std::string view;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(here / "out"))
    if (entry.path().filename() == "view.xml") view += testing::contents_of(entry.path());
  const auto from = view.find("up=\"") + 4;
  std::istringstream in(view.substr(from, view.find('"', from) - from));
  Eigen::Vector3d up = Eigen::Vector3d::Zero();
  in >> up.x() >> up.y() >> up.z();
  return fmt::format("{:.3f} {:.3f} {:.3f}", up.x() + 0.0, up.y() + 0.0, up.z() + 0.0);
}

TEST(Picture, has_gravity_down_also_where_it_varies_or_the_model_is_on_several_ranks) {
  const std::string usual = "acceleration: [0, 0, -9.81]";
  for (const auto& [gravity, up, ranks] :
       {std::tuple(usual, "0.000 0.000 1.000", 2),
        std::tuple(std::string("acceleration: [0, -9.81, 0]"), "0.000 1.000 0.000", 1),
        std::tuple(std::string("acceleration: [5, 0, 0], factor: sin(4*t)"), "-1.000 0.000 0.000", 1)}) {
    const testing::Workplace here;
    std::string text = pendulum_of_beam_and_block;
    text.replace(text.find(usual), usual.size(), gravity);
    const testing::Outcome run = here.run_on(ranks, text);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(up_of(here), up) << gravity;
  }
}

}  // namespace
}  // namespace trammel
