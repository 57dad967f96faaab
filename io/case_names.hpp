#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/case_context.hpp"
#include "trammel/parameters.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// The names that stand in the parameters of a case's entities, as far as the kinds of the parameters tell: those of
/// markers, the signals that functions read, and each word of a text or of a value that its type reads itself.
class NameReader {
 public:
  /// Both must outlive the reader.
  NameReader(const Value& root, const CaseContext& context);

  /// False where a parameter, as it is written, names nothing of the case: most do not, and need not be looked into. Those
  /// that are markers count where they are wanted.
  bool may_name(const Value::Entry& entry, const std::vector<Parameter>& known, bool markers) const;
  /// Appends the names in the map of an entity's parameters. Throws Error where a function is at fault.
  void add(const Value& map, const std::vector<Parameter>& known, std::vector<std::string>& names);
  /// Those of a marker: its name, or {on, at, rotation, moving}.
  void add_marker(const Value& value, std::vector<std::string>& names);

 private:
  void add(const Value& value, const Parameter& kind, std::vector<std::string>& names);
  void add_signals(const Value& function, std::vector<std::string>& names);
  void add_words(const Value& value, std::vector<std::string>& names);
  void add_words(const std::string& text, std::vector<std::string>& names);

  bool mentions(const Value& value) const;
  bool mentions(const std::string& text) const;

  const Value* functions_;
  const CaseContext* context_;
  std::unordered_set<std::string_view> heads_;  ///< of names of the case, up to the first dot
  bool in_groups_ = false;                      ///< some section or material mentions one
};

}  // namespace trammel
