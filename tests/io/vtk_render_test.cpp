// Pictures of a series: sections, bodies, joints and arrows can be told in them by their colours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "drawn_rig.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::fresh_folder;
namespace fs = std::filesystem;
using namespace testing::picture;

const std::string tool = TRAMMEL_BINARY_DIR "/bin/trammel-render";

TEST(Render, shows_sections_bodies_and_arrows) {
  const fs::path folder = fresh_folder("render");
  testing::record_rig(folder);
  const std::string picture = (folder / "picture.png").string();
  ASSERT_EQ(run_without_display(tool + " " + folder.string() + " --size 640x400 -o " + picture), 0);
  testing::expect_all_parts(picture);
  const std::string plain = (folder / "plain.png").string();
  ASSERT_EQ(run_without_display(tool + " " + folder.string() + " --instants 2 --arrow 0 --size 640x400 -o " +
                                plain),
            0);
  EXPECT_GT(share(plain, is_body), 0.3);
  EXPECT_LT(share(plain, is_force), axes_share);
  EXPECT_GT(share(plain, [](const Pixel& p) { return p[0] + p[1] + p[2] > 650; }), 50);  // a light background
}

TEST(Render, colours_beams_with_a_legend) {
  const fs::path folder = fresh_folder("render_colours");
  testing::record_rig<testing::BentArm>(folder);
  const std::string picture = (folder / "picture.png").string();
  // Edges of bodies may have colours of the legend.
  const std::string line = tool + " " + folder.string() + " --hide bodies --size 640x400 -o " + picture;
  ASSERT_EQ(run_without_display(line), 0);
  EXPECT_GT(share(picture, is_high), 0.3);
  EXPECT_GT(share(picture, is_low), 0.1);
  ASSERT_EQ(run_without_display(line + " --colour none"), 0);
  EXPECT_LT(share(picture, is_high), axes_share);
  EXPECT_LT(share(picture, is_low), axes_share);
}

/// Its largest bending moment is 10 N m but for rounding in single precision.
struct RoundedArm {
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    testing::draw_strip(x, 8.0001, canvas);
  }
};

// Runs on several ranks round differently.
TEST(Render, draws_the_same_legend_where_the_range_differs_by_rounding) {
  const fs::path folder = fresh_folder("render_legend"), other = fresh_folder("render_legend_rounded");
  testing::record_rig<testing::BentArm>(folder);
  testing::record_rig<RoundedArm>(other);
  const std::string line = " --arrow 0 --size 640x400 -o ";
  std::array<std::vector<Pixel>, 2> pixels;
  for (std::size_t i = 0; i < 2; ++i) {
    const fs::path& of = i == 0 ? folder : other;
    const std::string picture = (of / "picture.png").string();
    ASSERT_EQ(run_without_display(tool + " " + of.string() + line + picture), 0);
    each_pixel(picture, [&](int, int, const Pixel& p) { pixels[i].push_back(p); });
  }
  int different = 0;
  for (std::size_t i = 0; i < pixels[0].size(); ++i) different += pixels[0][i] != pixels[1][i] ? 1 : 0;
  // With 256 colours: a third of the legend.
  EXPECT_LT(different, 20);
}

// The rig stands still: its second instant covers the first, which is in faded colours.
TEST(Render, shows_what_stands_still_in_the_colours_of_the_last_instant) {
  const fs::path folder = fresh_folder("render_still");
  testing::record_rig(folder);
  const std::string line =
      tool + " " + folder.string() + " --arrow 0 --hide curves,joints --size 640x400 -o ";
  const std::string one = (folder / "one.png").string(), four = (folder / "four.png").string();
  ASSERT_EQ(run_without_display(line + one), 0);
  ASSERT_EQ(run_without_display(line + four + " --time 0,0,0,1"), 0);
  EXPECT_GT(share(one, is_body), 0.3);
  EXPECT_NEAR(share(four, is_body), share(one, is_body), 0.02 * share(one, is_body));
  EXPECT_NEAR(share(four, is_section), share(one, is_section), 0.02 * share(one, is_section));
}

TEST(Render, fills_the_picture_with_what_is_drawn) {
  const fs::path folder = fresh_folder("render_framing");
  testing::record_rig(folder);
  for (const char* view : {"0,-1,0", "1,-1,1", "0.2,-1,0.1"}) {
    const std::string picture = (folder / "picture.png").string();
    ASSERT_EQ(run_without_display(tool + " " + folder.string() + " --arrow 0 --size 640x400 --view " + view +
                                  " -o " + picture),
              0);
    const auto found = box(picture, [](const Pixel& p) { return is_body(p) || is_section(p); });
    EXPECT_GT(std::max((found.right - found.left) / 640.0, (found.bottom - found.top) / 400.0), 0.7) << view;
    EXPECT_GT(found.left, 3) << view;
    EXPECT_LT(found.right, 636) << view;
  }
}

TEST(Render, writes_names) {
  const fs::path folder = fresh_folder("render_names");
  testing::record_rig(folder);
  const std::string line = tool + " " + folder.string() + " --arrow 0 --size 640x400 -o ";
  const std::string without = (folder / "without.png").string(), with = (folder / "with.png").string();
  ASSERT_EQ(run_without_display(line + without + " --hide bodies"), 0);
  ASSERT_EQ(run_without_display(line + with + " --names bodies"), 0);
  // Grey letters below the bodies, where nothing else is drawn.
  const auto below = [](const std::string& picture) {
    int found = 0;
    each_pixel(picture, [&](int, int y, const Pixel& p) {
      const bool grey = std::abs(p[0] - p[1]) < 12 && std::abs(p[1] - p[2]) < 20 && p[0] < 170;
      found += y > 205 && y < 300 && grey ? 1 : 0;
    });
    return found;
  };
  EXPECT_GT(below(with), below(without) + 100);
}

TEST(Render, films_every_instant) {
  const fs::path folder = fresh_folder("render_film");
  testing::record_rig(folder);
  const std::string line = tool + " " + folder.string() + " --film --size 320x200 -o ";
  ASSERT_EQ(run_without_display(line + (folder / "film.png").string()), 0);
  EXPECT_TRUE(fs::exists(folder / "film_0000.png"));
  EXPECT_TRUE(fs::exists(folder / "film_0001.png"));
  EXPECT_FALSE(fs::exists(folder / "film_0002.png"));
}

TEST(Render, makes_a_film_whose_pictures_are_those_of_the_instants) {
  const fs::path folder = fresh_folder("render_webm");
  testing::record_rig(folder);
  const std::string film = (folder / "film.webm").string(), log = (folder / "log").string();
  const std::string line =
      tool + " " + folder.string() + " --film --rate 5 --size 320x200 -o " + film + " 2>" + log;
  if (run("ffmpeg -version >" + log + " 2>&1") != 0) {
    EXPECT_EQ(run_without_display(line), 1);
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    EXPECT_THAT(text.str(), ::testing::HasSubstr("made by the program ffmpeg, which is not here"));
    EXPECT_FALSE(fs::exists(film));
    GTEST_SKIP() << "ffmpeg is not here: scripts/setup.sh installs it";
  }
  ASSERT_EQ(run_without_display(line), 0);
  const auto extract = [&](const std::string& options) {
    return run("ffmpeg -v error -y -i " + film + " " + options + " " + (folder / "out_%d.png").string() +
               " >" + log + " 2>&1");
  };
  ASSERT_EQ(extract(""), 0);
  EXPECT_TRUE(fs::exists(folder / "out_2.png"));
  EXPECT_FALSE(fs::exists(folder / "out_3.png"));
  for (const char* picture : {"out_1.png", "out_2.png"}) testing::expect_all_parts(folder / picture);
  // Two pictures at 5 a second: the second begins after 0.2 s.
  ASSERT_EQ(run("ffprobe -v error -show_entries frame=pts_time -of csv=p=0 " + film + " >" + log + " 2>&1"),
            0);
  std::vector<double> times;
  std::ifstream found(log);
  for (std::string time; std::getline(found, time);) times.push_back(std::stod(time));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_NEAR(times[1] - times[0], 0.2, 2e-3);
}

class RenderRefuses : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder(::testing::UnitTest::GetInstance()->current_test_info()->name());
    testing::record_rig(folder_);
  }
  /// What the tool says on standard error, where it ends with status 1.
  std::string message(const std::string& arguments) const {
    const fs::path log = folder_ / "log";
    EXPECT_EQ(run("DISPLAY=:none " + tool + " " + folder_.string() + " " + arguments + " 2>" + log.string()),
              1);
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    return text.str();
  }
  fs::path folder_;
};

TEST_F(RenderRefuses, a_time_outside_of_the_run) {
  EXPECT_THAT(message("--time 7"), ::testing::HasSubstr("there is no instant t = 7 s"));
  EXPECT_THAT(message("--time 7"), ::testing::HasSubstr("from 0 to 1 s"));
  EXPECT_THAT(message("--time=-1"), ::testing::HasSubstr("there is no instant t = -1 s"));
}

TEST_F(RenderRefuses, a_missing_piece) {
  fs::remove(folder_ / "rig_vtk" / "000001_bodies_0.vtp");
  EXPECT_THAT(message(""), ::testing::HasSubstr("the piece '000001_bodies_0.vtp'"));
  fs::remove(folder_ / "rig_vtk" / "000001_bodies.pvtp");
  EXPECT_THAT(message(""), ::testing::ContainsRegex("there is no '.*000001_bodies.pvtp'"));
}

TEST_F(RenderRefuses, a_missing_view) {
  fs::remove(folder_ / "rig_vtk" / "view.xml");
  EXPECT_THAT(message(""), ::testing::ContainsRegex("there is no '.*view.xml'"));
}

TEST_F(RenderRefuses, an_unknown_colouring) {
  EXPECT_THAT(message("--colour bending"),
              ::testing::HasSubstr("--colour: no beam has 'bending'; they have: "));
}

TEST_F(RenderRefuses, a_film_of_another_kind) {
  EXPECT_THAT(message("--film -o film.avi"), ::testing::HasSubstr("ends neither in .webm nor in .png"));
}

TEST(Render, says_that_there_is_neither_a_display_nor_a_server) {
  const fs::path folder = fresh_folder("render_no_server");
  testing::record_rig(folder);
  const fs::path log = folder / "log";
  ASSERT_EQ(run("env -u DISPLAY PATH=" + folder.string() + " " + tool + " " + folder.string() + " 2>" +
                log.string()),
            1);
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_THAT(text.str(), ::testing::HasSubstr("no Xvfb to provide one"));
}

TEST(Render, refuses_with_one_message) {
  const fs::path folder = fresh_folder("render_refused");
  EXPECT_EQ(run(tool + " " + (folder / "nothing").string() + " 2>" + (folder / "log").string()), 1);
  EXPECT_EQ(run(tool + " --help > " + (folder / "log").string()), 0);
}

}  // namespace
}  // namespace trammel
