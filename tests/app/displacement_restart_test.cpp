// Displacements in the files for ParaView are counted from the start of the run, also after a restart.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command.hpp"
#include "drawn_piece.hpp"

#include <vtkDataArray.h>
#include <vtkPointData.h>

namespace trammel {
namespace {

namespace fs = std::filesystem;
using testing::read_piece;

constexpr const char* chain = R"(trammel: 1
sections:
  rod: {stiffness: {EA: 1e5, GA: [4e4, 4e4], GJ: 50, EI: [50, 50]}, mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}
bodies:
  boom: {type: beam, section: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 8}
  link: {type: rigid_body, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0], markers: {left: {at: [-0.5, 0, 0]}},
         shape: {type: box, size: [1, 0.1, 0.1]}}
joints:
  hinge: {type: revolute, between: [ground, boom.start], axis: [0, 1, 0]}
  pin: {type: spherical, between: [boom.end, link.left]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
stages:
  - {type: dynamic, until: 0.2, step: 0.002}
output: {vtk: {every: 10}}
)";

struct Moved {
  Vec3 at, by;
};

/// The points of all pieces of a layer with their displacements.
std::vector<Moved> moved(const fs::path& folder, const std::string& layer) {
  std::vector<Moved> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("000010_" + layer + "_") || !name.ends_with(".vtp")) continue;
    const auto piece = read_piece(entry.path());
    vtkDataArray* array = piece->GetPointData()->GetArray("displacement");
    if (array == nullptr) return {};
    for (vtkIdType i = 0; i < piece->GetNumberOfPoints(); ++i)
      found.push_back(
          {Eigen::Map<const Vec3>(piece->GetPoint(i)),
           Vec3(array->GetComponent(i, 0), array->GetComponent(i, 1), array->GetComponent(i, 2))});
  }
  return found;
}

TEST(DisplacementRestart, on_another_number_of_ranks_keeps_the_first_instant) {
  const testing::Workplace here;
  here.write("case.yaml", chain);
  const std::string run = " run case.yaml -q --checkpoint-every 50 -o ";
  const testing::Outcome whole = here.shell(testing::command_on(1) + run + "whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  for (const auto& [before, after] : {std::pair(1, 2), std::pair(2, 1), std::pair(2, 3)}) {
    const std::string folder = fmt::format("from_{}_to_{}", before, after);
    const testing::Outcome first = here.shell(testing::command_on(before) + run + folder);
    ASSERT_EQ(first.status, 0) << first.err;
    const testing::Outcome second = here.shell(testing::command_on(after) + run + folder +
                                               " --restart $(ls " + folder + "/checkpoint_*.h5 | head -n 1)");
    ASSERT_EQ(second.status, 0) << second.err;
    for (const char* layer : {"curves", "bodies"}) {
      const auto expected = moved(here / "whole/whole_vtk", layer);
      const auto found = moved(here / (folder + "/" + folder + "_vtk"), layer);
      ASSERT_FALSE(expected.empty()) << layer;
      ASSERT_EQ(found.size(), expected.size()) << folder << " " << layer;
      double largest = 0;
      for (const Moved& one : expected) {
        const auto nearest = std::ranges::min_element(
            found, {}, [&](const Moved& other) { return (other.at - one.at).squaredNorm(); });
        EXPECT_LT((nearest->at - one.at).norm(), 1e-5) << folder << " " << layer;
        EXPECT_LT((nearest->by - one.by).norm(), 1e-5) << folder << " " << layer;
        largest = std::max(largest, one.by.norm());
      }
      EXPECT_GT(largest, 0.1) << layer;
    }
  }
}

}  // namespace
}  // namespace trammel
