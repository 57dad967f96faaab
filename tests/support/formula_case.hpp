#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/case/case_context.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/registry.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::testing {

/// Two free frames and markers of all kinds, between which a joint is built from the text of its entry, read as cases are.
class FormulaCase {
 public:
  Model model;

  explicit FormulaCase(std::vector<std::pair<std::string, std::string>> parameters = {}) {
    for (const auto& [name, text] : parameters) {
      Value value;
      value.kind = Value::Kind::scalar;
      value.text = text;
      parameters_.kind = Value::Kind::map;
      parameters_.entries.push_back({name, {}, value});
    }
    context_.set_parameters(&parameters_, {});
    registry_.set_source("formula", "");
    trammel_register(registry_);
    builder_.begin(sample_entity(), sample_body());
    add_sample_markers(builder_, so3::exp(Vec3(0.3, 0.1, -0.2)), Vec3(0.1, 0.2, -0.3),
                       so3::exp(Vec3(-0.1, 0.2, 0.4)), Vec3(0.5, -0.4, 0.6));
  }

  /// Builds the joint, of the plugin's type where none is given.
  TestState joint(const std::string& text, const Type* other = nullptr) {
    const Type& type = other != nullptr ? *other : registry_.get(Type::Category::joint, "formula", {});
    values_.push_back(std::make_unique<Value>(read_yaml_text(text, "case.yaml")));
    Entity entity;
    entity.name = "J" + std::to_string(values_.size());
    builder_.begin(std::move(entity), type);
    type.build(Parameters(*values_.back(), type.parameters, context_), builder_);
    return TestState(model, range().stencil(0));
  }
  /// "LINE:COLUMN: message" of the error that building it ends with; "" where there is none.
  std::string message(const std::string& text) {
    try {
      joint(text);
    } catch (const Error& error) {
      return std::to_string(error.where().line) + ":" + std::to_string(error.where().column) + ": " +
             error.what();
    }
    return {};
  }
  const ElementRange& range() const { return *model.ranges.back().instances; }

 private:
  ModelBuilder builder_{model};
  Value parameters_;
  CaseContext context_;
  Registry registry_;
  std::vector<std::unique_ptr<Value>> values_;
};

}  // namespace trammel::testing
