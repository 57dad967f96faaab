#include "io/case/case_names.hpp"

#include <algorithm>

namespace trammel {

namespace {

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

/// Calls `visit` with each word of a text that could be a name.
template <class Visit>
void each_word(std::string_view text, const Visit& visit) {
  for (std::size_t i = 0; i < text.size();) {
    if (!begins_name(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    visit(text.substr(i, end - i));
    i = end;
  }
}

}  // namespace

NameReader::NameReader(const Value& root, const CaseContext& context)
    : functions_(root.find("functions")), context_(&context) {
  for (const char* group :
       {"bodies", "markers", "curves", "surfaces", "joints", "elements", "loads", "sensors", "functions"})
    if (const Value* values = root.find(group))
      for (const Value::Entry& entry : values->entries)
        heads_.insert(std::string_view(entry.key).substr(0, entry.key.find('.')));
  for (const char* group : {"sections", "materials"})
    if (const Value* values = root.find(group)) in_groups_ = in_groups_ || mentions(*values);
}

bool NameReader::may_name(const Value::Entry& entry, const std::vector<Parameter>& known,
                          bool markers) const {
  using Kind = Parameter::Kind;
  const auto found = std::ranges::find(known, entry.key, &Parameter::name);
  if (found == known.end()) return false;
  switch (found->kind) {
    case Kind::real:
    case Kind::integer:
    case Kind::flag:
    case Kind::choice:
    case Kind::vector3:
    case Kind::reals:
    case Kind::matrix:
    case Kind::rotation:
      return false;
    case Kind::function:
    case Kind::functions:  // of a type that may know names by itself
      return !entry.value.is_scalar() || mentions(entry.value);
    case Kind::map:
    case Kind::list:
    case Kind::any:
      return in_groups_ || mentions(entry.value);
    case Kind::marker:
    case Kind::marker_pair:
      return markers && mentions(entry.value);
    case Kind::text:
      return mentions(entry.value);
  }
  return true;
}

bool NameReader::mentions(const Value& value) const {
  return (value.is_scalar() && mentions(value.text)) ||
         std::ranges::any_of(value.items, [&](const Value& item) { return mentions(item); }) ||
         std::ranges::any_of(value.entries, [&](const Value::Entry& entry) {
           return mentions(entry.key) || mentions(entry.value);
         });
}

bool NameReader::mentions(const std::string& text) const {
  bool found = false;
  each_word(text, [&](std::string_view word) {
    for (std::size_t begin = 0; !found;) {
      const std::string_view rest = word.substr(begin);
      found = heads_.contains(rest.substr(0, rest.find('.'))) ||
              heads_.contains(rest.substr(0, rest.find_first_of(".-")));
      const auto dash = rest.find('-');
      if (dash == std::string_view::npos) return;
      begin += dash + 1;
    }
  });
  return found;
}

void NameReader::add(const Value& map, const std::vector<Parameter>& known, std::vector<std::string>& names) {
  for (const Value::Entry& entry : map.entries) {
    const auto kind = std::ranges::find(known, entry.key, &Parameter::name);
    if (kind != known.end()) add(entry.value, *kind, names);
  }
}

void NameReader::add(const Value& value, const Parameter& kind, std::vector<std::string>& names) {
  using Kind = Parameter::Kind;
  switch (kind.kind) {
    case Kind::real:
    case Kind::integer:
    case Kind::flag:
    case Kind::choice:
    case Kind::vector3:
    case Kind::reals:
    case Kind::matrix:
    case Kind::rotation:
      return;
    case Kind::function:
      return add_signals(value, names);
    case Kind::functions:
      for (const Value& item : value.items) add_signals(item, names);
      return;
    case Kind::marker:
      return add_marker(value, names);
    case Kind::marker_pair:
      for (const Value& item : value.items) add_marker(item, names);
      return;
    case Kind::map:
    case Kind::any:
      if (kind.children.empty() || !value.is_map()) return add_words(value, names);
      return add(value, kind.children, names);
    case Kind::list:
      if (kind.children.empty()) return add_words(value, names);
      for (const Value& item : value.items) add(item, kind.children, names);
      return;
    case Kind::text:
      return add_words(value, names);
  }
}

void NameReader::add_marker(const Value& value, std::vector<std::string>& names) {
  if (value.is_scalar()) names.push_back(value.text);
  for (const Value::Entry& entry : value.entries)
    if (entry.key == "on")
      add_marker(entry.value, names);
    else
      add_words(entry.value, names);
}

void NameReader::add_signals(const Value& function, std::vector<std::string>& names) {
  if (function.is_scalar() && std::ranges::none_of(function.text, begins_name)) return;
  const auto read = context_->function(function);  // holds the names while they are copied
  names.insert(names.end(), read->signals().begin(), read->signals().end());
}

void NameReader::add_words(const Value& value, std::vector<std::string>& names) {
  if (value.is_scalar()) add_words(value.text, names);
  for (const Value& item : value.items) add_words(item, names);
  for (const Value::Entry& entry : value.entries) {
    add_words(entry.key, names);
    add_words(entry.value, names);
  }
}

void NameReader::add_words(const std::string& text, std::vector<std::string>& names) {
  each_word(text, [&](std::string_view word) {
    names.emplace_back(word);
    // "a-b" is a name, or a difference.
    for (auto dash = word.find('-'); dash != std::string_view::npos; dash = word.find('-', dash + 1)) {
      names.emplace_back(word.substr(0, dash));
      names.emplace_back(word.substr(dash + 1));
    }
    if (functions_ == nullptr) return;
    if (const Value* function = functions_->find(std::string(word))) add_signals(*function, names);
  });
}

}  // namespace trammel
