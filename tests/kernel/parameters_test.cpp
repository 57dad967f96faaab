#include "trammel/parameters.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trammel/registry.hpp"

namespace trammel {
namespace {

using Kind = Parameter::Kind;
using testing::HasSubstr;

/// Plain numbers only; "nan" is one.
class PlainNumbers final : public ValueContext {
 public:
  double number(const Value& value) const override {
    char* end = nullptr;
    const double x = std::strtod(value.text.c_str(), &end);
    if (value.text.empty() || *end != '\0') throw Error(value.where, "not a number: '" + value.text + "'");
    return x;
  }
  std::shared_ptr<const Function> function(const Value& value) const override {
    return constant_function(number(value));
  }
};

Value scalar(std::string text, int line = 1) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = std::move(text);
  value.where = {"case.yaml", line, 5};
  return value;
}

Value list(std::vector<Value> items, int line = 1) {
  Value value;
  value.kind = Value::Kind::sequence;
  value.items = std::move(items);
  value.where = {"case.yaml", line, 5};
  return value;
}

Value numbers(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  for (const std::string& text : texts) items.push_back(scalar(text));
  return list(std::move(items));
}

Value map(std::vector<std::pair<std::string, Value>> entries) {
  Value value;
  value.kind = Value::Kind::map;
  value.where = {"case.yaml", 1, 1};
  for (auto& [key, inner] : entries) {
    const Location where{"case.yaml", inner.where.line, 1};
    value.entries.push_back({key, where, std::move(inner)});
  }
  return value;
}

const std::vector<Parameter>& known() {
  static const std::vector<Parameter> parameters{
      Parameter::make(Kind::real, "mass", "kg", "mass of the body").positive().must(),
      Parameter::make(Kind::real, "radius", "", "spectral radius").between(0, 1).defaults("0.9"),
      Parameter::make(Kind::integer, "elements", "", "number of elements").defaults("4"),
      Parameter::make(Kind::flag, "share", "", "share blocks").defaults("yes"),
      Parameter::make(Kind::choice, "shape", "", "what it looks like")
          .one_of({"box", "sphere"})
          .defaults("box"),
      Parameter::make(Kind::vector3, "at", "m", "where").defaults("[0, 0.5, sqrt(4)]"),
      Parameter::make(Kind::rotation, "rotation", "", "how").defaults("[1, 0, 0, 0]"),
      Parameter::make(Kind::matrix, "inertia", "kg m^2", "inertia tensor"),
      Parameter::make(Kind::function, "force", "N", "a force"),
      Parameter::make(Kind::map, "inner", "", "a map")
          .with({Parameter::make(Kind::real, "stiffness", "N/m", "").not_negative()})};
  return parameters;
}

std::string message(const Value& value) {
  try {
    const PlainNumbers context;
    const Parameters in(value, known(), context);
  } catch (const Error& error) {
    return error.where().text() + ": " + error.what();
  }
  return "no error";
}

TEST(Parameters, read_values_and_defaults) {
  const PlainNumbers context;
  const Value value = map({{"mass", scalar("2.5", 7)}, {"at", numbers({"1", "2", "3"})}});
  const Parameters in(value, known(), context);
  EXPECT_EQ(in.real("mass"), 2.5);
  EXPECT_EQ(in.real("radius"), 0.9);
  EXPECT_EQ(in.integer("elements"), 4);
  EXPECT_TRUE(in.flag("share"));
  EXPECT_EQ(in.text("shape"), "box");
  EXPECT_EQ(in.vector3("at"), Vec3(1, 2, 3));
  EXPECT_TRUE(in.rotation("rotation").isIdentity(0));
  EXPECT_EQ(in.value("inertia"), nullptr);
  EXPECT_TRUE(in.has("mass"));
  EXPECT_FALSE(in.has("radius"));
  EXPECT_EQ(in.where("mass").line, 7);
  EXPECT_EQ(in.where("radius").line, 1);
}

TEST(Parameters, may_have_nested_defaults) {
  const PlainNumbers context;
  const Value value = map({{"mass", scalar("1")}});
  const Value* at = Parameters(value, known(), context).value("at");
  ASSERT_EQ(at->items.size(), 3U);
  EXPECT_EQ(at->items[2].text, "sqrt(4)");
}

TEST(Parameters, accept_rotations_in_three_forms) {
  const PlainNumbers context;
  const Value value = map({{"mass", scalar("1")}});
  const Parameters in(value, known(), context);
  Mat3 quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const std::string half = "0.70710678118654757";
  EXPECT_TRUE(in.rotation(numbers({half, "0", "0", half})).isApprox(quarter, 1e-15));
  EXPECT_TRUE(
      in.rotation(list({numbers({"0", "-1", "0"}), numbers({"1", "0", "0"}), numbers({"0", "0", "1"})}))
          .isApprox(quarter, 1e-15));
  EXPECT_TRUE(in.rotation(map({{"axis", numbers({"0", "0", "2"})}, {"angle", scalar("1.5707963267948966")}}))
                  .isApprox(quarter, 1e-15));
  EXPECT_THROW(in.rotation(numbers({"1", "1", "0", "0"})), Error);
  EXPECT_THROW(
      in.rotation(list({numbers({"1", "0", "0"}), numbers({"0", "1", "0"}), numbers({"0", "0", "-1"})})),
      Error);
}

TEST(Parameters, name_position_and_remedy_for_wrong_input) {
  const Value mass = scalar("1");
  EXPECT_EQ(message(map({})), "case.yaml:1:1: 'mass' is missing: number [kg], mass of the body");
  EXPECT_THAT(message(map({{"mass", mass}, {"radios", scalar("1", 4)}})),
              HasSubstr("case.yaml:4:1: unknown key 'radios'; did you mean 'radius'?"));
  EXPECT_EQ(message(map({{"mass", scalar("-1", 3)}})), "case.yaml:3:5: 'mass' = -1 kg: must be positive");
  EXPECT_EQ(message(map({{"mass", mass}, {"radius", scalar("1.5")}})),
            "case.yaml:1:5: 'radius' = 1.5: must be between 0 and 1");
  EXPECT_EQ(message(map({{"mass", scalar("nan")}})), "case.yaml:1:5: 'mass' = nan kg: must be finite");
  EXPECT_EQ(message(map({{"mass", numbers({"1"})}})),
            "case.yaml:1:5: 'mass' must be a number, found a list of 1");
  EXPECT_EQ(message(map({{"mass", mass}, {"elements", scalar("2.5")}})),
            "case.yaml:1:5: 'elements' must be an integer, found '2.5'");
  EXPECT_EQ(message(map({{"mass", mass}, {"share", scalar("maybe")}})),
            "case.yaml:1:5: 'share' must be yes or no, found 'maybe'");
  EXPECT_EQ(message(map({{"mass", mass}, {"shape", scalar("spere")}})),
            "case.yaml:1:5: 'shape' must be one of box, sphere; found 'spere'; did you mean 'sphere'?");
  EXPECT_EQ(message(map({{"mass", mass}, {"at", numbers({"1", "2"})}})),
            "case.yaml:1:5: 'at' must be a vector [x, y, z], found a list of 2");
  EXPECT_THAT(message(map({{"mass", mass}, {"inertia", list({numbers({"1", "2"}), numbers({"1"})})}})),
              HasSubstr("row 2 has 1 numbers, the first one 2"));
  EXPECT_EQ(message(map({{"mass", mass}, {"inner", map({{"stiffness", scalar("-2")}})}})),
            "case.yaml:1:5: 'stiffness' = -2 N/m: must be not negative");
}

TEST(Parameters, may_not_be_read_undeclared) {
  const PlainNumbers context;
  const Value value = map({{"mass", scalar("1")}});
  EXPECT_THROW(Parameters(value, known(), context).real("masse"), Error);
}

TEST(Parameters, know_descriptions_that_changed_in_their_place) {
  const PlainNumbers numbers;
  Value map;
  map.kind = Value::Kind::map;
  std::vector<Parameter> known{Parameter::make(Kind::real, "mass", "kg", "mass").defaults("1")};
  const Parameters before(map, known, numbers);
  known.front() = Parameter::make(Kind::real, "mass", "kg", "mass").defaults("2");
  const Parameters after(map, known, numbers);
  EXPECT_EQ(before.real("mass"), 1);
  EXPECT_EQ(after.real("mass"), 2);
}

TEST(Registry, names_what_is_loaded) {
  Registry registry;
  registry.set_source("lower_pairs", "/lib/lower_pairs.so");
  registry.add({"revolute", Type::Category::joint, "for tests", {}, {}, {}, {}});
  registry.add({"spherical", Type::Category::joint, "for tests", {}, {}, {}, {}});
  EXPECT_EQ(registry.get(Type::Category::joint, "revolute", {}).plugin, "lower_pairs");
  try {
    registry.get(Type::Category::joint, "revolut", {"case.yaml", 3, 4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown joint type 'revolut'; did you mean 'revolute'? Loaded joint types: revolute, spherical");
    EXPECT_EQ(error.where().line, 3);
  }
}

TEST(Registry, refuses_a_second_type_of_one_name) {
  Registry registry;
  registry.set_source("first", "/lib/first.so");
  registry.add({"revolute", Type::Category::joint, "for tests", {}, {}, {}, {}});
  registry.set_source("second", "/lib/second.so");
  try {
    registry.add({"revolute", Type::Category::joint, "for tests", {}, {}, {}, {}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("joint type 'revolute' of plugin 'second' (/lib/second.so)"));
    EXPECT_THAT(error.what(), HasSubstr("plugin 'first' (/lib/first.so)"));
  }
}

TEST(Registry, refuses_what_is_not_described) {
  const auto message = [](const std::string& name, const std::string& summary,
                          std::vector<Parameter> parameters) {
    Registry registry;
    registry.set_source("mine", "/lib/mine.so");
    try {
      registry.add({name, Type::Category::joint, summary, std::move(parameters), {}, {}, {}});
    } catch (const Error& error) {
      EXPECT_TRUE(registry.all().empty());
      return std::string(error.what());
    }
    return std::string();
  };
  const auto make = [](const char* name, const char* doc) {
    return Parameter::make(Parameter::Kind::real, name, "m", doc);
  };
  const std::string hinge = "joint type 'hinge' of plugin 'mine' (/lib/mine.so) ";
  EXPECT_EQ(message("hinge", "turns", {make("a", "length"), make("b", "width")}), "");
  EXPECT_EQ(message("", "turns", {}), "a joint type of plugin 'mine' (/lib/mine.so) has no name");
  EXPECT_EQ(message("hinge", " ", {}), hinge + "has no summary: one line that says what it does");
  EXPECT_EQ(message("hinge", "turns", {make("", "length")}), hinge + "has a parameter without a name");
  EXPECT_EQ(message("hinge", "turns", {make("a", "")}), hinge + "has no documentation of its parameter 'a'");
  EXPECT_EQ(message("hinge", "turns", {make("a", "length"), make("b", "width"), make("a", "height")}),
            hinge + "describes its parameter 'a' twice");
  EXPECT_EQ(message("hinge", "turns", {make("a", "length").with({make("b", "inner"), make("b", "again")})}),
            hinge + "describes its parameter 'b' twice in 'a'");
}

}  // namespace
}  // namespace trammel
