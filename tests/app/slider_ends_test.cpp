// Sliders on soft beams at stops: beyond the ends of the beam, and short of them.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"

namespace trammel {
namespace {

using testing::at;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Table;
using testing::table_of;
using testing::Workplace;

const std::string at_the_end = "ends: stop, stop_stiffness: 1.2e4";

/// A block runs along a cantilever of two metres, at 3 m/s, towards its tip.
struct Throw {
  std::string contact = "point", bending = "linear", form = "index3", stop = at_the_end;
  std::string ends = "from: [0, 0, 0], to: [2, 0, 0]", root = "start";
  double until = 0.35;

  std::string text() const {
    return R"(trammel: 1
parameters: {h: 1e-3}
sections:
  rod: {stiffness: {EA: 1e5, GA: [4e4, 4e4], GJ: 50, EI: [50, 50]},
        mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}
bodies:
  rod: {type: beam, section: rod, )" +
           ends + ", elements: 10, bending: " + bending +
           R"(}
  block: {type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [1.2, 0, 0],
          velocity: [3, 0, 0]}
joints:
  clamp: {type: fixed, between: [ground, rod.)" +
           root +
           "]}\n"
           "  slide: {type: beam_sliding, beam: rod, slider: block, contact: " +
           contact + ", " + stop +
           R"(}
loads: {weight: {type: gravity, acceleration: [0, -1, 0]}}
sensors:
  slide: {type: outputs, of: slide}
  block: {type: motion, of: block}
  total: {type: energy}
stages:
  - {type: dynamic, until: )" +
           std::to_string(until) + ", step: h, radius: 0.9, form: " + form +
           ", newton: {tolerance: 1e-12}}\n";
  }
};

struct History {
  Table slide, block;
  double gain = 0, change = 0;  ///< of energy: the largest, and what is left of it at the end [J]
};

History run(const Throw& what, const std::string& step) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(what.text(), "--set h=" + step);
  const std::string which =
      what.contact + ' ' + what.bending + ' ' + what.form + ' ' + what.stop + ' ' + step;
  EXPECT_EQ(outcome.status, 0) << which << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of them cut 0")) << which;
  History of{table_of(workplace.read("out/slide.csv")), table_of(workplace.read("out/block.csv"))};
  const Table total = table_of(workplace.read("out/total.csv"));
  const double start = at(total, 0, "total");
  for (const std::vector<double>& row : total.rows) {
    of.change = at(total, row[0], "total") - start;
    of.gain = std::max(of.gain, of.change);
  }
  return of;
}

double farthest(const History& of) {
  double s = 0;
  for (const std::vector<double>& row : of.slide.rows) s = std::max(s, row[1]);
  return s;
}

// The energy is 1.35 J. The method damps motion that steps do not resolve. It adds no energy, apart from the
// oscillation in a contact that lasts four steps.
void expect_kept(const History& of, const std::string& which) {
  EXPECT_LT(of.gain, 0.01) << which;
  EXPECT_LT(of.change, 1e-3) << which;
  EXPECT_GT(of.change, -0.03) << which;
}

TEST(SliderEnds, keep_the_energy_beyond_the_end_of_a_soft_beam) {
  for (const std::string contact : {"point", "prismatic", "cylindrical"})
    for (const std::string bending : {"linear", "constant"})
      for (const char* step : {"4e-3", "1e-3", "2.5e-4"}) {
        Throw what;
        what.contact = contact;
        what.bending = bending;
        const History of = run(what, step);
        expect_kept(of, contact + ' ' + bending + ' ' + step);
        EXPECT_NEAR(farthest(of), 2.0124, 4e-4);
        EXPECT_LT(at(of.slide, 0.35, "arc_length_rate"), -2);
      }
}

TEST(SliderEnds, throw_the_slider_back_with_order_two) {
  for (const std::string contact : {"point", "prismatic"}) {
    Throw what;
    what.contact = contact;
    std::vector<double> speeds, places;
    for (const char* step : {"5e-4", "2.5e-4", "1.25e-4"}) {
      const History of = run(what, step);
      speeds.push_back(at(of.block, 0.35, "velocity.x"));
      places.push_back(at(of.block, 0.35, "position.x"));
    }
    for (const std::vector<double>& x : {speeds, places})
      EXPECT_NEAR(std::log2((x[1] - x[0]) / (x[2] - x[1])), 2, 0.3)
          << contact << x[0] << ' ' << x[1] << ' ' << x[2];
  }
}

TEST(SliderEnds, throw_the_slider_back_alike_in_index_two) {
  Throw what;
  const double index3 = at(run(what, "2.5e-4").block, 0.35, "velocity.x");
  what.form = "index2";
  for (const char* step : {"5e-4", "2.5e-4", "1.25e-4"})
    EXPECT_NEAR(at(run(what, step).block, 0.35, "velocity.x"), index3, 0.01) << step;
}

TEST(SliderEnds, act_alike_at_the_start_of_the_track) {
  Throw what;
  what.contact = "prismatic";
  const History one = run(what, "1e-3");
  what.ends = "from: [2, 0, 0], to: [0, 0, 0]";
  what.root = "end";
  const History other = run(what, "1e-3");
  for (const double t : {0.2, 0.27, 0.28, 0.3, 0.35}) {
    EXPECT_NEAR(at(one.slide, t, "arc_length ["), 2 - at(other.slide, t, "arc_length ["), 1e-8) << t;
    EXPECT_NEAR(at(one.block, t, "position.y"), at(other.block, t, "position.y"), 1e-8) << t;
  }
}

TEST(SliderEnds, keep_the_energy_at_a_stop_short_of_the_end) {
  // Steps are cut where the stop is released, to what is left: down to a ten thousandth of them.
  for (const std::string contact : {"point", "prismatic"})
    for (const std::string bending : {"linear", "constant"})
      for (const std::string place : {"1.96", "1.98"})
        for (const char* step : {"4e-3", "1e-3"}) {
          Throw what;
          what.contact = contact;
          what.bending = bending;
          what.stop = "stop: {s: {to: " + place + ", stiffness: 1.2e4}}";
          what.until = 0.4;
          const History of = run(what, step);
          expect_kept(of, contact + ' ' + bending + ' ' + place + ' ' + step);
        }
}

TEST(SliderEnds, let_the_slider_rest_on_the_stop_that_a_moment_pushes_it_to) {
  // A moment M bends what is between the clamp and the sleeve to a circle and pushes the sleeve out of the end with M^2/2EI, as if
  // the beam went on; a weak spring from 1.9 m holds it where nothing else does.
  constexpr double EI = 50, M = 5, push = M * M / (2 * EI), s = (push + 1.9 * 1 + 2 * 10) / (1 + 10);
  const Workplace workplace;
  for (const std::string bending : {"linear", "constant"}) {
    const Outcome rests = workplace.run(
        R"(trammel: 1
sections: {rod: {stiffness: {EA: 1e5, GA: [4e4, 4e4], GJ: 50, EI: [50, 50]}}}
bodies:
  rod: {type: beam, section: rod, from: [0, 0, 0], to: [2, 0, 0], elements: 4, bending: )" +
        bending +
        R"(}
  block: {type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [1.9, 0, 0]}
joints:
  clamp: {type: fixed, between: [ground, rod.start]}
  slide: {type: beam_sliding, beam: rod, slider: block, contact: prismatic, ends: stop,
          stop_stiffness: 10, spring: {s: {stiffness: 1, rest: 1.9}}}
loads: {turn: {type: moment, on: block, moment: [0, 0, 5*t]}}
sensors: {slide: {type: outputs, of: slide}, block: {type: motion, of: block}}
stages:
  - {type: static, until: 1, steps: 20, newton: {tolerance: 1e-11}}
)");
    ASSERT_EQ(rests.status, 0) << bending << rests.err;
    const Table slide = table_of(workplace.read("out/slide.csv")),
                block = table_of(workplace.read("out/block.csv"));
    EXPECT_NEAR(at(slide, 1, "arc_length ["), s, 1e-8);
    EXPECT_NEAR(at(slide, 1, "thrust"), push, 1e-8);
    EXPECT_NEAR(at(slide, 1, "section_moment_before.M3"), M, 1e-8);
    EXPECT_NEAR(at(slide, 1, "section_moment_after.M3"), 0, 1e-8);
    EXPECT_NEAR(at(block, 1, "position.x"), EI / M * std::sin(M / EI * s), 1e-7);
    EXPECT_NEAR(at(block, 1, "position.y"), EI / M * (1 - std::cos(M / EI * s)), 1e-7);
  }
}

}  // namespace
}  // namespace trammel
