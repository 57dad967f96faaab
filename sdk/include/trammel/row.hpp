#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// Physical dimension of a number of a block, or of a row of a constraint.
enum class Dimension : std::uint8_t {
  undeclared,
  length,    ///< [m]
  angle,     ///< [rad]
  velocity,  ///< [m/s]
  spin,      ///< [rad/s]
  nominal,   ///< anything else: its typical size tells what is small
};

/// The dimension of one number.
struct Measure {
  Dimension dimension = Dimension::undeclared;
  double size = 1;  ///< typical size of a nominal number, in its own unit

  static constexpr Measure length() { return {Dimension::length, 1}; }
  static constexpr Measure angle() { return {Dimension::angle, 1}; }
  static constexpr Measure nominal(double size) { return {Dimension::nominal, size}; }

  constexpr bool is_length() const {
    return dimension == Dimension::length || dimension == Dimension::velocity;
  }
  constexpr bool is_angle() const { return dimension == Dimension::angle || dimension == Dimension::spin; }
  /// False if the dimension is missing, or the size of a nominal number.
  constexpr bool is_declared() const {
    return dimension != Dimension::undeclared && (dimension != Dimension::nominal || size > 0);
  }
  /// "m", "rad", "m/s", "rad/s"; "" for nominal numbers.
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
  /// The number of metres (for a rate: metres per second) that corresponds to one unit, in a model of this length [m].
  constexpr double metres(double model_length) const {
    return is_angle() ? model_length : dimension == Dimension::nominal ? model_length / size : 1.0;
  }
  friend bool operator==(const Measure&, const Measure&) = default;
};

/// The law that the multiplier of a row obeys. The force on the bodies is -B^T lambda.
enum class RowLaw : std::uint8_t {
  equality,    ///< C = 0
  unilateral,  ///< gap >= 0, lambda <= 0, gap lambda = 0
  friction,    ///< the row belongs to a group with a FrictionLaw: it sticks or slips
};

/// Properties of one row of a constraint.
struct Row {
  Measure measure;
  RowLaw law = RowLaw::equality;
  bool compliant = false;  ///< the row depends on multipliers of its own element: C(q, lambda) = 0
  bool switches = false;   ///< the row may become inactive during the run
  double restitution = 0;  ///< coefficient of restitution of a unilateral row; only 0, a plastic impact
  Reserved<2> reserved{};

  /// True if the row may be inactive or slip.
  bool may_rest() const { return switches || law != RowLaw::equality; }
  friend bool operator==(const Row&, const Row&) = default;
};

/// The rows of a block, which do not change. Most blocks share them with blocks that were made shortly before.
class TRAMMEL_API RowList {
 public:
  using value_type = Row;

  RowList() = default;
  RowList(std::vector<Row> rows);
  operator const std::vector<Row>&() const;

  std::size_t size() const { return rows_ ? rows_->size() : 0; }
  bool empty() const { return size() == 0; }
  const Row* data() const { return rows_ ? rows_->data() : nullptr; }
  const Row& operator[](std::size_t i) const { return data()[i]; }
  const Row* begin() const { return data(); }
  const Row* end() const { return data() + size(); }
  const Row& front() const { return data()[0]; }

 private:
  std::shared_ptr<const std::vector<Row>> rows_;
};

/// Rows of equality constraints with these dimensions.
inline std::vector<Row> rows_of(std::span<const Dimension> dimensions) {
  std::vector<Row> rows;
  for (const Dimension dimension : dimensions) rows.push_back({.measure = {dimension, 1}});
  return rows;
}
/// `count` rows of equality constraints with the same dimension.
inline std::vector<Row> rows_of(Dimension dimension, int count) {
  return std::vector<Row>(static_cast<std::size_t>(count), Row{.measure = {dimension, 1}});
}

/// The effect of a constraint at velocity level in a static stage.
enum class InStatics : std::uint8_t {
  increment,  ///< A dq = 0 for the increment of a load step
  absent,     ///< none: the rows are inactive
  refused,    ///< a static stage is an error
};

/// Properties of all rows of a velocity multiplier together.
struct VelocityRows {
  bool ideal = true;  ///< the forces are A^T lambda, and do no work if b = 0
  InStatics in_statics = InStatics::increment;
  Reserved<1> reserved{};
};

}  // namespace trammel
