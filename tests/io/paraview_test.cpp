// What a run records, opened by ParaView's own programs: those of build/paraview (scripts/paraview.sh) or of the system.

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "drawn_rig.hpp"
#include "drawn_scene.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::fresh_folder;
using testing::picture::run;
using testing::picture::run_on_display;
namespace fs = std::filesystem;

const fs::path unpacked = TRAMMEL_SOURCE_DIR "/build/paraview";

/// The line of the shell that runs one of ParaView's programs as a user would, away from MPI and settings of this test.
std::string program(const std::string& name, const fs::path& home) {
  std::string line = "env -i PATH=\"$PATH\" DISPLAY=\"$DISPLAY\" XAUTHORITY=\"$XAUTHORITY\" HOME='" +
                     home.string() + "' XDG_RUNTIME_DIR='" + home.string() +
                     "' QT_QPA_PLATFORM=xcb OMP_NUM_THREADS=2 OMPI_ALLOW_RUN_AS_ROOT=1 "
                     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ";
  if (!fs::exists(unpacked / "complete")) return line + "timeout -k 5 120 " + name;
  for (const auto& entry : fs::directory_iterator(unpacked / "usr/lib"))
    if (entry.path().string().ends_with("-linux-gnu"))
      line += "LD_LIBRARY_PATH='" + entry.path().string() + "' ";
  return line + "PYTHONPATH='" + (unpacked / "usr/lib/python3/dist-packages").string() +
         "' timeout -k 5 120 '" + (unpacked / "usr/bin" / name).string() + "'";
}

class ParaviewView : public ::testing::Test {
 protected:
  void SetUp() override {
    // Tests run at the same time as others.
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    const fs::path made = fresh_folder(name);
    folder_ = fresh_folder(name + " moved");
    home_ = fresh_folder(name + " home");
    fs::permissions(home_, fs::perms::owner_all);
    std::ofstream(home_ / "probe.py") << "import paraview.simple\n";
    if (run(script("pvbatch", "probe.py")) != 0) {
      ASSERT_FALSE(fs::exists(unpacked / "complete")) << std::ifstream(home_ / "log").rdbuf();
      GTEST_SKIP() << "ParaView with its Python module is not here: scripts/paraview.sh brings it";
    }
    testing::record_rig(made);
    fs::remove_all(folder_);
    fs::rename(made, folder_);
  }

  /// Writes a script that runs a program from `home_`, and gives the line that runs the script.
  std::string script(const std::string& name, const std::string& arguments) const {
    const std::string file = "'" + (home_ / "run.sh").string() + "'";
    std::ofstream(home_ / "run.sh") << "cd '" << home_.string() << "' && " << program(name, home_) << " "
                                    << arguments << " >log 2>&1\n";
    return "sh " + file;
  }
  fs::path view() const { return folder_ / "rig_paraview.py"; }

  fs::path folder_, home_;
};

TEST_F(ParaviewView, opens_by_pvbatch_from_any_folder) {
  const std::string picture = (folder_ / "picture.png").string();
  ASSERT_EQ(run_on_display(
                script("pvbatch", "--force-offscreen-rendering '" + view().string() + "' '" + picture + "'")),
            0);
  testing::expect_all_parts(picture);
}

TEST_F(ParaviewView, tells_the_time_and_the_scale_of_arrows) {
  // What a user reads is compared with what is drawn.
  std::ofstream(view(), std::ios::app) << R"(
assert FindSource('time') is not None
assert GetActiveSource() is None
words = FindSource('scale of the arrows').Text
for field in ('force', 'moment'):
    metres = next(s.ScaleFactor for (name, number), s in GetSources().items() if name.endswith(': ' + field))
    newtons = float(words.split(field + ': 1 m is ')[1].split()[0])
    assert abs(newtons * metres - 1) < 5e-3, words
)";
  EXPECT_EQ(run_on_display(script("pvbatch", "--force-offscreen-rendering '" + view().string() + "'")), 0)
      << std::ifstream(home_ / "log").rdbuf();
}

TEST_F(ParaviewView, shows_a_legend_of_the_bending_moment_without_the_torque) {
  fs::remove_all(folder_);
  testing::record_rig<testing::BentArm>(folder_);
  std::ofstream(view(), std::ios::app) << R"(
bent = FindSource('sections: bending moment')
assert GetDisplayProperties(bent, view).ColorArrayName[1] == 'bending moment'
legend = GetScalarBar(GetColorTransferFunction('bendingmoment'), view)
assert legend.Visibility and legend.Title == 'bending moment [N m]', legend.Title
points = legend.LookupTable.RGBPoints
for low, high in (bent.PointData['bending moment'].GetRange(), (points[0], points[-4])):
    assert abs(low - 5) < 1e-6 and abs(high - 10) < 1e-6, (low, high)
)";
  EXPECT_EQ(run_on_display(script("pvbatch", "--force-offscreen-rendering '" + view().string() + "'")), 0)
      << std::ifstream(home_ / "log").rdbuf();
}

TEST_F(ParaviewView, opens_in_a_window_as_a_script_and_as_a_state) {
  const std::string picture = (folder_ / "window.png").string();
  // The file itself closes the window, with an exit status of its own.
  constexpr int closed = 7, timed_out = 124;
  std::ofstream(view(), std::ios::app)
      << "SaveScreenshot('" << picture << "', view, ImageResolution=[640, 400])\nos._exit(" << closed
      << ")\n";
  const std::string relative = "../" + folder_.filename().string() + "/rig_paraview.py";
  // --dr: with settings of its own, and without the welcome that a first start gives.
  for (const std::string& file :
       {"'" + relative + "'", "--script='" + view().string() + "'", "--state='" + view().string() + "'"}) {
    fs::remove(picture);
    int status = 0;
    for (int i = 0; i < 3 && status != closed && status != timed_out; ++i)
      status = run("xvfb-run -a " + script("paraview", "--dr " + file));
    ASSERT_EQ(status, closed) << file << "\n" << std::ifstream(home_ / "log").rdbuf();
    testing::expect_all_parts(picture);
  }
}

}  // namespace
}  // namespace trammel
