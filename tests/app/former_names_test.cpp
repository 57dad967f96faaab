// Names of outputs and options that changed are still read, with a note that gives the present one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "command.hpp"
#include "histories.hpp"
#include "trammel/former_names.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::table_of;
using testing::Workplace;

/// A block that a damper slows down, and what sensor `loss` reports of the damper's power under the name `number`.
std::string slowed_block(const std::string& number) {
  std::string text = R"(trammel: 1
bodies:
  block: {type: point_mass, mass: 2, velocity: [3, 0, 0]}
elements:
  damper: {type: spring, between: [{on: ground, at: [-1, 0, 0]}, block], stiffness: 0, damping: 4}
sensors:
  loss: {type: energy, of: damper}
  seen: {type: function, value: "NUMBER"}
stages: [{type: dynamic, until: 0.1, step: 0.01}]
)";
  return text.replace(text.find("NUMBER"), 6, number);
}

TEST(FormerNames, of_outputs_mean_the_present_ones) {
  EXPECT_EQ(present_name("loss.lost_power"), "loss.dissipated_power");
  EXPECT_EQ(present_name("bead.at.section_force_behind.M3"), "bead.at.section_moment_after.M3");
  EXPECT_EQ(present_name("stress.section_force_2.N1"), "stress.section_force_2.N");
  EXPECT_EQ(present_name("stress.section_force_2.N3"), "stress.section_force_2.Q3");
  EXPECT_EQ(present_name("stress.section_force_12.M1"), "stress.section_moment_12.T");
  EXPECT_EQ(present_name("stress.strain_1.kappa2"), "stress.curvature_1.kappa2");
  EXPECT_EQ(present_name("stress.section_force_2.N"), "");
  EXPECT_EQ(present_name("stress.strain_1.Gamma1"), "");
  EXPECT_EQ(present_name("section_force_2.N1"), "") << "the first part names a sensor";
  EXPECT_EQ(present_name("loss.dissipated_power"), "");
  EXPECT_EQ(present_name("host"), "") << "the first part names a sensor";
  EXPECT_EQ(present_name("loss.lost_powers"), "");
}

TEST(FormerNames, in_a_function_are_read_with_a_note) {
  const Workplace former, present;
  const Outcome noted = former.run(slowed_block("loss.lost_power"));
  const Outcome plain = present.run(slowed_block("loss.dissipated_power"));
  ASSERT_EQ(noted.status, 0) << noted.err;
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(noted.err, HasSubstr("NOTE: 'loss.lost_power' is now called 'loss.dissipated_power'"));
  EXPECT_THAT(plain.err, Not(HasSubstr("NOTE")));
  EXPECT_EQ(former.read("out/seen.csv"), present.read("out/seen.csv"));
  const auto values = table_of(present.read("out/seen.csv")).rows;
  ASSERT_FALSE(values.empty());
  EXPECT_NEAR(values.front()[1], 4 * 3 * 3, 1e-10);
}

TEST(FormerNames, of_section_forces_are_read_with_a_note) {
  const auto pulled = [](const std::string& number) {
    return R"(trammel: 1
sections:
  bar: {stiffness: {EA: 1e5, GA: [1e4, 1e4], GJ: 10, EI: [10, 10]}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2}
joints:
  clamp: {type: fixed, between: [ground, beam.start]}
loads:
  pull: {type: force, on: beam.end, force: [100, 0, 0]}
  turn: {type: moment, on: beam.end, moment: [3, 0, 0]}
sensors:
  stress: {type: outputs, of: beam}
  seen: {type: function, value: ")" +
           number + "\"}\nstages: [{type: static, steps: 1}]\n";
  };
  for (const auto& [former, now, value] : {std::tuple("section_force_2.N1", "section_force_2.N", 100.0),
                                           std::tuple("section_force_1.M1", "section_moment_1.T", 3.0)}) {
    const Workplace here;
    const Outcome noted = here.run(pulled(std::string("stress.") + former));
    ASSERT_EQ(noted.status, 0) << noted.err;
    EXPECT_THAT(noted.err,
                HasSubstr("NOTE: 'stress." + std::string(former) + "' is now called 'stress." + now + "'"));
    EXPECT_NEAR(table_of(here.read("out/seen.csv")).rows.back()[1], value, 1e-6);
    const std::string header = here.read("out/stress.csv");
    EXPECT_THAT(header, HasSubstr("section_force_1.N [N],section_force_1.Q2 [N],section_force_1.Q3 [N]"));
    EXPECT_THAT(header,
                HasSubstr("section_moment_2.T [N m],section_moment_2.M2 [N m],section_moment_2.M3 [N m]"));
    EXPECT_THAT(header, HasSubstr("curvature_1.kappa1 [1/m]"));
  }
}

TEST(FormerNames, of_the_option_for_partitions_is_read_with_a_note) {
  const Workplace former, present;
  const std::string text = slowed_block("loss.dissipated_power");
  const Outcome noted = former.run(text, "-share_from 1");
  const Outcome plain = present.run(text, "-partition_from 1");
  ASSERT_EQ(noted.status, 0) << noted.err;
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(noted.err, HasSubstr("NOTE: '-share_from' is now called '-partition_from'"));
  EXPECT_THAT(plain.err, Not(HasSubstr("NOTE")));
}

}  // namespace
}  // namespace trammel
