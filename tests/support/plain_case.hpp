#pragma once

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/model_builder.hpp"
#include "sdk/src/flow_text.hpp"
#include "trammel/registry.hpp"

/// Builds entities out of short texts, without a case file: "{mass: 2, inertia: [1, 1, 1]}".
namespace trammel::testing {

/// Knows plain numbers, and functions by the names that a test gives them.
class PlainContext final : public ValueContext {
 public:
  std::map<std::string, FunctionPtr> functions;

  double number(const Value& value) const override {
    char* end = nullptr;
    const double x = std::strtod(value.text.c_str(), &end);
    if (value.text.empty() || *end != '\0') throw Error(value.where, "not a number: '" + value.text + "'");
    return x;
  }
  FunctionPtr function(const Value& value) const override {
    const auto at = functions.find(value.text);
    return at != functions.end() ? at->second : constant_function(number(value));
  }
};

/// A model that grows by texts.
class PlainCase {
 public:
  Model model;
  ModelBuilder builder{model};
  PlainContext context;
  Registry registry;

  void add(Type::Category category, const std::string& type_name, const std::string& name,
           const std::string& text) {
    const Type& type = registry.get(category, type_name, {});
    texts_.push_back(std::make_unique<Value>(parse_flow_text(text)));
    Entity entity;
    entity.name = name;
    builder.begin(entity, type);
    const Parameters in(*texts_.back(), type.parameters, context);
    type.build(in, builder);
  }

  /// The message of the error that adding this entity ends with, "" where there is none.
  std::string message(Type::Category category, const std::string& type_name, const std::string& text) {
    try {
      add(category, type_name, "it" + std::to_string(texts_.size()), text);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }

 private:
  std::vector<std::unique_ptr<Value>> texts_;
};

}  // namespace trammel::testing
