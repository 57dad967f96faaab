#include "io/case_repeat.hpp"

#include <array>
#include <charconv>

namespace trammel {

namespace {

constexpr long most_instances = 100'000'000;

bool in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the parenthesis at `open` is closed, or npos.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string::npos;
}

std::string shortest(double x) {
  std::array<char, 32> digits{};
  const auto [end, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), x);
  return {digits.data(), end};
}

std::vector<long> range(const Value& value, const CaseContext& context) {
  std::vector<long> numbers;
  if (value.is_sequence()) {
    for (const Value& item : value.items) {
      if (!item.is_scalar()) throw Error(item.where, "expected a whole number, found " + item.described());
      numbers.push_back(context.whole_number(item.text, item.where));
    }
    return numbers;
  }
  const std::size_t dots = value.is_scalar() ? value.text.find("..") : std::string::npos;
  if (dots == std::string::npos)
    throw Error(value.where,
                "expected a range such as 1..n, or a list of whole numbers; found " + value.described());
  const long first = context.whole_number(value.text.substr(0, dots), value.where);
  const long last = context.whole_number(value.text.substr(dots + 2), value.where);
  if (last - first >= most_instances)
    throw Error(value.where, "the range '" + value.text + "' holds more than " +
                                 std::to_string(most_instances) + " numbers");
  for (long i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

void check_index_name(const Value::Entry& index, const CaseContext& context) {
  bool word = !index.key.empty() && !is_digit(index.key.front());
  for (const char c : index.key) word = word && in_word(c);
  if (!word) throw Error(index.where, "'" + index.key + "' cannot be an index: expected a name of letters");
  if (index.key == "t" || index.key == "e" || index.key == "pi")
    throw Error(index.where, "'" + index.key + "' cannot be an index: it has a meaning in expressions");
  if (context.parameters().contains(index.key))
    throw Error(index.where, "'" + index.key + "' cannot be an index: a parameter has that name");
}

void repeat_from(const Value& indices, std::size_t level, ParameterValues& values, CaseContext& context,
                 const std::function<void()>& visit) {
  if (level == indices.entries.size()) {
    visit();
    return;
  }
  const Value::Entry& index = indices.entries[level];
  for (const long i : range(index.value, context)) {
    values[index.key] = static_cast<double>(i);
    context.set_indices(values);
    repeat_from(indices, level + 1, values, context, visit);
  }
  values.erase(index.key);
  context.set_indices(values);
}

}  // namespace

std::string with_indices(const std::string& text, const CaseContext& context, const Location& where) {
  if (text.find('(') == std::string::npos || text.find('.') == std::string::npos) return text;
  std::string out;
  std::size_t at = 0;
  const auto next_is = [&](char c) { return at < text.size() && text[at] == c; };
  const auto copy_word = [&] {
    while (at < text.size() && in_word(text[at])) out += text[at++];
  };
  // What stands between the parenthesis at `at` and its partner, behind which `at` is put.
  const auto take_inner = [&] {
    const std::size_t close = closing(text, at);
    if (close == std::string::npos) throw Error(where, "'" + text + "': a ')' is missing");
    std::string inner = text.substr(at + 1, close - at - 1);
    at = close + 1;
    return inner;
  };
  while (at < text.size()) {
    const char c = text[at];
    if (!in_word(c)) {
      out += c;
      ++at;
      continue;
    }
    if (is_digit(c)) {  // a number: "2.(...)" is not a name
      while (at < text.size() && (in_word(text[at]) || text[at] == '.')) out += text[at++];
      continue;
    }
    copy_word();
    while (next_is('.')) {
      out += '.';
      ++at;
      if (next_is('(')) {
        out += std::to_string(context.whole_number(take_inner(), where));
        continue;
      }
      copy_word();
      if (next_is('(')) out += "(" + shortest(context.evaluate(take_inner(), where)) + ")";
    }
  }
  return out;
}

void put_indices_in(Value& value, const CaseContext& context) {
  if (value.is_scalar()) {
    value.text = with_indices(value.text, context, value.where);
    return;
  }
  for (Value& item : value.items) put_indices_in(item, context);
  for (Value::Entry& entry : value.entries) {
    entry.key = with_indices(entry.key, context, entry.where);
    put_indices_in(entry.value, context);
  }
}

void repeat(const Value& entry, CaseContext& context, const std::function<void()>& visit) {
  const Value* indices = entry.find("for");
  if (indices == nullptr) {
    visit();
    return;
  }
  if (!indices->is_map() || indices->entries.empty())
    throw Error(indices->where, "'for' must be a map of indices and ranges, such as {i: 1..n}; found " +
                                    indices->described());
  for (const Value::Entry& index : indices->entries) check_index_name(index, context);
  ParameterValues values;
  repeat_from(*indices, 0, values, context, visit);
}

}  // namespace trammel
