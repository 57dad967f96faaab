// Curves from STEP and IGES files, through the command: each run reads its first file of the process.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

constexpr const char* bowl = TRAMMEL_SOURCE_DIR "/cases/parabola_bead/bowl.step";
constexpr const char* bend = TRAMMEL_SOURCE_DIR "/plugins/geometry/files/bend.igs";

std::string curves(const std::string& lines) {
  return "trammel: 1\ncurves:\n" + lines +
         "bodies: {rider: {type: point_mass, mass: 1}}\nstages: [{type: dynamic, until: 1, step: 0.1}]\n";
}
std::string file(const std::string& name, const std::string& path, const std::string& edge) {
  return "  " + name + ": {type: curve_file, file: '" + path + "', edges: " + edge + "}\n";
}

TEST(CurveFiles, move_a_bead_alike_on_one_and_two_ranks) {
  const Workplace workplace;
  const std::string run =
      "run " TRAMMEL_SOURCE_DIR
      "/cases/parabola_bead/case.yaml --set until=0.5 --set h=0.0025 --set frames=1000 -o ";
  const Outcome one = workplace.shell("trammel " + run + "one");
  ASSERT_EQ(one.status, 0) << one.err;
  const Outcome two = workplace.shell("mpirun -q --oversubscribe -n 2 '" TRAMMEL_COMMAND "' " + run + "two");
  ASSERT_EQ(two.status, 0) << two.err;
  const auto first = table_of(workplace.read("one/bead.csv")),
             second = table_of(workplace.read("two/bead.csv"));
  // By the elliptic integral that the case's page gives.
  EXPECT_NEAR(at(first, 0.5, "position.x"), 0.858183515786, 1e-4);
  EXPECT_NEAR(at(first, 0.5, "position.z"), 0.368239473384, 1e-4);
  for (const double t : {0.25, 0.5})
    EXPECT_NEAR(at(second, t, "position.x"), at(first, t, "position.x"), 1e-9);
}

TEST(CurveFiles, are_in_metres_in_any_order) {
  const Workplace workplace;
  const std::string step = file("wire", bowl, "bowl"), iges = file("hook", bend, "BEND");
  for (const std::string& text : {step + iges, iges + step, step + file("again", bowl, "bowl")}) {
    workplace.write("case.yaml", curves(text));
    const Outcome check = workplace.shell("trammel check case.yaml");
    ASSERT_EQ(check.status, 0) << check.err;
    EXPECT_THAT(check.out, HasSubstr("curve 'wire': shape\nlength 5.91577143 m, open"));
    EXPECT_THAT(check.out, Not(HasSubstr("length 5915")));
    if (text.find("hook") == std::string::npos) continue;
    EXPECT_THAT(check.out, HasSubstr("curve 'hook': shape\nlength 1.57079633 m, open"));
  }
}

TEST(CurveFiles, that_are_damaged_give_one_message) {
  const Workplace workplace;
  const auto message = [&](const std::string& sed) {
    workplace.write("case.yaml", curves(file("wire", "track.step", "bowl")));
    const Outcome check =
        workplace.shell("sed '" + sed + "' '" + bowl + "' > track.step; trammel check case.yaml");
    EXPECT_EQ(check.status, 1) << check.out;
    EXPECT_LT(check.err.size(), 400U) << check.err;
    EXPECT_THAT(check.err, HasSubstr("case.yaml:3:")) << "a place";
    return check.err;
  };
  EXPECT_THAT(message("/^#33/d"), HasSubstr("'track.step' is damaged: Open CASCADE says"));
  EXPECT_THAT(message("s/(#32,#33,#34)/(#33,#34)/"), HasSubstr("have no unit of length"));
  // Without the check Open CASCADE follows a null pointer here.
  EXPECT_THAT(message("s/PARABOLA(..,#18/PARABOLA('\"''\"',#7/"), HasSubstr("says of #17"));
  EXPECT_THAT(message("20,$d"), HasSubstr("cannot be read as a STEP file"));
  workplace.write("case.yaml", curves(file("wire", "track.step", "bowl")));
  const Outcome waits = workplace.shell("rm -f track.step; mkfifo track.step; trammel check case.yaml");
  EXPECT_EQ(waits.status, 1);
  EXPECT_THAT(waits.err, HasSubstr("track.step' is not a file"));
}

TEST(GenericJoints, report_the_motions_that_they_lock) {
  const Workplace workplace;
  workplace.write("case.yaml",
                  R"(trammel: 1
bodies: {a: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}}
joints:
  odd: {type: generic, between: [ground, a], constrained: [1, 1, 0, 0, 1, 1]}
  pin: {type: generic, between: [ground, a], constrained: [1, 1, 1, 1, 1, 0]}
stages: [{type: dynamic, until: 1, step: 0.1}]
)");
  const Outcome check = workplace.shell("trammel check case.yaml");
  ASSERT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("joint 'odd': axes\nholds x, y, about y, about z\n"));
  EXPECT_THAT(check.out, HasSubstr("joint 'pin': axes\nholds x, y, z, about x, about y: a revolute joint\n"));
}

}  // namespace
}  // namespace trammel
