#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "io/case/case_context.hpp"
#include "io/case/case_yaml.hpp"
#include "plain_case.hpp"
#include "trammel/curve.hpp"
#include "trammel/surface.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::testing {

/// An ellipse in space: a profile for surfaces made of curves.
class Ellipse final : public Curve {
 public:
  explicit Ellipse(const Vec3& centre = Vec3(3, 0, 0.5)) : centre_(centre) {
    set_domain({0, 2, 5, 6.283185307179586}, true);
  }

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override {
    for (int k = 0; k <= derivatives; ++k) {
      const double turned = eta + k * 1.5707963267948966;
      out.d[static_cast<std::size_t>(k)] =
          Vec3(std::cos(turned), 0.2 * std::sin(turned), 0.6 * std::sin(turned));
    }
    out.d[0] += centre_;
  }

 private:
  Vec3 centre_;
};

/// Builds surfaces by their names, beside a curve `profile`.
class SurfaceCase : public PlainCase {
 public:
  SurfaceCase() {
    registry.set_source("surfaces", "");
    trammel_register(registry);
    add_profile("profile", std::make_shared<Ellipse>());
  }
  void add_profile(const std::string& name, std::shared_ptr<const Curve> curve) {
    Type type;
    type.name = "sample";
    type.category = Type::Category::curve;
    builder.begin({name, {}, {}, {}, {}}, type);
    offer_curve(builder, std::move(curve), Marker::ground(), {});
  }
  /// As cases are read, with formulas.
  void add(Type::Category category, const std::string& type_name, const std::string& name,
           const std::string& text) {
    const Type& type = registry.get(category, type_name, {});
    values_.push_back(std::make_unique<Value>(read_yaml_text(text, "case.yaml")));
    Entity entity;
    entity.name = name;
    builder.begin(entity, type);
    type.build(Parameters(*values_.back(), type.parameters, reader_), builder);
  }
  std::shared_ptr<const Surface> surface(const std::string& type, const std::string& text) {
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = "surface" + std::to_string(count_++);
    add(surface_category, type, value.text, text);
    return find_surface(builder, value).surface;
  }
  std::string message(const std::string& type, const std::string& text) {
    try {
      add(surface_category, type, "it" + std::to_string(values_.size()), text);
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  }

 private:
  CaseContext reader_;
  std::vector<std::unique_ptr<Value>> values_;
  int count_ = 0;
};

}  // namespace trammel::testing
