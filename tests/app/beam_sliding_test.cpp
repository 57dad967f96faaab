// The joint that slides along a beam, through the command: what is refused, branches, several sliders, ranks.

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

/// A cantilever of two metres in ten elements and a particle above it, with a joint between them.
std::string cantilever(const std::string& joint, const std::string& more = "",
                       const std::string& stage = "{type: static, until: 1, steps: 2}",
                       const char* block = "0.5") {
  return R"(trammel: 1
sections:
  rod: {stiffness: {EA: 1e5, GA: [4e4, 4e4], GJ: 50, EI: [50, 50]},
        mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}
bodies:
  rod: {type: beam, section: rod, from: [0, 0, 0], to: [2, 0, 0], elements: 10}
  bead: {type: point_mass, mass: 0.3, position: [0.5, 0, 0], velocity: [3, 0, 0]}
  high: {type: point_mass, mass: 0.3, position: [0.5, 0.2, 0]}
  block: {type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [)" +
         std::string(block) +
         R"(, 0, 0],
          velocity: [3, 0, 0]}
  tail: {type: beam, section: rod, from: [2, 0, 0], to: [4, 0, 0], elements: 7}
joints:
  clamp: {type: fixed, between: [ground, rod.start]}
  weld: {type: fixed, between: [rod.end, tail.start]}
  slide: {type: beam_sliding, )" +
         joint + "}\n" + more + "stages:\n  - " + stage + "\n";
}

void expect_error(const std::string& text, const std::string& expected) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(text);
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr(expected));
}

TEST(BeamSliding, refuses_a_body_that_is_no_beam) {
  expect_error(cantilever("beam: block, slider: bead"), "'block' is not a beam; beams are: rod, tail");
  expect_error(cantilever("beam: rood, slider: bead"),
               "'rood' is no body of this case; beams are: rod, tail");
  expect_error(cantilever("beam: [tail, rod], slider: bead"),
               "beam 'rod' does not begin where the one before it ends: the gap is 4 m");
}

TEST(BeamSliding, refuses_a_corner_between_beams) {
  const auto with_tail = [](const char* end, const std::string& joint) {
    std::string text = cantilever("beam: [rod, tail], " + joint);
    const std::string straight = "to: [4, 0, 0]";
    return text.replace(text.find(straight), straight.size(), end);
  };
  const std::string sleeve = "slider: block, contact: cylindrical", bead = "slider: bead";
  for (const std::string& joint : {sleeve, bead})
    expect_error(with_tail("to: [4, 0, 0.2]", joint),
                 "beam 'tail' begins at an angle of 5.711 degrees to the end of the one before it");
  const char* turned = "to: [4, 0, 0], up: [0, 1, 0]";
  expect_error(with_tail(turned, sleeve),
               "the first section of beam 'tail' is turned by 90 degrees about the axis");
  const Workplace workplace;
  workplace.write("case.yaml", with_tail(turned, bead));
  EXPECT_EQ(workplace.shell("trammel check case.yaml").status, 0);
}

TEST(BeamSliding, reports_where_its_beams_have_separated) {
  const auto with_weld = [](const std::string& weld) {
    std::string text =
        cantilever("beam: [rod, tail], slider: bead", "", "{type: dynamic, until: 0.7, step: 0.01}");
    const std::string line = "  weld: {type: fixed, between: [rod.end, tail.start]}\n";
    text.replace(text.find(line), line.size(), weld);
    return text + "loads: {weight: {type: gravity}}\n";
  };
  expect_error(with_weld(""), "at s = 2 m the slider passes from one beam to the next, which is ");
  expect_error(with_weld("  weld: {type: revolute, axis: [0, 1, 0], between: [rod.end, tail.start]}\n"),
               " m away and turned by ");
}

TEST(BeamSliding, refuses_a_start_off_the_beam) {
  expect_error(cantilever("beam: rod, slider: high"),
               "the slider 'high' starts off the beam: the nearest point, at s = 0.5 m, is 0.2 m away");
  expect_error(cantilever("beam: rod, slider: ground, s: 2.5"),
               "'s' must lie on the beam, between 0 and 2 m, found 2.5");
  expect_error(cantilever("beam: rod, slider: ground"), "a slider on the ground needs a place");
  expect_error(cantilever("beam: rod, slider: rod.at(0.5)"), "is a point of the beam itself");
}

TEST(BeamSliding, refuses_contacts_that_do_not_fit) {
  expect_error(cantilever("beam: rod, slider: bead, contact: prismatic"), "is a point without orientation");
  expect_error(cantilever("beam: rod, slider: block, contact: screw"), "a screw needs its 'pitch'");
  expect_error(cantilever("beam: rod, slider: block, pitch: 1"), "'pitch' belongs to a screw");
  expect_error(cantilever("beam: rod, slider: block, ends: stop"), "`ends: stop` needs 'stop_stiffness'");
}

TEST(BeamSliding, refuses_friction_of_a_bead_without_a_normal_force) {
  const std::string friction = ", friction: {s: {coefficient: 0.2, regularization: 0.01";
  expect_error(
      cantilever("beam: rod, slider: bead" + friction + "}}"),
      "joint 'slide' gives no reaction to read; give 'normal' a function of time, signals and rates, such "
      "as slide.contact_force/sqrt(1 + mu^2)");
  const Workplace workplace;
  for (const std::string& joint : {"slider: bead" + friction + ", normal: 5}}",
                                   "slider: block, contact: cylindrical" + friction + "}}"}) {
    const Outcome run =
        workplace.run(cantilever("beam: rod, " + joint, "", "{type: dynamic, until: 0.02, step: 0.002}"));
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

const char* const watch =
    R"(loads: {weight: {type: gravity, acceleration: [0, -1, 0]}}
sensors:
  slide: {type: outputs, of: slide}
  tip: {type: motion, of: tail.end}
  total: {type: energy}
)";

std::string moving(double until, const std::string& form = "index3") {
  return "{type: dynamic, until: " + std::to_string(until) + ", step: 0.002, radius: 0.9, form: " + form +
         ", newton: {tolerance: 1e-12}}";
}

TEST(BeamSliding, ends_with_an_error_or_becomes_inactive_at_the_end) {
  expect_error(cantilever("beam: rod, slider: bead", "", moving(0.8)),
               "the slider runs off the end of its beam");
  const Workplace workplace;
  const Outcome leaves =
      workplace.run(cantilever("beam: rod, slider: bead, ends: inactive", watch, moving(0.8)));
  ASSERT_EQ(leaves.status, 0) << leaves.err;
  const auto slide = table_of(workplace.read("out/slide.csv"));
  EXPECT_NEAR(at(slide, 0.8, "force_world.y"), 0, 1e-12);
  EXPECT_NEAR(at(slide, 0.8, "arc_length"), 2, 1e-6);
}

TEST(BeamSliding, stops_at_the_end) {
  const Workplace workplace;
  const Outcome stops = workplace.run(
      cantilever("beam: rod, slider: bead, ends: stop, stop_stiffness: 1e4", watch, moving(0.8)));
  ASSERT_EQ(stops.status, 0) << stops.err;
  const auto slide = table_of(workplace.read("out/slide.csv"));
  EXPECT_LT(at(slide, 0.8, "arc_length_rate"), -2);
  EXPECT_LT(at(slide, 0.8, "arc_length"), 1.9);
}

TEST(BeamSliding, runs_along_several_beams) {
  const Workplace workplace;
  for (const std::string contact : {"point", "prismatic", "cylindrical", "screw, pitch: 5"}) {
    const Outcome along = workplace.run(
        cantilever("beam: [rod, tail], slider: block, contact: " + contact, watch, moving(0.9)));
    ASSERT_EQ(along.status, 0) << contact << along.err;
    EXPECT_GT(at(table_of(workplace.read("out/slide.csv")), 0.9, "arc_length"), 2.2) << contact;
  }
}

TEST(BeamSliding, gives_the_same_on_two_ranks_with_two_sliders) {
  const std::string text = cantilever(
      "beam: [rod, tail], slider: bead, reserve: 2",
      "  second: {type: beam_sliding, beam: rod, slider: block, contact: prismatic, reserve: 1}\n" +
          std::string(watch),
      moving(0.25), "0.9");
  const Workplace one, two;
  const Outcome a = one.run(text), b = two.run_on(2, text);
  ASSERT_EQ(a.status, 0) << a.err;
  ASSERT_EQ(b.status, 0) << b.err;
  const auto compare = [&](const std::string& file, const std::string& channel) {
    const auto d = difference(table_of(one.read("out/" + file)), table_of(two.read("out/" + file)), channel);
    EXPECT_GT(d.range, 0.1) << file << ' ' << channel;
    EXPECT_LE(d.largest, 1e-9 * d.range) << file << ' ' << channel;
  };
  compare("slide.csv", "arc_length [");
  compare("slide.csv", "force_world.y");
  compare("tip.csv", "position");
  compare("tip.csv", "velocity.y");
  compare("total.csv", "total");
}

TEST(BeamSliding, refuses_a_second_slider_on_the_element_of_a_sleeve) {
  expect_error(cantilever("beam: [rod, tail], slider: bead",
                          "  second: {type: beam_sliding, beam: rod, slider: block, contact: prismatic}\n"),
               "the sliders 'second' (s = 0.5 m) and 'slide' (s = 0.5 m) stand on one element of their beam, "
               "and one of them holds rotations: they are 0 m apart, and the element is 0.2 m long");
}

TEST(BeamSliding, refuses_a_bead_that_runs_into_the_first_of_two_sleeves) {
  const std::string sleeves =
      "  far: {type: beam_sliding, beam: rod, slider: ground, s: 1.7, contact: prismatic}\n"
      "  near: {type: beam_sliding, beam: rod, slider: ground, s: 1.3, contact: prismatic}\n";
  const Workplace workplace;
  const Outcome run = workplace.run(cantilever("beam: rod, slider: bead", sleeves + watch, moving(0.5)));
  EXPECT_EQ(run.status, 1) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the sliders 'near' (s = 1.3"));
  EXPECT_THAT(run.err, HasSubstr("and 'slide' (s = 1.2"));
}

TEST(BeamSliding, agrees_between_the_levels_of_the_constraint) {
  const Workplace workplace;
  std::vector<double> s, y;
  for (const std::string form : {"index3", "index2"}) {
    const Outcome run =
        workplace.run(cantilever("beam: rod, slider: block, contact: prismatic", watch, moving(0.3, form)));
    ASSERT_EQ(run.status, 0) << run.err;
    s.push_back(at(table_of(workplace.read("out/slide.csv")), 0.3, "arc_length"));
    y.push_back(at(table_of(workplace.read("out/tip.csv")), 0.3, "position.y"));
  }
  EXPECT_NEAR(s[0], s[1], 1e-4);
  EXPECT_NEAR(y[0], y[1], 1e-3);
}

TEST(BeamSliding, pushes_a_rod_out_of_a_sleeve_across_an_element_boundary) {
  // A sleeve is drawn over the node at 1 m of ten elements: N + N^2/2EA = M^2/2EI + P^2/2GA at its mouth.
  constexpr double EA = 1e8, GA = 4e7, EI = 100, P = 20, element = 0.2;
  // Elements of constant strain carry the moment of their middle, here half an element outside.
  const double middle = std::pow(P * element, 2) / (8 * EI);
  const Workplace workplace;
  // Where nothing is said a beam that carries a slider takes linear moments.
  for (const std::string bending : {", bending: linear", "", ", bending: constant"}) {
    const Outcome run =
        workplace.shell("sed 's/, bending: linear/" + bending +
                        "/' '" TRAMMEL_SOURCE_DIR
                        "/bench/mouth.yaml' > case.yaml\n"
                        "trammel run case.yaml -o out --set from=0.996 --set way=0.008 --set steps=8");
    ASSERT_EQ(run.status, 0) << run.err;
    const bool constant = bending == ", bending: constant";
    const auto sleeve = table_of(workplace.read("out/sleeve.csv")),
               root = table_of(workplace.read("out/root.csv"));
    std::vector<double> before, behind;  // error of N on either side
    for (int k = 0; k <= 8; ++k) {
      const double t = k / 8.0, N = at(root, t, "force_on_A_world.x"), M = at(sleeve, t, "moment_world.z");
      const double error = N + N * N / (2 * EA) - M * M / (2 * EI) - P * P / (2 * GA);
      EXPECT_LT(std::abs(error), constant ? 1.02 * middle : 0.01 * N) << bending << " at t = " << t;
      (at(sleeve, t, "host_element") < 5.5 ? before : behind).push_back(error);
    }
    ASSERT_GE(before.size(), 4U);
    ASSERT_GE(behind.size(), 4U);
    const double jump = constant ? middle : 0;
    EXPECT_NEAR(std::abs(behind.front() - before.back()), jump, 1e-5 + 0.02 * jump) << bending;
  }
}

TEST(BeamSliding, reports_that_its_beam_has_linear_moments) {
  const Workplace workplace;
  for (const std::string bending : {"linear", "constant", ""}) {
    const std::string entry = bending.empty() ? "" : ", bending: " + bending;
    const Outcome check =
        workplace.shell("sed 's/, bending: linear/" + entry +
                        "/' '" TRAMMEL_SOURCE_DIR "/bench/mouth.yaml' > case.yaml\ntrammel check case.yaml");
    ASSERT_EQ(check.status, 0) << check.err;
    const auto said = HasSubstr("moments vary linearly along the elements of 'rod'");
    if (bending.empty())
      EXPECT_THAT(check.out, said);
    else
      EXPECT_THAT(check.out, Not(said)) << bending;
  }
}

TEST(BeamSliding, is_stabilized_on_elements_that_are_reached_later) {
  // A rod shoots through a sleeve on the ground: nothing but the rod's nodes and s can be corrected.
  const std::string head =
      R"(trammel: 1
parameters: {n: 20}
sections: {rod: {stiffness: {EA: 1e5, GA: [4e4, 4e4], GJ: 50, EI: [50, 50]}, mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}}
bodies:
  rod: {type: beam, section: rod, from: [-0.3, 0, 0], to: [1.7, 0, 0], elements: n, velocity: [-3, 0, 0]}
joints:
  mouth: {type: beam_sliding, beam: rod, slider: {on: ground, at: [0, 0, 0]}, contact: prismatic, reserve: 1}
loads: {weight: {type: gravity, acceleration: [0, -9.81, 0]}}
sensors: {mouth: {type: outputs, of: mouth}, tip: {type: motion, of: rod.end}}
stages:
  - {type: dynamic, until: 0.4, step: 0.001, radius: 0.9, form: )";
  const Workplace workplace;
  // Index 2 closes the contact without its compliance to the moment, at most l/4EI: of order 1 in the mesh. So do the tips of
  // both forms differ, in the mean over the run.
  std::vector<double> mean;
  for (const char* mesh : {"--set n=20", "--set n=40"}) {
    std::vector<double> s, y;
    for (const std::string form : {"index3", "index2"}) {
      const Outcome run = workplace.run(head + form + "}\n", mesh);
      ASSERT_EQ(run.status, 0) << run.err;
      const auto mouth = table_of(workplace.read("out/mouth.csv")),
                 tip = table_of(workplace.read("out/tip.csv"));
      s.push_back(at(mouth, 0.4, "arc_length"));
      for (int k = 1; k <= 200; ++k) y.push_back(at(tip, 0.002 * k, "position.y"));
    }
    EXPECT_GT(s[0], 1.4);  // eleven elements on, or 22
    EXPECT_NEAR(s[0], s[1], 1e-3);
    double sum = 0;
    for (std::size_t k = 0; k < 200; ++k) sum += std::abs(y[k] - y[200 + k]);
    mean.push_back(sum / 200);
  }
  EXPECT_GT(mean[1], 0);
  EXPECT_EQ(std::lround(std::log2(mean[0] / mean[1])), 1) << mean[0] << ' ' << mean[1];
}

/// The case of that name, in a form of the equations.
std::string in_form(const std::string& name, const std::string& form) {
  std::string out = testing::contents_of(TRAMMEL_SOURCE_DIR "/cases/" + name + "/case.yaml");
  const std::string stage = "type: dynamic,";
  out.replace(out.find(stage), stage.size(), stage + " form: " + form + ",");
  return out;
}

TEST(BeamSliding, has_order_two_in_all_forms) {
  // The reference of cases/sliding_bead, arc lengths at t = 0.1, 0.2 ... 0.6 s, in mesh and step.
  const std::vector<double> reference{0.3010710, 0.3610911, 0.4440848, 0.5594819, 0.7038124, 0.8654107};
  const Workplace workplace;
  for (const std::string form : {"index3", "index2", "index1"}) {
    std::vector<double> errors;
    for (const char* mesh : {" --set n=16 --set h=5e-4", " --set n=32 --set h=2.5e-4"}) {
      const Outcome run =
          workplace.run(in_form("sliding_bead", form), "--set frames=10000" + std::string(mesh));
      ASSERT_EQ(run.status, 0) << form << run.err;
      const auto slide = table_of(workplace.read("out/slide.csv"));
      double largest = 0;
      for (std::size_t k = 0; k < reference.size(); ++k)
        largest = std::max(
            largest, std::abs(at(slide, 0.1 * static_cast<double>(k + 1), "arc_length") - reference[k]));
      errors.push_back(largest);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1) << form;
  }
}

TEST(BeamSliding, converges_in_all_forms_on_a_soft_beam) {
  const auto text = [](const std::string& contact, const std::string& form) {
    return R"(trammel: 1
parameters: {n: 6}
sections:
  rod: {stiffness: {EA: 6e4, GA: [3e4, 2.5e4], GJ: 6, EI: [8, 10]},
        mass: {rhoA: 1, J: [0.05, 0.03, 0.02]}}
bodies:
  rod: {type: beam, section: rod, from: [0, 0, 0], to: [2.1, 0, 0], elements: n,
        angular_velocity: [0.3, -0.2, 0.4]}
  b: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [1, 0.2, -0.15],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}
joints:
  slide: {type: beam_sliding, contact: )" +
           contact +
           R"(, beam: rod, slider: {on: b, at: [0.05, -0.2, 0.15]}, assemble: yes,
          spring: {s: {stiffness: 5, rest: 1.05}}}
loads: {weight: {type: force, on: b, force: [0, -3, 1]}}
sensors: {slide: {type: outputs, of: slide}}
stages:
  - {type: assemble}
  - {type: dynamic, form: )" +
           form + ", until: 0.1, step: 1e-3, radius: 0.9, newton: {tolerance: 1e-10}}\n";
  };
  const Workplace workplace;
  const auto arc_length = [&](const std::string& contact, const std::string& form, const char* more) {
    const Outcome run = workplace.run(text(contact, form), more);
    EXPECT_EQ(run.status, 0) << contact << ' ' << form << run.err;
    EXPECT_THAT(run.out, HasSubstr("of them cut 0")) << contact << ' ' << form;
    return at(table_of(workplace.read("out/slide.csv")), 0.1, "arc_length");
  };
  for (const std::string contact : {"point", "prismatic", "cylindrical", "screw, pitch: 1.7"}) {
    const double s = arc_length(contact, "index3", "");
    const double of_mesh = std::abs(s - arc_length(contact, "index3", " --set n=12"));
    for (const std::string form : {"index2", "index1"})
      EXPECT_NEAR(arc_length(contact, form, ""), s, of_mesh) << contact << ' ' << form;
  }
}

}  // namespace
}  // namespace trammel
