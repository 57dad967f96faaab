// Pictures of a series: sections, bodies, joints and arrows can be told in them by their colours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_rig.hpp"
#include "picture.hpp"
#include "places.hpp"

namespace trammel {
namespace {

using testing::fresh_folder;
namespace fs = std::filesystem;
using namespace testing::picture;

const std::string tool = TRAMMEL_BINARY_DIR "/bin/trammel-render";

TEST(Render, ShowsSectionsBodiesAndArrows) {
  const fs::path folder = fresh_folder("render");
  testing::record_rig(folder);
  const std::string picture = (folder / "picture.png").string();
  ASSERT_EQ(run_on_display(tool + " " + folder.string() + " --size 640x400 -o " + picture), 0);
  testing::expect_all_parts(picture);
  const std::string plain = (folder / "plain.png").string();
  ASSERT_EQ(
      run_on_display(tool + " " + folder.string() + " --instants 2 --arrow 0 --size 640x400 -o " + plain), 0);
  EXPECT_GT(share(plain, is_body), 0.3);
  EXPECT_LT(share(plain, is_force), axes_share);
  EXPECT_GT(share(plain, [](const Pixel& p) { return p[0] + p[1] + p[2] > 650; }), 50);  // a light background
}

TEST(Render, RefusesWithOneMessage) {
  const fs::path folder = fresh_folder("render_refused");
  EXPECT_EQ(run(tool + " " + (folder / "nothing").string() + " 2>" + (folder / "log").string()), 1);
  EXPECT_EQ(run("env -u DISPLAY " + tool + " " + folder.string() + " 2>" + (folder / "log").string()), 1);
  EXPECT_EQ(run(tool + " --help > " + (folder / "log").string()), 0);
}

}  // namespace
}  // namespace trammel
