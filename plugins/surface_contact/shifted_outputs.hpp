#pragma once

#include <span>
#include <string_view>

#include "trammel/outputs.hpp"

namespace trammel::surface_contact {

/// Passes outputs on. To the outputs with the given names, which are coordinates of a joint, it adds the difference between the
/// parameters of the shapes and the coordinates, so that the parameters are reported.
class ShiftedOutputs final : public OutputSink {
 public:
  ShiftedOutputs(OutputSink& to, std::span<const std::string_view> names, std::span<const double> shifts)
      : to_(to), names_(names), shifts_(shifts) {}

  void scalar(std::string_view name, std::string_view unit, double value) override {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) value += shifts_[i];
    to_.scalar(name, unit, value);
  }
  void vector(std::string_view name, std::string_view unit, const Vec3& value) override {
    to_.vector(name, unit, value);
  }
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double> values) override {
    to_.values(name, unit, components, values);
  }

 private:
  OutputSink& to_;
  std::span<const std::string_view> names_;
  std::span<const double> shifts_;
};

}  // namespace trammel::surface_contact
