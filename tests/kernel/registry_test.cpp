#include "trammel/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trammel {
namespace {

using ::testing::HasSubstr;

Type stage(const std::string& name) {
  Type type;
  type.name = name;
  type.category = Type::Category::stage;
  type.summary = "for tests";
  type.make_stages = [](const Parameters&) { return std::vector<Value>(1); };
  return type;
}

std::string message(Registry& registry, Type type) {
  try {
    registry.add(std::move(type));
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Registry, refuses_a_kind_of_stage_registered_twice) {
  Registry registry;
  registry.set_source("first", "first.so");
  EXPECT_EQ(message(registry, stage("shake_down")), "");
  registry.set_source("second", "second.so");
  EXPECT_EQ(message(registry, stage("shake_down")),
            "stage type 'shake_down' of plugin 'second' (second.so) is already offered by plugin 'first' "
            "(first.so)");
}

TEST(Registry, refuses_a_name_of_the_program) {
  Registry registry;
  registry.reserve(Type::Category::stage, "dynamic");
  registry.set_source("first", "first.so");
  EXPECT_THAT(message(registry, stage("dynamic")), HasSubstr("is already offered by the program"));
  Type body;
  body.name = "dynamic";
  body.summary = "for tests";
  EXPECT_EQ(message(registry, body), "");
}

TEST(Registry, requires_functions_and_stages_to_say_how_they_are_made) {
  Registry registry;
  Type empty = stage("shake_down");
  empty.make_stages = nullptr;
  EXPECT_THAT(message(registry, empty), HasSubstr("has nothing that makes its stages"));
  empty.category = Type::Category::function;
  EXPECT_THAT(message(registry, empty), HasSubstr("has nothing that makes it"));
}

}  // namespace
}  // namespace trammel
