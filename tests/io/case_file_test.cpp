#include "io/case/case_file.hpp"

#include <chrono>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/case/case_repeat.hpp"
#include "io/case/case_yaml.hpp"

namespace trammel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Parameter::Kind;

/// What the types below were asked to build.
struct Built {
  std::vector<std::string> names;
  std::vector<Vec3> at;
  std::vector<std::string> texts;
  std::vector<FunctionPtr> functions;
};

/// A registry with one type a category that records what it gets.
Registry recording_registry(Built& built) {
  Registry registry;
  registry.set_source("test", "test.so");
  Type body;
  body.name = "box";
  body.category = Type::Category::body;
  body.parameters = {Parameter::make(Kind::vector3, "at", "m", "where").defaults("[0, 0, 0]"),
                     Parameter::make(Kind::real, "mass", "kg", "mass").positive().defaults("1"),
                     Parameter::make(Kind::any, "section", "", "section")};
  body.build = [&built](const Parameters& in, Builder& builder) {
    built.names.push_back(builder.entity().name);
    built.at.push_back(in.vector3("at"));
    if (in.has("section")) {
      const Parameters section = in.map(
          *in.value("section"),
          {Parameter::make(Kind::real, "EA", "N", ""), Parameter::make(Kind::map, "material", "", "")});
      built.texts.push_back(std::to_string(section.real("EA")) + " " +
                            section.value("material")->find("E")->text);
    }
    builder.offer_marker("end", Marker::ground(Mat3::Identity(), in.vector3("at")));
    builder.offer_marker_family("at",
                                [](double s) { return Marker::ground(Mat3::Identity(), Vec3(s, 0, 0)); });
  };
  body.summary = "for tests";
  registry.add(body);
  Type joint;
  joint.name = "pin";
  joint.category = Type::Category::joint;
  joint.parameters = {Parameter::make(Kind::marker_pair, "between", "", "markers").must()};
  joint.build = [&built](const Parameters& in, Builder& builder) {
    built.names.push_back(builder.entity().name);
    const auto [a, b] = builder.marker_pair(in, "between");
    built.texts.push_back(a.name() + " " + b.name());
  };
  joint.summary = "for tests";
  registry.add(joint);
  Type motion;
  motion.name = "motion";
  motion.category = Type::Category::coordinate;
  motion.parameters = {Parameter::make(Kind::text, "of", "", "the joint").must(),
                       Parameter::make(Kind::text, "coordinate", "", "its coordinate").must(),
                       Parameter::make(Kind::function, "value", "", "function of time").must()};
  motion.build = [&built](const Parameters& in, Builder& builder) {
    built.names.push_back(builder.entity().name);
    built.texts.push_back(in.text("of") + " " + in.text("coordinate"));
    built.functions.push_back(in.function("value"));
  };
  motion.summary = "for tests";
  registry.add(motion);
  Type load;
  load.name = "push";
  load.category = Type::Category::load;
  load.parameters = {Parameter::make(Kind::function, "force", "N", "force")};
  load.build = [&built](const Parameters& in, Builder&) { built.functions.push_back(in.function("force")); };
  load.summary = "for tests";
  registry.add(load);
  Type bad;
  bad.name = "bad";
  bad.category = Type::Category::load;
  bad.build = [](const Parameters&, Builder&) { throw std::runtime_error("boom"); };
  bad.summary = "for tests";
  registry.add(bad);
  return registry;
}

std::unique_ptr<CaseFile> parsed(const std::string& text, const ParameterOverrides& overrides = {}) {
  return std::make_unique<CaseFile>(read_yaml_text(text, "case.yaml"), "case.yaml", overrides);
}

Built build(const std::string& text, const ParameterOverrides& overrides = {}) {
  Built built;
  const Registry registry = recording_registry(built);
  Model model;
  parsed(text, overrides)->build(registry, model);
  return built;
}

std::string message(const std::string& text) {
  try {
    build(text);
  } catch (const Error& error) {
    return error.where().text() + ": error: " + error.what();
  }
  return "no error";
}

TEST(CaseFile, accepts_parameters_that_are_expressions_of_each_other) {
  const Built built = build(
      R"(trammel: 1
parameters: {b: 2*a, a: deg(90)}
bodies:
  x: {type: box, at: [a, b/2, sin(a)]}
)");
  ASSERT_EQ(built.at.size(), 1U);
  EXPECT_NEAR(built.at[0].x(), std::acos(-1.0) / 2, 1e-15);
  EXPECT_NEAR(built.at[0].y(), std::acos(-1.0) / 2, 1e-15);
  EXPECT_NEAR(built.at[0].z(), 1, 1e-15);
}

TEST(CaseFile, replaces_parameters) {
  const std::string text =
      R"(trammel: 1
parameters: {n: 2, m: 2*n}
bodies: {x: {type: box, at: [m, 0, 0]}}
)";
  EXPECT_EQ(build(text, {{"n", "5"}}).at[0].x(), 10);
  EXPECT_THROW(build(text, {{"k", "5"}}), Error);
}

TEST(CaseFile, repeats_in_a_line) {
  const Built built = build(R"yaml(
trammel: 1
parameters: {N: 3, l: 0.5}
bodies:
  rod.(i): {for: {i: 1..N}, type: box, at: [(i - 0.5)*l, 0, 0]}
joints:
  pin.(i): {for: {i: 2..N}, type: pin, between: [rod.(i-1).end, rod.(i).at(l*i)]}
  last: {type: pin, between: [rod.(N).end, ground]}
)yaml");
  EXPECT_THAT(built.names, ElementsAre("rod.1", "rod.2", "rod.3", "pin.2", "pin.3", "last"));
  EXPECT_DOUBLE_EQ(built.at[2].x(), 1.25);
  EXPECT_THAT(built.texts,
              ElementsAre("rod.1.end rod.2.at(1)", "rod.2.end rod.3.at(1.5)", "rod.3.end ground"));
}

TEST(CaseFile, repeats_in_a_grid) {
  const Built built = build(R"yaml(
trammel: 1
bodies:
  node.(i).(j): {for: {i: 0..1, j: i..2}, type: box, at: [i, j, i*j]}
  odd.(k): {for: {k: [1, 3]}, type: box}
  none.(k): {for: {k: 2..1}, type: box}
)yaml");
  EXPECT_THAT(built.names,
              ElementsAre("node.0.0", "node.0.1", "node.0.2", "node.1.1", "node.1.2", "odd.1", "odd.3"));
  EXPECT_EQ(built.at[4], Vec3(1, 2, 2));
}

TEST(CaseFile, inserts_sections_and_materials_for_their_names) {
  const Built built = build(R"yaml(
trammel: 1
materials: {steel: {E: 210e9}}
sections: {thick: {EA: 12, material: steel}}
bodies: {x: {type: box, section: thick}}
)yaml");
  EXPECT_THAT(built.texts, ElementsAre("12.000000 210e9"));
}

TEST(CaseFile, names_the_joint_of_elements_on_coordinates) {
  const Built built = build(R"yaml(
trammel: 1
parameters: {rate: -0.6}
joints:
  A: {type: pin, between: [ground, ground], motion: {angle: rate*t}}
)yaml");
  EXPECT_THAT(built.names, ElementsAre("A", "A.angle.motion"));
  EXPECT_EQ(built.texts[1], "A angle");
  EXPECT_DOUBLE_EQ(built.functions[0]->at(2).value, -1.2);
  EXPECT_DOUBLE_EQ(built.functions[0]->at(2).first, -0.6);
}

TEST(CaseFile, reads_functions_in_all_forms) {
  const Built built = build(R"yaml(
trammel: 1
parameters: {F: 10}
functions:
  lift: {type: cycloidal, from: [0, 0], to: [2, F]}
  wave: F*sin(t)
loads:
  a: {type: push, force: 3}
  b: {type: push, force: wave}
  c: {type: push, force: lift}
  d: {type: push, force: {type: table, points: [[0, 0], [1, F], [2, 0]]}}
  e: {type: push, force: {type: spline, points: [[0, 0], [1, 1], [2, 4]], first_slope: 0, last_slope: 4}}
  f.(i): {for: {i: 1..2}, type: push, force: i*t}
  g.(i): {for: {i: 1..2}, type: push, force: "ramp(t, 0, i, 0, 1)"}
  h: {type: push, force: {type: table, points: [[0, 0], [10, 5]], of: wave}}
)yaml");
  ASSERT_EQ(built.functions.size(), 10U);
  const auto at = [&](std::size_t i, double t) { return built.functions[i]->at(t); };
  EXPECT_TRUE(built.functions[0]->is_constant());
  EXPECT_DOUBLE_EQ(at(1, 0).first, 10);
  EXPECT_DOUBLE_EQ(at(2, 1).value, 5);
  EXPECT_DOUBLE_EQ(at(3, 1.5).value, 5);
  EXPECT_NEAR(at(4, 1.5).value, 2.25, 1e-12);
  EXPECT_DOUBLE_EQ(at(5, 3).value, 3);
  EXPECT_DOUBLE_EQ(at(6, 3).value, 6);
  EXPECT_DOUBLE_EQ(at(7, 0.5).value, 0.5);
  EXPECT_DOUBLE_EQ(at(8, 0.5).value, 0.25);
  EXPECT_DOUBLE_EQ(at(9, 0.5).value, 5 * std::sin(0.5));
}

TEST(CaseFile, reads_ten_thousand_bodies_quickly) {
  const auto start = std::chrono::steady_clock::now();
  const Built built = build(R"yaml(
trammel: 1
parameters: {N: 10000}
bodies:
  rod.(i): {for: {i: 1..N}, type: box, at: [i - 0.5, sin(i/N), 0], mass: 2 + i/N}
joints:
  pin.(i): {for: {i: 2..N}, type: pin, between: [rod.(i-1).end, rod.(i).end]}
)yaml");
  EXPECT_EQ(built.names.size(), 19999U);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_LT(seconds.count(), 20);  // about 0.2 s in an optimized build
}

TEST(CaseFile, names_position_entity_and_remedy_in_messages) {
  const std::string head = "trammel: 1\n";
  EXPECT_EQ(message("bodies: {}\n"),
            "case.yaml:1:1: error: the key 'trammel: 1' is missing, the version of the format");
  EXPECT_THAT(message("trammel: 2\n"), HasSubstr("version '2' of the format is not known"));
  EXPECT_THAT(message(head + "bodys: {}\n"),
              HasSubstr("case.yaml:2:1: error: unknown key 'bodys'; did you mean 'bodies'?"));
  EXPECT_EQ(message(head + "bodies:\n  crank: {type: bx}\n"),
            "case.yaml:3:17: error: body 'crank': unknown body type 'bx'; did you mean 'box'? Loaded body "
            "types: box");
  EXPECT_EQ(message(head + "bodies:\n  crank: {at: [0, 0, 0]}\n"),
            "case.yaml:3:3: error: body 'crank': 'type' is missing. Loaded body types: box");
  EXPECT_EQ(message(head + "bodies:\n  crank: {type: box, mas: 1}\n"),
            "case.yaml:3:22: error: body 'crank' (box): unknown key 'mas'; did you mean 'mass'? Keys here: "
            "at, mass, "
            "section");
  EXPECT_EQ(message(head + "bodies:\n  crank: {type: box, mass: -1}\n"),
            "case.yaml:3:28: error: body 'crank' (box): 'mass' = -1 kg: must be positive");
  EXPECT_EQ(message(head + "bodies:\n  crank: {type: box, at: [0, 0]}\n"),
            "case.yaml:3:26: error: body 'crank' (box): 'at' must be a vector [x, y, z], found a list of 2");
  EXPECT_THAT(message(head + "bodies:\n  crank: {type: box, mass: 1 +}\n"),
              HasSubstr("case.yaml:3:28: error: body 'crank' (box): column 4 of '1 +': found the end"));
  EXPECT_THAT(message(head + "bodies:\n  crank: {type: box, mass: log(-1)}\n"), HasSubstr("is nan"));
  EXPECT_THAT(message(head + R"(parameters: {rate: 1}
bodies:
  crank: {type: box, mass: 2*raet}
)"),
              HasSubstr("unknown name 'raet'; did you mean 'rate'?"));
  EXPECT_THAT(message(head + "parameters: {a: b, b: a}\n"), HasSubstr("case.yaml:2:"));
  EXPECT_EQ(message(head +
                    R"(bodies:
  crank: {type: box}
joints:
  A: {type: pin, between: [ground, crnk.end]}
)"),
            "case.yaml:5:36: error: joint 'A' (pin): marker 'crnk.end' not found; did you mean 'crank.end'? "
            "Markers here: crank.end, ground, crank.at(s)");
  EXPECT_EQ(
      message(head + R"(bodies:
  crank: {type: box, section: thik}
sections: {thick: {EA: 1}}
)"),
      "case.yaml:3:31: error: body 'crank' (box): section 'thik' not found; did you mean 'thick'? Names in "
      "'sections': thick");
  EXPECT_EQ(message(head + "loads:\n  a: {type: bad}\n"),
            "case.yaml:3:3: error: load 'a' (bad): plugin 'test' threw an exception: boom");
  EXPECT_EQ(message(head + "loads:\n  a: {type: push, force: {type: tabel}}\n"),
            "case.yaml:3:33: error: load 'a' (push): unknown function type 'tabel'; did you mean 'table'? "
            "Types here: "
            "table, spline, ramp, harmonic, cycloidal, smoothstep");
  EXPECT_THAT(message(head + R"(functions:
  a: {type: table, points: [[0, 0], [1, 1]], of: b}
  b: {type: table, points: [[0, 0], [1, 1]], of: a}
)"),
              HasSubstr("functions that need each other: a -> b -> a"));
  EXPECT_THAT(message(head + "bodies:\n  rod: {for: {i: 1..2}, type: box}\n"),
              HasSubstr("needs its indices in its name, such as 'rod.(i)'"));
  EXPECT_THAT(message(head + "bodies:\n  rod.(i/2): {for: {i: 1..2}, type: box}\n"),
              HasSubstr("an index must be a whole number, found 'i/2' = 0.5"));
  EXPECT_THAT(message(head + "bodies:\n  ground: {type: box}\n"), HasSubstr("it is the world itself"));
  EXPECT_THAT(message(head + "bodies:\n  a.b: {type: box}\n"), HasSubstr("cannot be a name"));
  EXPECT_THAT(message(head + "bodies: {crank: 3}\n"),
              HasSubstr("'crank' in 'bodies' must be a map, found '3'"));
}

TEST(CaseFile, accepts_markers_in_any_order) {
  Built built;
  const Registry registry = recording_registry(built);
  CaseFile file(read_yaml_text(
                    R"(trammel: 1
markers:
  c.(i): {for: {i: 1..2}, on: b.(i), at: [i, 0, 0]}
  b.(i): {for: {i: 1..2}, on: {on: a}, at: [0, i, 0]}
  a: {on: ground, at: [0, 0, 5]}
)",
                    "case.yaml"),
                "case.yaml");
  Model model;
  file.build(registry, model);
  EXPECT_EQ(model.markers.at("c.2").p_FM_F(), Vec3(2, 2, 5));
}

TEST(CaseFile, refuses_markers_that_are_fixed_to_each_other) {
  const std::string head = "trammel: 1\nmarkers:\n";
  EXPECT_EQ(message(head + R"(  a: {on: b}
  b: {on: {on: c}}
  c: {on: a}
)"),
            "case.yaml:3:3: error: markers that are fixed in each other: a -> b -> c -> a");
  EXPECT_THAT(message(head + "  a: {on: a}\n"), HasSubstr("a -> a"));
  EXPECT_THAT(message(head + "  a.(i): {for: {i: 1..9}, on: a.(10-i)}\n"), HasSubstr("a.1 -> a.9 -> a.1"));
}

TEST(CaseFile, counts_grids_before_it_expands_them) {
  const auto grid = [](const std::string& ranges) {
    return message(R"(trammel: 1
parameters: {n: 99999}
bodies:
  a.(i).(j).(k): {for: )" +
                   ranges + ", type: box}\n");
  };
  EXPECT_EQ(
      grid("{i: 1..n, j: 1..n, k: 1..n}"),
      "case.yaml:4:24: error: body 'a.(i).(j).(k)': this 'for' stands for 999970000299999 entries; a case "
      "may hold 5000000");
  EXPECT_THAT(grid("{i: 1..n, j: i..n, k: j..n}"), HasSubstr("entries or more; a case may hold 5000000"));
  EXPECT_THAT(grid("{i: 1..1e14, j: 1..0, k: 1..1}"), HasSubstr("no error"));
  EXPECT_THAT(message(R"(trammel: 1
parameters: {n: 2000}
markers:
  a.(i).(j): {for: {i: 1..100, j: 1..100}, on: ground}
bodies:
  b.(i).(j): {for: {i: 1..n, j: 1..n}, type: boxx}
)"),
              HasSubstr("unknown body type"));
  EXPECT_THAT(
      message(R"(trammel: 1
parameters: {n: 2}
bodies:
  a.(i).(j): {for: {i: 1..n, j: 1..n}, type: box}
markers:
  b.(i): {for: {i: 1..4999999}, on: ground}
)"),
      HasSubstr(
          "case.yaml:6:16: error: marker 'b.(i)': with the 4999999 entries of this 'for' the case holds "
          "5000003 repeated ones; it may hold 5000000"));
}

TEST(CaseFile, limits_the_depth_of_functions_of_functions) {
  std::string forward = "trammel: 1\nfunctions:\n", backward = forward;
  const auto entry = [](int i) {
    return "  f" + std::to_string(i) + ": {type: ramp, from: [0, 0], to: [1, 1], of: f" +
           std::to_string(i + 1) + "}\n";
  };
  for (int i = 0; i < 5000; ++i) forward += entry(i);
  forward += "  f5000: t\n";
  backward += "  f5000: t\n";
  for (int i = 4999; i >= 0; --i) backward += entry(i);
  EXPECT_THAT(message(forward),
              HasSubstr("functions of functions, more than 100 deep: f0 -> f1 -> f2 -> f3 -> ..."));
  EXPECT_THAT(message(backward), HasSubstr("functions of functions, more than 100 deep"));
}

TEST(CaseFile, reads_a_function_that_is_used_by_many_once) {
  std::string text = "t";
  for (int i = 0; i < 40; ++i) text = "{type: ramp, from: [0, 0], to: [1, 1], of: " + text + "}";
  EXPECT_EQ(message("trammel: 1\nfunctions:\n  f: " + text + "\n"), "no error");  // else 2^40 readings
}

TEST(CaseFile, shortens_long_names_in_messages) {
  EXPECT_THAT(message("trammel: 1\nbodies:\n  " + std::string(900, 'a') + ": {type: box}\n"),
              HasSubstr("...' (900 bytes) cannot be a name: it is longer than 100 characters"));
  EXPECT_LT(message("trammel: 1\nbodies:\n  a: {type: \"" + std::string(900'000, 'a') + "\"}\n").size(),
            400U);
}

}  // namespace
}  // namespace trammel
