#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/error.hpp"
#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// A value of a case as it was written, whatever the file format: a scalar text, a sequence or a map, with its place.
struct TRAMMEL_API Value {
  enum class Kind { null, scalar, sequence, map };
  struct Entry;

  Kind kind = Kind::null;
  std::string text;            ///< of a scalar
  std::vector<Value> items;    ///< of a sequence
  std::vector<Entry> entries;  ///< of a map, in the order of the file
  Location where;
  Reserved<2> reserved{};

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
  bool is_null() const { return kind == Kind::null; }
  /// The value under `key`, or null.
  const Value* find(std::string_view key) const;
  /// "'fast'" (a scalar as written), "a list of 3", "a map", "nothing": for messages.
  std::string described() const;
};

struct Value::Entry {
  std::string key;
  Location where;  ///< of the key
  Value value;
};

/// Turns scalars into numbers and functions: named parameters and expressions are known to the reader of the case.
class ValueContext {
 public:
  virtual ~ValueContext() = default;
  /// A number, or a constant expression of named parameters. Throws Error at the value's place.
  virtual double number(const Value& value) const = 0;
  /// A function of time (and signals): a number, an expression, or a map with a `type`.
  virtual std::shared_ptr<const Function> function(const Value& value) const = 0;
};

}  // namespace trammel
