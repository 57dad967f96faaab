// Contact points that jump to another place of their surfaces, through the command.

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "histories.hpp"
#include "swinging_rod.hpp"

namespace trammel {
namespace {

using testing::at;
using testing::difference;
using testing::difference_of_folders;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Table;
using testing::table_of;
using testing::Workplace;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t from = text.find(what);
  EXPECT_NE(from, std::string::npos) << what;
  return from == std::string::npos ? text : text.replace(from, what.size(), by);
}

/// A plate with a ring-shaped groove turns below a ball that is guided along z (folder grooved_cam). The edges of the groove are
/// rounded by 4 mm about circles of the radii 54 and 66 mm, 20 mm beside the shaft, and the ball has 10 mm, 60 mm from the shaft: its
/// centre moves on tori of 14 mm about these circles, and jumps from one to the other where it is 60 mm from their axis.
struct Groove {
  double height, normal_z;  ///< of the centre above its height on the flat plate [m]; of the normal along z

  explicit Groove(double angle) {
    constexpr double e = 0.02, b = 0.06, edge = 0.014, width = 0.006, middle = 0.06;
    const double turned = angle + 65 * std::numbers::pi / 180;
    const double s = std::sqrt(e * e + b * b - 2 * e * b * std::cos(turned));
    const double off = s < middle ? s - middle + width : s - middle - width;  // from the nearer edge
    const double D = std::sqrt(edge * edge - off * off);
    height = D - edge;
    normal_z = D / edge;
  }
  /// [m], from the start of the case
  double slide() const { return height - Groove(0).height; }
  double spring() const { return 400 * (slide() + 0.02); }
};

TEST(ContactJump, in_statics_ends_a_load_step_and_goes_on_at_the_other_edge) {
  const std::string dynamic =
      "{type: dynamic, until: until, step: h, radius: 0.9, newton: {tolerance: 1e-11}}";
  for (const std::string joint :
       {"between: [plate, ball]", "between: [plate, ball], formulation: sliding_plane"}) {
    const Workplace workplace;
    const std::string text =
        replaced(testing::contents_of(TRAMMEL_SOURCE_DIR "/tests/app/grooved_cam/driven.yaml"), dynamic,
                 "{type: static, until: until, steps: 40, newton: {tolerance: 1e-12}}");
    const Outcome run = workplace.run(replaced(text, "between: [plate, ball]", joint), "-q");
    ASSERT_EQ(run.status, 0) << run.err;
    const Table guide = table_of(workplace.read("out/guide.csv")),
                contact = table_of(workplace.read("out/contact.csv"));
    for (const double t : {0.0055, 0.011, 0.022, 0.033, 0.044, 0.055}) {
      const Groove groove(10 * t);
      EXPECT_NEAR(at(guide, t, "slide"), groove.slide(), 1e-11) << joint << ", t = " << t;
      EXPECT_NEAR(at(contact, t, "normal_force"), groove.spring() / groove.normal_z, 1e-8)
          << joint << ", t = " << t;
      EXPECT_EQ(at(contact, t, "jumps"), t > 0.0268884 ? 1 : 0) << joint << ", t = " << t;
    }
    EXPECT_THAT(workplace.read("out/run.log"),
                HasSubstr("at t = 0.0268884 the equations of 'contact' change"));
  }
}

TEST(ContactJump, is_in_the_log_with_its_impulse_and_energy) {
  const Workplace workplace;
  const Outcome run = workplace.run(
      testing::contents_of(TRAMMEL_SOURCE_DIR "/tests/app/grooved_cam/coast.yaml"), "-q --set until=0.03");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string log = workplace.read("out/run.log");
  EXPECT_THAT(log, HasSubstr("the equations of 'contact' change: 1 degrees of freedom"));
  // By the smallest change of velocities in the metric of the masses: at t = 0.0244937, 0.0494381 N s, -0.00527898 J; the steps of 0.1 ms err by some 1e-4 of that.
  const std::size_t from = log.find("an impulse changes velocities, 'contact' with ");
  ASSERT_NE(from, std::string::npos) << log;
  double time = 0, impulse = 0, moment = 0, energy = 0;
  const std::size_t line = log.rfind("at t = ", from);
  ASSERT_EQ(
      std::sscanf(log.c_str() + line,
                  "at t = %lf an impulse changes velocities, 'contact' with %lf N s and %lf N m s, and the "
                  "kinetic energy by %lf J",
                  &time, &impulse, &moment, &energy),
      4);
  EXPECT_NEAR(time, 0.0244937, 5e-7);
  EXPECT_NEAR(impulse, 0.0494381, 5e-6);
  EXPECT_NEAR(energy, -0.00527898, 1e-6);
}

TEST(ContactJump, leaves_the_order_of_the_steps) {
  // Of the coasting cam the energy is constant between jumps, (J + m z_phi^2) phi'^2 / 2 + V(z), which gives the time by
  // quadrature (Gauss, 20 points in each of 8 parts); at the jump phi' falls by (J - m z_phi^2) / (J + m z_phi^2).
  constexpr double angle = 0.5497996368447544, rate = 8.051805529800928;
  std::array<double, 2> before{};
  for (const double h : {2e-4, 1e-4}) {
    const Workplace workplace;
    const Outcome run =
        workplace.run(testing::contents_of(TRAMMEL_SOURCE_DIR "/tests/app/grooved_cam/coast.yaml"),
                      fmt::format("-q --set h={}", h));
    ASSERT_EQ(run.status, 0) << run.err;
    const Table shaft = table_of(workplace.read("out/shaft.csv"));
    const std::array<double, 2> now{at(shaft, 0.055, "angle [") - angle,
                                    at(shaft, 0.055, "angle_rate") - rate};
    if (before[0] != 0) {
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(std::log2(before[k] / now[k]), 2, 0.1) << before[k] << " -> " << now[k];
    }
    before = now;
  }
  EXPECT_LT(std::abs(before[0]), 1e-6);
  EXPECT_LT(std::abs(before[1]), 1e-5);
}

TEST(ContactJump, is_found_to_rounding_at_any_step) {
  // In the driven cam it happens when the shaft has turned by 30 degrees: t = pi / 60, at 10 rad/s.
  for (const double h : {4e-4, 2e-4, 1.3e-4, 1e-4, 7e-5}) {
    const Workplace workplace;
    const std::string set = fmt::format("-q --set h={} --set until=0.06 --set frames=1000000", h);
    const Outcome driven =
        workplace.run(testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/notched_cam/case.yaml"), set);
    ASSERT_EQ(driven.status, 0) << "h = " << h << ": " << driven.err;
    const Table contact = table_of(workplace.read("out/contact.csv"));
    double instant = 0;
    for (const auto& row : contact.rows)
      if (instant == 0 && at(contact, row[0], "jumps") == 1) instant = row[0];
    EXPECT_NEAR(instant, std::numbers::pi / 60, 4e-9 * h) << "h = " << h;
    EXPECT_EQ(at(contact, 0.06, "jumps"), 1) << "h = " << h;
    const Outcome coast =
        workplace.run(testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/notched_cam/coast.yaml"), set);
    ASSERT_EQ(coast.status, 0) << "h = " << h << ": " << coast.err;
    EXPECT_EQ(at(table_of(workplace.read("out/contact.csv")), 0.06, "jumps"), 1) << "h = " << h;
  }
}

struct JumpingCase {
  const char* file;
  double until;       ///< [s]
  int before, after;  ///< steps of 0.1 ms, on either side of that in which the contact point jumps
};

class RestartOfContactJump : public ::testing::TestWithParam<JumpingCase> {};

/// Runs a case with checkpoints, and once more from the one that is not at its end: all files are to be equal.
void expect_repeated(const JumpingCase& what, int every) {
  const Workplace place;
  place.write("case.yaml", testing::contents_of(std::string(TRAMMEL_SOURCE_DIR "/") + what.file));
  const std::string run =
      fmt::format("trammel run case.yaml -q --set until={} --checkpoint-every {} -o ", what.until, every);
  const Outcome whole = place.shell(run + "whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Outcome again =
      place.shell("cp -r whole again && " + run + "again --restart $(ls again/checkpoint_*.h5 | head -n 1)");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(difference_of_folders(place, "whole", "again"), "") << what.file << ", every " << every;
  EXPECT_THAT(place.read("again/run.log"), HasSubstr(fmt::format("goes on at t = {:g}", 1e-4 * every)));
}

TEST_P(RestartOfContactJump, repeats_the_run_byte_by_byte_from_before_it) {
  expect_repeated(GetParam(), GetParam().before);
}

TEST_P(RestartOfContactJump, repeats_the_run_byte_by_byte_from_after_it) {
  expect_repeated(GetParam(), GetParam().after);
}

INSTANTIATE_TEST_SUITE_P(Runs, RestartOfContactJump,
                         ::testing::Values(JumpingCase{"tests/app/grooved_cam/driven.yaml", 0.04, 210, 300},
                                           JumpingCase{"tests/app/grooved_cam/coast.yaml", 0.04, 210, 300},
                                           JumpingCase{"cases/notched_cam/case.yaml", 0.08, 450, 600}),
                         [](const auto& run) { return "Case" + std::to_string(run.index); });

TEST(ContactJump, is_the_same_on_several_ranks) {
  const Workplace workplace;
  const std::string text = testing::contents_of(TRAMMEL_SOURCE_DIR "/tests/app/grooved_cam/coast.yaml");
  const Outcome one = workplace.run(text, "-q");
  ASSERT_EQ(one.status, 0) << one.err;
  const Table shaft = table_of(workplace.read("out/shaft.csv")),
              contact = table_of(workplace.read("out/contact.csv"));
  for (const int ranks : {2, 4}) {
    const Outcome several = workplace.run_on(ranks, text, "-q");
    ASSERT_EQ(several.status, 0) << several.err;
    const Table there = table_of(workplace.read("out/shaft.csv")),
                contact_there = table_of(workplace.read("out/contact.csv"));
    for (const char* what : {"angle", "angle_rate"}) {
      const auto d = difference(shaft, there, what);
      EXPECT_LT(d.largest, 1e-9 * d.range) << what << " on " << ranks;
    }
    const auto d = difference(contact, contact_there, "normal_force");
    EXPECT_LT(d.largest, 1e-7 * d.range) << ranks;
    EXPECT_EQ(at(contact_there, 0.055, "jumps"), 1);
  }
}

}  // namespace
}  // namespace trammel
