#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trammel/reserved.hpp"

namespace trammel {

/// What a number of a block, or a row of a constraint, measures.
enum class Dimension : std::uint8_t {
  undeclared,
  length,    ///< [m]
  angle,     ///< [rad]
  velocity,  ///< [m/s]
  spin,      ///< [rad/s]
  nominal,   ///< anything else: a size that is typical of it says what is small
};

/// The dimension of one number.
struct Measure {
  Dimension dimension = Dimension::undeclared;
  double size = 1;  ///< of a nominal one, in its own unit

  static constexpr Measure length() { return {Dimension::length, 1}; }
  static constexpr Measure angle() { return {Dimension::angle, 1}; }
  static constexpr Measure nominal(double size) { return {Dimension::nominal, size}; }

  constexpr bool is_length() const {
    return dimension == Dimension::length || dimension == Dimension::velocity;
  }
  constexpr bool is_angle() const { return dimension == Dimension::angle || dimension == Dimension::spin; }
  /// False where the dimension, or the size of a nominal one, is missing.
  constexpr bool is_declared() const {
    return dimension != Dimension::undeclared && (dimension != Dimension::nominal || size > 0);
  }
  /// "m", "rad", "m/s", "rad/s"; of anything else "".
  constexpr const char* unit() const {
    switch (dimension) {
      case Dimension::length:
        return "m";
      case Dimension::angle:
        return "rad";
      case Dimension::velocity:
        return "m/s";
      case Dimension::spin:
        return "rad/s";
      default:
        return "";
    }
  }
  /// Metres, of a velocity metres per second, that one unit counts as in a model of this length [m].
  constexpr double metres(double model_length) const {
    return is_angle() ? model_length : dimension == Dimension::nominal ? model_length / size : 1.0;
  }
};

/// Which law the multiplier of a row obeys. The force on the bodies is -B^T lambda.
enum class RowLaw : std::uint8_t {
  equality,    ///< C = 0
  unilateral,  ///< gap >= 0, lambda <= 0, gap lambda = 0
  friction,    ///< of a group with a FrictionLaw: sticks or slips
};

/// What a joint says of one row of a multiplier.
struct Row {
  Measure measure;
  RowLaw law = RowLaw::equality;
  bool compliant = false;  ///< depends on multipliers of its own instance
  bool switches = false;   ///< may become inactive in a run
  double restitution = 0;  ///< of a unilateral row: 0, a plastic impact
  Reserved<2> reserved{};

  /// True where the row may be anything but active.
  bool may_rest() const { return switches || law != RowLaw::equality; }
};

/// Equalities of these dimensions.
inline std::vector<Row> rows_of(std::span<const Dimension> dimensions) {
  std::vector<Row> rows;
  for (const Dimension dimension : dimensions) rows.push_back({.measure = {dimension, 1}});
  return rows;
}
/// `count` equal rows.
inline std::vector<Row> rows_of(Dimension dimension, int count) {
  return std::vector<Row>(static_cast<std::size_t>(count), Row{.measure = {dimension, 1}});
}

/// What acts in statics of constraints at velocity level.
enum class InStatics : std::uint8_t {
  increment,  ///< A dq = 0 for the increment of a load step
  absent,     ///< nothing: the rows are inactive
  refused,    ///< a static stage is an error
};

/// What a joint says of the rows of a velocity multiplier together.
struct VelocityRows {
  bool ideal = true;  ///< forces are A^T lambda: they do no work where b = 0
  InStatics in_statics = InStatics::increment;
  Reserved<1> reserved{};
};

}  // namespace trammel
