// Results of a killed run: all frames are complete except the last two, and histories have rows up to about a
// second before the end.

#include <gtest/gtest.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkXMLPolyDataReader.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

namespace fs = std::filesystem;
using testing::Workplace;

/// A beam that swings for hours, with a frame of some 100 kB a step.
const std::string swinging = R"yaml(trammel: 1
parameters: {until: 1e4}
sections:
  rod: {shape: {type: circle, radius: 0.02}, material: {E: 1e7, nu: 0.3, rho: 1000}}
bodies:
  rod: {type: beam, section: rod, from: [0, 0, 0], to: [1, 0, 0], elements: 200}
joints:
  pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
sensors:
  tip: {type: motion, of: rod.end}
stages:
  - {type: dynamic, until: until, step: 0.001}
output: {vtk: {every: 1}}
)yaml";

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Layers of frames that a series names, by the number of the frame.
std::map<int, std::vector<std::string>> listed_in(const std::string& pvd) {
  std::map<int, std::vector<std::string>> listed;
  const std::regex file("file=\"([^\"]*/(\\d+)_[a-z]+\\.pvtp)\"");
  for (std::sregex_iterator i(pvd.begin(), pvd.end(), file), end; i != end; ++i)
    listed[std::stoi((*i)[2])].push_back((*i)[1]);
  return listed;
}

/// The largest number of a frame of which anything was written.
int last_begun(const fs::path& frames) {
  int last = -1;
  for (const auto& entry : fs::directory_iterator(frames)) {
    const std::string name = entry.path().filename().string();
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) last = std::max(last, std::stoi(name));
  }
  return last;
}

/// Every piece that a layer names can be read.
void expect_whole(const fs::path& layer) {
  const std::string text = text_of(layer);
  ASSERT_TRUE(text.ends_with("</VTKFile>\n")) << layer;
  const std::regex source("Source=\"([^\"]*)\"");
  int pieces = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), source), end; i != end; ++i, ++pieces) {
    const fs::path piece = layer.parent_path() / (*i)[1].str();
    ASSERT_TRUE(text_of(piece).ends_with("</VTKFile>\n")) << piece;
    const vtkNew<vtkXMLPolyDataReader> reader;
    reader->SetFileName(piece.c_str());
    reader->Update();
    EXPECT_EQ(reader->GetErrorCode(), 0U) << piece;
    EXPECT_GT(reader->GetOutput()->GetNumberOfPoints(), 0) << piece;
  }
  EXPECT_GT(pieces, 0) << layer;
}

class KilledRun : public ::testing::TestWithParam<int> {};

TEST_P(KilledRun, leaves_all_frames_except_the_last_two_and_all_rows_except_those_of_the_last_second) {
  const Workplace workplace;
  workplace.write("case.yaml", swinging);
  workplace.shell(testing::command_on(GetParam()) + " run case.yaml -q -o out &" + R"sh(
run=$!
rows() { wc -l 2>/dev/null <out/tip.csv || echo 0; }
for i in $(seq 300); do [ "$(rows)" -gt 9 ] && break; sleep 0.1; done
rows >before
sleep 2.5
rows >after
kill -KILL $(pgrep -P $run) $run
wait $run)sh");

  const int before = std::stoi(workplace.read("before")), after = std::stoi(workplace.read("after"));
  EXPECT_GT(before, 9);
  EXPECT_GT(after, before);  // there is other work on this machine, so more than a second was waited
  const testing::Table rows = testing::table_of(workplace.read("out/tip.csv"));
  EXPECT_GE(static_cast<int>(rows.rows.size()) + 1, after);
  for (const std::vector<double>& row : rows.rows) ASSERT_EQ(row.size(), rows.names.size());

  const std::string pvd = workplace.read("out/out.pvd");
  EXPECT_TRUE(pvd.ends_with("</VTKFile>\n"));
  const auto listed = listed_in(pvd);
  ASSERT_FALSE(listed.empty());
  EXPECT_GE(listed.rbegin()->first, last_begun(workplace / "out/out_vtk") - 2);
  for (const auto& [number, layers] : listed) {
    EXPECT_EQ(layers.size(), 3U) << number;
    for (const std::string& layer : layers) expect_whole(workplace / ("out/" + layer));
  }
}

INSTANTIATE_TEST_SUITE_P(OnRanks, KilledRun, ::testing::Values(1, 2),
                         [](const auto& ranks) { return std::to_string(ranks.param); });

}  // namespace
}  // namespace trammel
