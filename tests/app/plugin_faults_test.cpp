// Faults of plugins: files that are no plugins, classes of the same name, refused steps, crashes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "io/process/address_sanitizer.hpp"

namespace trammel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string plugins = TRAMMEL_TEST_PLUGIN_DIR;
const std::string faulty = "trammel: 1\nplugins: [" + plugins + "/faulty_plugin.so]\n";
const std::string dynamic = "stages: [{type: dynamic, until: 0.1, step: 0.01}]\n";

/// The numbers in the last line of a CSV file.
std::vector<double> last_row(const std::string& text) {
  std::istringstream lines(text);
  std::string line, last;
  while (std::getline(lines, line))
    if (!line.empty()) last = line;
  std::vector<double> row;
  std::istringstream cells(last);
  for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  return row;
}

TEST(PluginOfAnotherMpi, is_named) {
  const Workplace here;
  const std::string model = R"(
bodies: {ball: {type: point_mass, mass: 1, velocity: [1, 0, 0]}}
)" + dynamic;
  const Outcome run = here.run("trammel: 1\nplugins: [" + plugins + "/second_mpi.so]\n" + model, "-q");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err,
              HasSubstr("trammel: warning: '" + plugins + "/second_mpi.so' brings a second MPI library, '"));
  EXPECT_THAT(run.err, HasSubstr("/libmpich.so.12'"));
  EXPECT_EQ(here.run("trammel: 1\nplugins: [" + plugins + "/two_sources.so]\n" + model, "-q").err, "");
}

TEST(PluginOfTwoSources, keeps_classes_of_one_name_apart) {
  const Workplace here;
  const Outcome run = here.run("trammel: 1\nplugins: [" + plugins + R"(/two_sources.so]
bodies:
  slides: {type: point_mass, mass: 1, position: [2, 0, 0], velocity: [0, 1, 0]}
  orbits: {type: point_mass, mass: 1, position: [2, 0, 0], velocity: [0, 1, 0]}
joints:
  plane: {type: on_plane, between: [ground, slides]}
  sphere: {type: on_sphere, between: [{on: ground, at: [0, 0, 0]}, orbits], radius: 2}
sensors:
  slides: {type: motion, of: slides}
  orbits: {type: motion, of: orbits}
stages: [{type: dynamic, until: 1, step: 0.01}]
output: {csv: {every: 1}}
)");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::vector<double> straight = last_row(here.read("out/slides.csv")),
                            round = last_row(here.read("out/orbits.csv"));
  ASSERT_GE(straight.size(), 4U);
  ASSERT_GE(round.size(), 4U);
  EXPECT_NEAR(straight[1], 2, 1e-9);
  EXPECT_NEAR(straight[2], 1, 1e-9);
  EXPECT_NEAR(round[1], 2 * std::cos(0.5), 1e-5);
  EXPECT_NEAR(round[2], 2 * std::sin(0.5), 1e-5);
}

/// A folder of plugins with one good file and three bad ones.
void write_folder(const Workplace& here) {
  std::filesystem::create_directory(here / "mine");
  here.write("mine/text.so", std::string(200, 'x'));
  for (const char* name : {"plain_plugin", "other_abi_plugin", "throwing_plugin"})
    std::filesystem::copy_file(plugins + "/" + name + ".so", here / ("mine/" + std::string(name) + ".so"));
}

TEST(PluginFolder, lists_bad_files_with_the_reason_and_continues) {
  const Workplace here;
  write_folder(here);
  const Outcome list = here.shell("TRAMMEL_PLUGIN_PATH=mine trammel list");
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(list.err, "");
  EXPECT_THAT(list.out, HasSubstr("plain_spring"));
  EXPECT_THAT(list.out, HasSubstr("revolute"));
  EXPECT_THAT(list.out, HasSubstr("\n  'mine/text.so' is not a Trammel plugin: "));
  EXPECT_THAT(list.out, HasSubstr("\n  plugin 'mine/other_abi_plugin.so' does not fit"));
  EXPECT_THAT(list.out, HasSubstr("failed to register: no licence found"));
}

TEST(PluginFolder, lets_cases_that_do_not_need_a_bad_file_run_with_a_warning) {
  const Workplace here;
  write_folder(here);
  here.write("case.yaml", "trammel: 1\nbodies: {m: {type: point_mass, mass: 1}}\n" + dynamic);
  const std::string command = "'" TRAMMEL_COMMAND "' run case.yaml -o out";
  for (const std::string& line : {command, "mpirun -q --oversubscribe -n 2 " + command}) {
    const Outcome run = here.shell("export TRAMMEL_PLUGIN_PATH=mine; " + line);
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string warning = "trammel: warning: passed over: 'mine/text.so' is not a Trammel plugin: ";
    const std::size_t first = run.err.find(warning);
    ASSERT_NE(first, std::string::npos) << run.err;
    EXPECT_EQ(run.err.find(warning, first + 1), std::string::npos) << run.err;
  }
}

TEST(PluginFolder, names_the_symbol_that_is_missing) {
  const Workplace here;
  // The same library with another letter in the name of a function of the kernel.
  std::string library = testing::contents_of(plugins + "/plain_plugin.so");
  const std::string there = "trammel8Registry3add";
  int replaced = 0;
  for (std::size_t at = library.find(there); at != std::string::npos;
       at = library.find(there, at), ++replaced)
    library.replace(at, there.size(), "trammel8Registry3adx");
  ASSERT_GT(replaced, 0);
  std::filesystem::create_directory(here / "mine");
  here.write("mine/missing.so", library);
  const std::string reason = "cannot be loaded: undefined symbol: trammel::Registry::adx(trammel::Type)";
  const Outcome list = here.shell("TRAMMEL_PLUGIN_PATH=mine trammel list");
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("plugin 'plain' ('mine/missing.so') " + reason));
  const Outcome named = here.shell("trammel list --plugin mine/missing.so");
  EXPECT_EQ(named.status, 1);
  EXPECT_THAT(named.err, HasSubstr("trammel: error: plugin 'plain' ('mine/missing.so') " + reason));
}

TEST(RefusedStep, keeps_its_text_and_its_instance) {
  const Workplace here;
  for (const char* what : {"residual", "tangent", "review"})
    for (const int ranks : {1, 2}) {
      const std::string text =
          faulty + "bodies:\n  x.(i): {for: {i: 1..4}, type: refusing, at: 0.05*(i-1), what: " + what +
          "}\n" + dynamic;
      const Outcome run = ranks == 1 ? here.run(text) : here.run_on(ranks, text);
      EXPECT_EQ(run.status, 4) << what;
      EXPECT_THAT(run.err, HasSubstr("no convergence at t = ")) << what;
      EXPECT_THAT(run.err, HasSubstr("body 'x.1' (type 'refusing' of plugin 'faulty') refuses the state: the "
                                     "spring is coil-bound"))
          << what << " on " << ranks;
      EXPECT_THAT(run.out, HasSubstr("refuses the state: the spring is coil-bound")) << what;
    }
}

/// The status of a shell whose command a signal ended. Address sanitizing ends it in a way of its own.
#if TRAMMEL_ADDRESS_SANITIZER
constexpr int segmentation_fault = 1;
#else
constexpr int segmentation_fault = 128 + 11;
#endif

TEST(Crash, names_the_instance_and_lets_the_signal_through) {
  const Workplace here;
  const Outcome run = here.run(faulty +
                               R"(bodies:
  x: {type: bomb, at: 1}
  y: {type: null_pointer, at: -1}
  z: {type: null_pointer, at: 0.05}
)" + dynamic);
  EXPECT_EQ(run.status, segmentation_fault);
  EXPECT_THAT(run.err,
              HasSubstr("case.yaml:5:3: error: body 'y' (type 'null_pointer' of plugin 'faulty') crashed: "
                        "signal 11 (SIGSEGV, access to an address without memory)\n"));
  EXPECT_THAT(run.err, Not(HasSubstr("Process received signal")));
  const Outcome later = here.run(faulty +
                                 R"(bodies:
  x: {type: bomb, at: 1}
  y: {type: null_pointer, at: 1}
  z: {type: null_pointer, at: 0.05}
)" + dynamic);
  EXPECT_EQ(later.status, segmentation_fault);
  EXPECT_THAT(later.err,
              HasSubstr("case.yaml:6:3: error: body 'z' (type 'null_pointer' of plugin 'faulty')"));
}

TEST(Crash, names_the_entity_that_is_built_and_the_instance_that_is_recorded) {
  const Workplace here;
  const Outcome built = here.run(faulty + "bodies:\n  x: {type: null_in_build}\n" + dynamic);
  EXPECT_EQ(built.status, segmentation_fault);
  EXPECT_THAT(built.err,
              HasSubstr("case.yaml:4:3: error: body 'x' (type 'null_in_build' of plugin 'faulty') crashed"));
  const Outcome recorded = here.run(faulty +
                                    R"(bodies:
  x: {type: bomb, at: 1}
  y: {type: endless}
sensors: {y: {type: outputs, of: y}}
)" + dynamic + "output: {csv: {every: 1}}\n");
  EXPECT_EQ(recorded.status, segmentation_fault);
  EXPECT_THAT(recorded.err,
              HasSubstr("case.yaml:5:3: error: body 'y' (type 'endless' of plugin 'faulty') crashed"));
}

TEST(Crash, is_also_a_failed_assertion) {
  const Outcome built = Workplace().run(faulty + "bodies:\n  x: {type: failed_assertion}\n" + dynamic);
  EXPECT_EQ(built.status, 128 + 6);
  EXPECT_THAT(
      built.err,
      HasSubstr("case.yaml:4:3: error: body 'x' (type 'failed_assertion' of plugin 'faulty') crashed: "
                "signal 6 (SIGABRT, a failed assertion"));
}

TEST(Crash, names_the_instance_that_is_drawn_on_a_thread) {
  const Workplace here;
  const Outcome drawn = here.run(faulty +
                                 R"(bodies:
  x: {type: bomb, at: 1}
  y: {type: endless, drawn_from: 0.02}
)" + dynamic + "output: {vtk: {every: 1}}\n");
  EXPECT_EQ(drawn.status, segmentation_fault);
  EXPECT_THAT(drawn.err,
              HasSubstr("case.yaml:5:3: error: body 'y' (type 'endless' of plugin 'faulty') crashed"));
}

}  // namespace
}  // namespace trammel::testing
