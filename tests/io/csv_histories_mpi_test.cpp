// Histories of sensors: the same files on any number of ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "drawn_scene.hpp"
#include "io/files/csv_outputs.hpp"
#include "io/recorder/csv_histories.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/error.hpp"

namespace trammel {
namespace {

using testing::begin_entity;
using ::testing::ElementsAre;
using testing::fresh_folder;
using ::testing::HasSubstr;
namespace fs = std::filesystem;
using What = SensorReference::What;

constexpr int bodies = 7;

struct Scene {
  Model model;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;
  State state;
  std::vector<trammel::Frame> frames = testing::line_of_bodies(model, bodies);

  int sensor(const std::string& name) {
    ModelBuilder builder(model);
    return begin_entity(builder, name, Type::Category::sensor);
  }
  void probe(const std::string& name, int body) {
    ModelBuilder builder(model);
    begin_entity(builder, name, Type::Category::sensor);
    const trammel::Frame& f = frames[static_cast<std::size_t>(body)];
    builder.add(testing::Probe{}, {f.position, f.rotation});
  }
  void refer(const std::string& name, int of, What what, std::vector<std::string> channels = {}) {
    model.sensor_references.push_back({sensor(name), of, what, std::move(channels)});
  }
  void start() {
    layout = std::make_unique<Layout>(PETSC_COMM_WORLD, model, LayoutOptions{});
    assembler = std::make_unique<Assembler>(model, *layout);
    state = layout->initial_state();
  }
  bool first() const { return layout->rank() == 0; }
};

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(CsvHistories, contain_names_units_and_every_digit) {
  Scene scene;
  scene.refer("end", bodies - 1, What::outputs);
  scene.refer("some", 2, What::outputs, {"third"});
  scene.probe("speed", 3);
  scene.start();
  const fs::path folder = fresh_folder("csv");
  CsvHistories histories(*scene.assembler, folder);
  EXPECT_FALSE(histories.empty());
  for (const double time : {0.0, 0.1, 0.1, 0.3}) {
    scene.state.time = time;
    histories.record(scene.state);
  }
  histories.flush();
  if (!scene.first()) return;
  EXPECT_EQ(histories.files().size(), 3U);
  EXPECT_THAT(lines_of(folder / "end.csv"),
              ElementsAre("time [s],position.x [m],position.y [m],position.z [m],number,third [rad]",
                          "0,6,0.6000000000000001,0,6,0", "0.1,6,0.6000000000000001,0,6,0.03333333333333333",
                          "0.3,6,0.6000000000000001,0,6,0.09999999999999999"));
  EXPECT_THAT(
      lines_of(folder / "some.csv"),
      ElementsAre("time [s],third [rad]", "0,0", "0.1,0.03333333333333333", "0.3,0.09999999999999999"));
  EXPECT_THAT(lines_of(folder / "speed.csv"),
              ElementsAre("time [s],velocity.x [m/s],velocity.y [m/s],velocity.z [m/s]", "0,0,3,0",
                          "0.1,0,3,0", "0.3,0,3,0"));
}

TEST(CsvHistories, contain_energies_of_a_body_and_of_the_model) {
  Scene scene;
  scene.refer("one", 4, What::energy);
  scene.refer("all", -1, What::energy);
  scene.start();
  const fs::path folder = fresh_folder("csv_energy");
  CsvHistories histories(*scene.assembler, folder);
  histories.record(scene.state);
  histories.flush();
  if (!scene.first()) return;
  const std::string header = "time [s],kinetic [J],strain [J],potential [J],total [J],dissipated_power [W]";
  // Body i: kinetic (1 + i) i^2 / 2, strain i / 4, potential -1, dissipated power 1/2.
  EXPECT_THAT(lines_of(folder / "one.csv"), ElementsAre(header, "0,40,1,-1,40,0.5"));
  EXPECT_THAT(lines_of(folder / "all.csv"), ElementsAre(header, "0,266,5.25,-7,264.25,3.5"));
}

TEST(CsvHistories, number_columns_of_several_instances_in_the_order_of_their_blocks) {
  Scene scene;
  {
    ModelBuilder builder(scene.model);
    begin_entity(builder, "both", Type::Category::sensor);
    for (const int body : {bodies - 1, 1}) {
      const trammel::Frame& f = scene.frames[static_cast<std::size_t>(body)];
      builder.add(testing::Probe{}, {f.position, f.rotation});
    }
  }
  scene.start();
  const fs::path folder = fresh_folder("csv_several");
  CsvHistories histories(*scene.assembler, folder);
  histories.record(scene.state);
  histories.flush();
  if (!scene.first()) return;
  EXPECT_THAT(lines_of(folder / "both.csv"),
              ElementsAre("time [s],velocity.x [m/s],velocity.y [m/s],velocity.z [m/s],velocity.x (2) [m/s],"
                          "velocity.y (2) [m/s],velocity.z (2) [m/s]",
                          "0,0,1,0,0,6,0"));
}

/// What recording ends with, "" where all is well.
std::string message(Scene& scene, const fs::path& folder) {
  try {
    CsvHistories histories(*scene.assembler, folder);
    histories.record(scene.state);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(CsvHistories, name_an_unknown_output_with_the_nearest_one) {
  Scene scene;
  scene.refer("end", bodies - 1, What::outputs, {"positio"});
  scene.start();
  EXPECT_THAT(
      message(scene, fresh_folder("csv_unknown")),
      HasSubstr("sensor 'end' (plain): there is no output 'positio'; did you mean 'position'? Outputs here: "
                "number, position, third"));
}

TEST(CsvHistories, refuse_a_sensor_that_reports_nothing) {
  Scene scene;
  scene.sensor("idle");
  scene.start();
  EXPECT_THAT(message(scene, fresh_folder("csv_idle")),
              HasSubstr("sensor 'idle' (plain): there is nothing to report"));
}

TEST(CsvHistories, give_one_error_on_all_ranks_for_a_full_disk) {
  Scene scene;
  scene.refer("end", bodies - 1, What::outputs);
  scene.start();
  const fs::path folder = fresh_folder("csv_full");
  CsvHistories histories(*scene.assembler, folder);
  histories.record(scene.state);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 150;
  setrlimit(RLIMIT_FSIZE, &small);
  std::string found;
  try {
    for (int i = 1; i < 20; ++i) {
      scene.state.time = i;
      histories.record(scene.state);
    }
    histories.flush();
  } catch (const Error& e) {
    found = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  // The lines that fit are there, as a whole.
  if (scene.first()) {
    std::ifstream in(folder / "end.csv");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text.back(), '\n');
    EXPECT_GT(text.size(), 110U);
    EXPECT_LE(text.size(), 150U);
  }
  EXPECT_THAT(found, HasSubstr("cannot write '" + (folder / "end.csv").string() + "': File too large"));
}

TEST(CsvHistories, write_lines_within_a_second) {
  Scene scene;
  scene.refer("end", bodies - 1, What::outputs);
  scene.start();
  const fs::path folder = fresh_folder("csv_second");
  CsvHistories histories(*scene.assembler, folder);
  for (int i = 0; i < 3; ++i) {
    scene.state.time = i;
    histories.record(scene.state);
  }
  if (!scene.first()) return;
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  const auto passed = [&] { return steady_clock::now() - begin; };
  while (lines_of(folder / "end.csv").size() < 4 && passed() < 10s) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(lines_of(folder / "end.csv").size(), 4U);
  EXPECT_LT(passed(), 5s);  // other work on this machine may be in the way
}

TEST(CsvHistories, write_all_lines_at_their_end) {
  Scene scene;
  scene.refer("end", bodies - 1, What::outputs);
  scene.start();
  const fs::path folder = fresh_folder("csv_ends");
  {
    CsvHistories histories(*scene.assembler, folder);
    histories.record(scene.state);
  }
  if (scene.first()) {
    EXPECT_EQ(lines_of(folder / "end.csv").size(), 2U);
  }
}

TEST(CsvHistories, turn_names_into_paths_in_one_folder) {
  EXPECT_EQ(file_stem("rod[3].end"), "rod[3].end");
  EXPECT_EQ(file_stem("a/b c"), "a_b_c");
  EXPECT_EQ(file_stem(".."), "_..");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

}  // namespace
}  // namespace trammel
