#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "io/expressions/expression.hpp"
#include "trammel/function.hpp"

namespace trammel {

/// The largest depth of functions of functions, which are evaluated recursively.
inline constexpr int deepest_functions = 100;

/// The value of a table or spline before its first point and after its last point.
enum class Outside {
  hold,    ///< the value of the nearest end; derivatives are zero
  extend,  ///< the straight line of the end's slope; the second derivative is zero
  error,   ///< Error (RejectStep where the argument depends on signals)
};

/// Slopes at the ends of a spline: the value where the end is clamped, nothing where it is natural (second
/// derivative zero).
struct SplineEnds {
  std::optional<double> first_slope;
  std::optional<double> last_slope;
};

enum class MotionLaw {
  ramp,        ///< straight; the velocity jumps at both ends
  harmonic,    ///< half a cosine; the acceleration jumps at both ends
  cycloidal,   ///< velocity and acceleration are continuous
  smoothstep,  ///< polynomial of degree 5; velocity and acceleration are continuous
};

// All of the functions below have exact first and second derivatives. `of` is the argument, time where it is
// null; `where` is the place in the case, for messages. Bad input throws Error.

/// A function from an expression (docs/expressions.md). A constant one must be finite.
/// Throws ExpressionError with the place `where`.
FunctionPtr expression_function(std::string_view text, const Names& names, const Location& where = {});

/// Straight lines between the points (x, y), x strictly increasing, two points at least. At a point the
/// derivative is that of the right-hand side, so at the last one it is that of the outside; the second
/// derivative is zero.
FunctionPtr table_function(std::vector<double> x, std::vector<double> y, Outside outside = Outside::hold,
                           FunctionPtr of = nullptr, const Location& where = {});

/// The cubic spline through the points (x, y), x strictly increasing, two points at least: value, first and
/// second derivative are continuous inside. A natural end stays so with Outside::extend.
FunctionPtr spline_function(std::vector<double> x, std::vector<double> y, SplineEnds ends = {},
                            Outside outside = Outside::hold, FunctionPtr of = nullptr,
                            const Location& where = {});

/// From y0 (argument up to x0) to y1 (argument from x1 on), x0 < x1.
FunctionPtr motion_law_function(MotionLaw law, double x0, double x1, double y0, double y1,
                                FunctionPtr of = nullptr, const Location& where = {});

/// The law of a name ("ramp", "harmonic", "cycloidal", "smoothstep"), or nothing.
std::optional<MotionLaw> motion_law(std::string_view name);
std::string_view name_of(MotionLaw law);

/// The rule of a name ("hold", "extend", "error"), or nothing.
std::optional<Outside> outside_rule(std::string_view name);

}  // namespace trammel
