#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "io/drawing/vtk_drawing.hpp"
#include "trammel/outputs.hpp"

namespace trammel {

/// Adds the scalar outputs of a joint (coordinates, rates, multipliers) as fields, with units, to the points that
/// it drew. Vectors are ignored, because forces and moments are fields of the joint's point already; so are values that the joint
/// drew as a field of its own: "section force before" stands for the output "section_force_before".
class GlyphNumbers final : public OutputSink {
 public:
  explicit GlyphNumbers(VtkDrawing& drawing) : drawing_(drawing) {}

  void scalar(std::string_view name, std::string_view unit, double value) override {
    drawing_.add_number(Canvas::Layer::joints, name, unit, value);
  }
  void vector(std::string_view, std::string_view, const Vec3&) override {}
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double> values) override {
    name_.assign(name);
    std::replace(name_.begin(), name_.end(), '_', ' ');
    if (drawing_.drew(Canvas::Layer::joints, name_)) return;
    for (std::size_t k = 0; k < std::min(components.size(), values.size()); ++k) {
      name_.assign(name).append(1, '.').append(components[k]);
      drawing_.add_number(Canvas::Layer::joints, name_, unit, values[k]);
    }
  }

 private:
  VtkDrawing& drawing_;
  std::string name_;
};

}  // namespace trammel
