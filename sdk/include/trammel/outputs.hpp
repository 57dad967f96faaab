#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// Energies of an element [J], and the power that leaves the system at it [W].
struct Energy {
  double kinetic = 0;
  double strain = 0;     ///< elastic energy
  double potential = 0;  ///< potential energy of conservative loads
  /// Dissipated power, minus the power supplied by nonconservative loads and prescribed motions [W].
  double dissipated_power = 0;
  Reserved<2> reserved{};

  Energy& operator+=(const Energy& o) {
    kinetic += o.kinetic;
    strain += o.strain;
    potential += o.potential;
    dissipated_power += o.dissipated_power;
    return *this;
  }
};

/// One named output with its components and unit. `name` is relative to the element: "angle", "force_world".
struct Channel {
  std::string name;
  std::string unit;
  std::vector<std::string> components;  ///< {"x", "y", "z"}, or empty for a scalar
};

/// Receives the outputs of one element at one instant.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  virtual void scalar(std::string_view name, std::string_view unit, double value) = 0;
  virtual void vector(std::string_view name, std::string_view unit, const Vec3& value) = 0;
  /// Any number of named components.
  virtual void values(std::string_view name, std::string_view unit,
                      std::span<const std::string_view> components, std::span<const double> values) = 0;
};

/// The unit of a rate, and of an acceleration (`order` 2): "m/s^2" of "m", "1/s" of "".
TRAMMEL_API std::string rate_unit(std::string_view unit, int order = 1);

/// Reports values whose components have the numbers `first`, `first` + 1, ... as names.
TRAMMEL_API void report_numbered(OutputSink& sink, std::string_view name, std::string_view unit, int first,
                                 std::span<const double> values);

}  // namespace trammel
