#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/reserved.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// Description of a parameter of a type, for the check of the input, for `trammel describe` and for the manual.
struct Parameter {
  enum class Kind {
    real,
    integer,
    flag,  ///< yes or no
    text,
    choice,       ///< one of `choices`
    vector3,      ///< [x, y, z]
    reals,        ///< a list of numbers
    matrix,       ///< a list of rows
    rotation,     ///< quaternion [w, x, y, z], {axis, angle}, or three rows
    function,     ///< number, expression of t, or map with a type
    functions,    ///< a list of three functions
    marker,       ///< the name of a marker, or {on, at, rotation}
    marker_pair,  ///< a list of two markers
    map,          ///< a map that the type reads itself, checked against `children` where given
    list,         ///< a list of maps or values that the type reads itself
    any,          ///< read by the type itself
  };

  std::string name;
  Kind kind = Kind::real;
  std::string unit;
  std::string doc;  ///< one line
  /// The default as it would be written in a case; empty text with `required` unset means "absent".
  std::string default_text;
  bool required = false;
  std::optional<double> least, most;
  bool least_excluded = false, most_excluded = false;
  std::vector<std::string> choices;
  std::vector<Parameter> children;
  /// A value that makes sense where there is no default, as it would be written in a case: `trammel describe` shows it
  /// and `trammel verify` builds the type with it.
  std::string example;
  Reserved<4> reserved{};

  // Chainable: Parameter::real("mass", "kg", "mass").positive().must()
  static Parameter make(Kind kind, std::string name, std::string unit, std::string doc) {
    Parameter p;
    p.kind = kind;
    p.name = std::move(name);
    p.unit = std::move(unit);
    p.doc = std::move(doc);
    return p;
  }
  Parameter&& must() && {
    required = true;
    return std::move(*this);
  }
  Parameter&& defaults(std::string text) && {
    default_text = std::move(text);
    return std::move(*this);
  }
  Parameter&& positive() && {
    least = 0;
    least_excluded = true;
    return std::move(*this);
  }
  Parameter&& not_negative() && {
    least = 0;
    return std::move(*this);
  }
  Parameter&& between(double low, double high) && {
    least = low;
    most = high;
    return std::move(*this);
  }
  Parameter&& one_of(std::vector<std::string> names) && {
    choices = std::move(names);
    return std::move(*this);
  }
  Parameter&& such_as(std::string text) && {
    example = std::move(text);
    return std::move(*this);
  }
  Parameter&& with(std::vector<Parameter> inner) && {
    children = std::move(inner);
    return std::move(*this);
  }
};

/// "real", "function of t", ...: the word for a kind in messages and in the manual.
TRAMMEL_API std::string kind_name(Parameter::Kind kind);

/// Checks a map against descriptions: unknown keys (nearest name offered), missing ones, wrong types, shapes, signs
/// and ranges. `of_what` begins the messages ("stage 2 (static)"), where it isn't empty; `extra` lists keys that the
/// caller handles. Throws Error at the offending place.
TRAMMEL_API void check(const Value& map, const std::vector<Parameter>& known, const ValueContext& context,
                       std::string_view of_what, const std::vector<std::string>& extra = {});

/// The parameters of one entity, checked, with defaults; what a type's `build` reads.
///
/// Getters throw Error, with the place in the case, where a value has the wrong type.
class TRAMMEL_API Parameters {
 public:
  /// Checks `map` as `check` does. The map and the context must outlive the object; `known` is copied.
  Parameters(const Value& map, const std::vector<Parameter>& known, const ValueContext& context);

  const Location& where() const { return map_->where; }
  /// The place of a parameter, or of the map where it is absent.
  const Location& where(std::string_view name) const;
  const ValueContext& context() const { return *context_; }

  /// True where the case gives the parameter (defaults don't count).
  bool has(std::string_view name) const;
  /// The value as written; the default where absent; nullptr where there is none.
  const Value* value(std::string_view name) const;

  double real(std::string_view name) const;
  int integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string text(std::string_view name) const;
  Vec3 vector3(std::string_view name) const;
  std::vector<double> reals(std::string_view name) const;
  Eigen::MatrixXd matrix(std::string_view name, int rows, int columns) const;
  Mat3 rotation(std::string_view name) const;
  std::shared_ptr<const Function> function(std::string_view name) const;
  std::vector<std::shared_ptr<const Function>> functions(std::string_view name) const;
  /// The map under `name`, read with its own descriptions (`children`).
  Parameters map(std::string_view name) const;
  /// Any value as a map with the descriptions given.
  Parameters map(const Value& value, const std::vector<Parameter>& known) const;

  // The same readings of a value that the type found itself.
  double real(const Value& value) const { return context_->number(value); }
  Vec3 vector3(const Value& value) const;
  std::vector<double> reals(const Value& value) const;
  Mat3 rotation(const Value& value) const;

 private:
  const Parameter* known(std::string_view name) const;
  const Value& need(std::string_view name) const;

  const Value* map_;
  std::shared_ptr<const std::vector<Parameter>> known_;
  const ValueContext* context_;
  Reserved<2> reserved_;
};

}  // namespace trammel
