// What a run records, opened by ParaView's own programs: those of build/paraview (scripts/paraview.sh) or of the system.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "drawn_rig.hpp"
#include "drawn_scene.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::fresh_folder;
using testing::picture::run;
using testing::picture::run_without_display;
using testing::picture::share;
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

TEST_F(ParaviewView, opens_with_pvbatch_from_any_folder) {
  const std::string picture = (folder_ / "picture.png").string();
  ASSERT_EQ(run_without_display(
                script("pvbatch", "--force-offscreen-rendering '" + view().string() + "' '" + picture + "'")),
            0);
  testing::expect_all_parts(picture);
}

TEST_F(ParaviewView, takes_no_picture_of_another_instant_or_of_a_part) {
  const auto take = [&](const std::string& time) {
    const std::string picture = (folder_ / "picture.png").string();
    fs::remove(picture);
    const int status = run_without_display(
        script("pvbatch", "--force-offscreen-rendering '" + view().string() + "' '" + picture + "'" + time));
    EXPECT_EQ(fs::exists(picture), status == 0);
    std::ostringstream log;
    log << std::ifstream(home_ / "log").rdbuf();
    return std::pair(status, log.str());
  };
  const auto [status, log] = take(" 500");
  EXPECT_NE(status, 0);
  EXPECT_NE(log.find("there is no instant t = 500 s"), std::string::npos) << log;
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    if (entry.path().filename() == "000000_bodies_0.vtp") fs::remove(entry.path());
  EXPECT_EQ(take("").first, 0);  // another instant is whole
  const auto [of_part, why] = take(" 0");
  EXPECT_NE(of_part, 0);
  EXPECT_NE(why.find("000000_bodies_0.vtp of the instant t = 0 s is missing"), std::string::npos) << why;
}

TEST_F(ParaviewView, shows_the_time_and_the_scale_of_arrows) {
  // What a user reads is compared with what is drawn.
  std::ofstream(view(), std::ios::app) << R"(
assert FindSource('time') is not None
assert GetActiveSource() is None
words = FindSource('scale of the arrows').Text
for field in ('force', 'moment'):
    arrows = FindSource(field + 's')
    metres, largest = arrows.ScaleFactor, arrows.Input.PointData[field].GetRange(-1)[1]
    newtons = float(words.split(field + ': 1 m is ')[1].split()[0])
    assert np.isclose(newtons * metres, 1, 5e-3), words
    bounds = series.GetDataInformation().GetBounds()
    diagonal = float(np.sqrt(np.sum(np.square(np.subtract(bounds[1::2], bounds[0::2])))))
    assert np.isclose(metres * largest, 0.15 * diagonal, 1e-6), (metres, largest, diagonal)
)";
  EXPECT_EQ(run_without_display(script("pvbatch", "--force-offscreen-rendering '" + view().string() + "'")),
            0)
      << std::ifstream(home_ / "log").rdbuf();
}

TEST_F(ParaviewView, shows_a_legend_of_the_bending_moment_without_the_torque) {
  fs::remove_all(folder_);
  testing::record_rig<testing::BentArm>(folder_);
  std::ofstream(view(), std::ios::app) << R"(
bent = FindSource('sections')
assert GetDisplayProperties(bent, view).ColorArrayName[1] == 'bending moment'
legend = GetScalarBar(GetColorTransferFunction('bendingmoment'), view)
assert legend.Visibility and legend.Title == 'bending moment [N m]', legend.Title
points = legend.LookupTable.RGBPoints
for low, high in (bent.PointData['bending moment'].GetRange(), (points[0], points[-4])):
    assert np.allclose((low, high), (5, 10), atol=1e-6), (low, high)
)";
  EXPECT_EQ(run_without_display(script("pvbatch", "--force-offscreen-rendering '" + view().string() + "'")),
            0)
      << std::ifstream(home_ / "log").rdbuf();
}

TEST_F(ParaviewView, shows_one_legend_and_offers_the_other_numbers) {
  fs::remove_all(folder_);
  testing::record_rig<testing::BentArm>(folder_);
  std::ofstream(view(), std::ios::app) << R"(
titles = [title for title, unit, field, components in COLOURINGS]
shown = [t for t in titles if GetScalarBar(GetColorTransferFunction(t.replace(' ', '')), view).Visibility]
assert shown == ['bending moment'], shown
bent = FindSource('sections')
assert np.allclose(bent.PointData['torque'].GetRange(), 50), bent.PointData['torque'].GetRange()
)";
  const std::string picture = (folder_ / "bent.png").string();
  EXPECT_EQ(run_without_display(
                script("pvbatch", "--force-offscreen-rendering '" + view().string() + "' '" + picture + "'")),
            0)
      << std::ifstream(home_ / "log").rdbuf();
  // The legend alone has a third of the first.
  EXPECT_GT(share(picture, testing::picture::is_high), 0.3);
  EXPECT_GT(share(picture, testing::picture::is_low), 0.1);
}

TEST_F(ParaviewView, has_names_and_groups_that_can_be_switched) {
  std::ofstream(view(), std::ios::app) << R"(
for group in ('sections', 'bodies', 'joints', 'beams', 'forces', 'moments'):
    shown = GetDisplayProperties(FindSource(group), view)
    assert shown.Visibility, group
for group in ('surfaces', 'contacts', 'springs'):
    assert FindSource(group) is None, group
bodies = servermanager.Fetch(FindSource('bodies'))
names = bodies.GetCellData().GetAbstractArray('name')
assert {names.GetValue(i) for i in range(bodies.GetNumberOfCells())} == {'body%d' % i for i in range(5)}
for name in ('names', 'paths', 'envelope'):
    source = FindSource(name)
    assert not GetDisplayProperties(source, view).Visibility, name
    source.UpdatePipeline()
assert servermanager.Fetch(FindSource('names')).GetNumberOfCells() > 50
assert servermanager.Fetch(FindSource('envelope')).GetPointData().GetArray('time').GetRange() == (0, 1)
)";
  EXPECT_EQ(run_without_display(script("pvbatch", "--force-offscreen-rendering '" + view().string() + "'")),
            0)
      << std::ifstream(home_ / "log").rdbuf();
}

// A long series opens by its first and last frame: the files of those between are not here.
TEST_F(ParaviewView, reads_no_frames_between_the_first_and_the_last) {
  const fs::path pvd = folder_ / "rig.pvd";
  std::ostringstream text;
  text << std::ifstream(pvd).rdbuf();
  std::string all = text.str(), between;
  constexpr int frames = 2000;
  for (int i = 1; i < frames; ++i)
    for (const char* layer : {"sections", "bodies"})
      between += "    <DataSet timestep=\"" + std::to_string(static_cast<double>(i) / frames) +
                 "\" part=\"0\" name=\"" + layer + "\" file=\"rig_vtk/absent_" + std::to_string(i) + "_" +
                 layer + ".pvtp\"/>\n";
  const std::size_t last = all.find("    <DataSet timestep=\"1\"");
  ASSERT_NE(last, std::string::npos);
  std::ofstream(pvd) << all.insert(last, between);
  const std::string picture = (folder_ / "picture.png").string();
  ASSERT_EQ(run_without_display(
                script("pvbatch", "--force-offscreen-rendering '" + view().string() + "' '" + picture + "'")),
            0);
  testing::expect_all_parts(picture);
  std::ostringstream log;
  log << std::ifstream(home_ / "log").rdbuf();
  EXPECT_EQ(log.str().find("absent"), std::string::npos) << log.str();
}

TEST_F(ParaviewView, looks_from_where_the_run_says) {
  std::ofstream(view(), std::ios::app) << R"(
for given, found in ((POSITION, view.CameraPosition), (FOCUS, view.CameraFocalPoint), (UP, view.CameraViewUp)):
    assert np.allclose(given, found), (given, found)
)";
  EXPECT_EQ(run_without_display(script("pvbatch", "--force-offscreen-rendering '" + view().string() + "'")),
            0)
      << std::ifstream(home_ / "log").rdbuf();
}

/// The longest row of pixels with the green of the button "Apply" in the left part of a screen (a file of Xvfb's -fbdir), where
/// ParaView has its panel; -1 where most of that part is black, so that there is no window.
int longest_green_row(const fs::path& screen) {
  std::ifstream in(screen, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const std::string bytes = text.str();
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes.at(at)); };
  const auto number = [&](std::size_t word) {
    std::size_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = 256 * value + byte(4 * word + k);
    return value;
  };
  // Words of an XWD file: 0 bytes of the header, 4 width, 5 height, 12 bytes of a row, 19 colours of 12 bytes each.
  const std::size_t start = number(0) + 12 * number(19), width = number(4), height = number(5),
                    row = number(12);
  int longest = 0;
  std::size_t light = 0;
  for (std::size_t y = 0; y < height; ++y) {
    int green = 0;
    for (std::size_t x = 0; x < width / 4; ++x) {
      const std::size_t at = start + y * row + 4 * x;
      const int b = byte(at), g = byte(at + 1), r = byte(at + 2);
      light += r + g + b > 300 ? 1 : 0;
      green = g > 190 && g > r + 35 && g > b + 35 ? green + 1 : 0;
      longest = std::max(longest, green);
    }
  }
  return 2 * light > height * (width / 4) ? longest : -1;
}

TEST_F(ParaviewView, leaves_nothing_to_apply_in_a_window) {
  const fs::path drawn = home_ / "drawn", screen = home_ / "screen";
  const fs::path server = fresh_folder("window_server");  // xvfb-run splits its arguments at spaces
  std::ofstream(view(), std::ios::app) << "open('" << drawn.string() << "', 'w').close()\n";
  const std::string wait = "for i in $(seq 100); do [ -e \"" + drawn.string() +
                           "\" ] && break; sleep 1; done; sleep 5; cp \"" +
                           (server / "Xvfb_screen0").string() + "\" \"" + screen.string() + "\"";
  std::ofstream(home_ / "watch.sh") << script("paraview", "--dr '" + view().string() + "'") << " &\n"
                                    << wait << "\n";
  // The window takes most of a screen of this size.
  ASSERT_EQ(run("xvfb-run -a -s '-screen 0 1024x800x24 -noreset -fbdir " + server.string() + "' sh '" +
                (home_ / "watch.sh").string() + "'"),
            0);
  ASSERT_TRUE(fs::exists(drawn)) << std::ifstream(home_ / "log").rdbuf();
  const int green = longest_green_row(screen);
  EXPECT_GE(green, 0);
  EXPECT_LT(green, 40);
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
      status = run("xvfb-run -a -s '-screen 0 1280x1024x24 -noreset' " + script("paraview", "--dr " + file));
    ASSERT_EQ(status, closed) << file << "\n" << std::ifstream(home_ / "log").rdbuf();
    testing::expect_all_parts(picture);
  }
}

}  // namespace
}  // namespace trammel
