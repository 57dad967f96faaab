#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plain_case.hpp"
#include "trammel/curve.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::testing {

/// Builds curves by their names.
class CurveCase : public PlainCase {
 public:
  CurveCase() {
    registry.set_source("geometry", "");
    trammel_register(registry);
  }
  std::shared_ptr<const Curve> curve(const std::string& type, const std::string& text) {
    const std::string name = "curve" + std::to_string(count_++);
    add(Type::Category::curve, type, name, text);
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = name;
    return find_curve(builder, value).curve;
  }
  std::string message(const std::string& type, const std::string& text) {
    return PlainCase::message(Type::Category::curve, type, text);
  }

 private:
  int count_ = 0;
};

}  // namespace trammel::testing
