// Functions read signals of sensors wherever these stand in the case; functions of plugins are read like others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/case/case_file.hpp"
#include "io/case/case_yaml.hpp"
#include "trammel/function_signal.hpp"
#include "trammel/time_function.hpp"

namespace trammel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Parameter::Kind;

Type type_of(Type::Category category, const std::string& name, std::vector<Parameter> parameters,
             std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = name;
  type.category = category;
  type.summary = "for tests";
  type.parameters = std::move(parameters);
  type.build = std::move(build);
  return type;
}

/// Beads with a coordinate; loads that read signals; sensors of coordinates and of functions. `built` gets the names in order.
Registry registry_of(std::vector<std::string>& built) {
  Registry registry;
  registry.set_source("test", "test.so");
  registry.add(type_of(Type::Category::body, "bead", {}, [&built](const Parameters&, Builder& b) {
    built.push_back(b.entity().name);
    const double zero = 0;
    const Measure measure = Measure::length();
    b.offer_coordinate("x", "m", b.add_coordinates("x", {&zero, 1}, {&zero, 1}, {&measure, 1}, "m"));
  }));
  const Parameter force = Parameter::make(Kind::function, "force", "N", "force").must();
  registry.add(type_of(Type::Category::load, "pull", {force}, [&built](const Parameters& in, Builder& b) {
    built.push_back(b.entity().name);
    const FunctionPtr f = in.function("force");
    for (const std::string& name : f->signals()) b.signal(name, f->where());
    b.offer_signal("power", time_signal());
  }));
  const Parameter value = Parameter::make(Kind::function, "value", "", "of signals").must();
  registry.add(
      type_of(Type::Category::sensor, "function", {value}, [&built](const Parameters& in, Builder& b) {
        built.push_back(b.entity().name);
        const FunctionPtr f = in.function("value");
        std::vector<std::shared_ptr<const Signal>> of;
        for (const std::string& name : f->signals()) of.push_back(b.signal(name, f->where()));
        b.offer_signal("value", function_signal(f, of, ""));
      }));
  Type wave;
  wave.name = "triangle";
  wave.category = Type::Category::function;
  wave.summary = "for tests";
  wave.parameters = {Parameter::make(Kind::real, "height", "", "height").must()};
  wave.make_function = [](const Parameters& in) {
    const double height = in.real("height");
    return time_function([height](Jet t) { return Jet{height} * t; });
  };
  registry.add(wave);
  return registry;
}

std::vector<std::string> order_of(const std::string& text) {
  std::vector<std::string> built;
  const Registry registry = registry_of(built);
  Model model;
  CaseFile file(read_yaml_text(text, "case.yaml"), "case.yaml");
  file.build(registry, model);
  return built;
}

std::string message(const std::string& text) {
  try {
    order_of(text);
  } catch (const Error& error) {
    return error.where().text() + ": error: " + error.what();
  }
  return "no error";
}

TEST(ReadingOrder, lets_a_load_read_a_sensor_of_sensors_in_any_order) {
  EXPECT_THAT(order_of(R"yaml(trammel: 1
bodies: {a: {type: bead}, b: {type: bead}}
loads:
  early: {type: pull, force: "3"}
  late: {type: pull, force: "2*sum.value + t"}
sensors:
  idle: {type: function, value: "t"}
  sum: {type: function, value: "a.x + twice.value"}
  twice: {type: function, value: "2*b.x"}
)yaml"),
              ElementsAre("a", "b", "early", "twice", "sum", "late", "idle"));
}

TEST(ReadingOrder, is_that_of_the_case_if_no_sensor_is_read) {
  EXPECT_THAT(order_of(R"yaml(trammel: 1
bodies: {a: {type: bead}, b: {type: bead}}
loads: {late: {type: pull, force: "a.x"}}
sensors: {z: {type: function, value: "b.x"}, a: {type: function, value: "a.x"}, y: {type: function, value: "t"}}
)yaml"),
              ElementsAre("a", "b", "late", "z", "a", "y"));
}

TEST(ReadingOrder, refuses_signals_that_read_each_other_by_name) {
  EXPECT_THAT(message(R"yaml(trammel: 1
sensors:
  a: {type: function, value: "b.value"}
  b: {type: function, value: "c.value + 1"}
  c: {type: function, value: "2*a.value"}
)yaml"),
              HasSubstr("a signal that depends on itself: a -> b -> c -> a"));
  EXPECT_THAT(message("trammel: 1\nsensors: {a: {type: function, value: a.value}}\n"),
              HasSubstr("case.yaml:2:11: error: a signal that depends on itself: a -> a"));
  EXPECT_THAT(message(R"yaml(trammel: 1
loads: {push: {type: pull, force: "a.value"}}
sensors: {a: {type: function, value: "push.power"}}
)yaml"),
              HasSubstr("a signal that depends on itself: push -> a -> push"));
}

TEST(ReadingOrder, lets_a_function_of_a_plugin_be_read_by_its_type) {
  EXPECT_THAT(order_of(R"yaml(trammel: 1
functions: {wave: {type: triangle, height: 3}, other: wave}
loads: {a: {type: pull, force: wave}, b: {type: pull, force: {type: triangle, height: 2}}, c: {type: pull, force: other}}
)yaml"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(message("trammel: 1\nfunctions: {wave: {type: triangel, height: 3}}\n"),
              HasSubstr("unknown function type 'triangel'; did you mean 'triangle'"));
  EXPECT_THAT(message("trammel: 1\nfunctions: {wave: {type: triangle}}\n"), HasSubstr("'height' is missing"));
}

}  // namespace
}  // namespace trammel
