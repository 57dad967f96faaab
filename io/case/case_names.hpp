#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/case/case_context.hpp"
#include "trammel/parameters.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// Finds the names in the parameters of a case's entities, according to the kinds of the parameters: names of
/// markers, signals that functions read, and every word of a text or of a value that its type reads itself.
class NameReader {
 public:
  /// Both must outlive the reader.
  NameReader(const Value& root, const CaseContext& context);

  /// False if the text of a parameter contains no name of the case; such parameters, which are most, need not be
  /// read. Parameters of the kind marker count only if `markers`.
  bool may_name(const Value::Entry& entry, const std::vector<Parameter>& known, bool markers) const;
  /// Appends the names in the map of an entity's parameters. Throws Error for a faulty function.
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
