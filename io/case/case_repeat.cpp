#include "io/case/case_repeat.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "trammel/number_text.hpp"
#include "trammel/quoted.hpp"

namespace trammel {

namespace {

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

/// The values of an index: those listed, or all from `first` to `last`.
struct IndexRange {
  std::vector<long> listed;
  bool is_list = false;
  long first = 0, last = -1;

  long size() const { return is_list ? static_cast<long>(listed.size()) : std::max(last - first + 1, 0L); }
  long at(long i) const { return is_list ? listed[static_cast<std::size_t>(i)] : first + i; }
};

IndexRange range(const Value& value, const CaseContext& context) {
  IndexRange numbers;
  if (value.is_sequence()) {
    numbers.is_list = true;
    for (const Value& item : value.items) {
      if (!item.is_scalar()) throw Error(item.where, "expected a whole number, found " + item.described());
      numbers.listed.push_back(context.whole_number(item.text, item.where));
    }
    return numbers;
  }
  const std::size_t dots = value.is_scalar() ? value.text.find("..") : std::string::npos;
  if (dots == std::string::npos)
    throw Error(value.where,
                "expected a range such as 1..n, or a list of whole numbers; found " + value.described());
  numbers.first = context.whole_number(value.text.substr(0, dots), value.where);
  numbers.last = context.whole_number(value.text.substr(dots + 2), value.where);
  return numbers;
}

/// Whether the bounds of a range read the index `name`.
bool mentions(const Value& value, const std::string& name) {
  for (const Value& item : value.items)
    if (mentions(item, name)) return true;
  for (std::size_t at = value.text.find(name); at != std::string::npos; at = value.text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_word(value.text[at - 1])) && (end == value.text.size() || !in_word(value.text[end])))
      return true;
  }
  return false;
}

/// Counts the combinations of indices without making them.
class Grid {
 public:
  Grid(const Value& indices, CaseContext& context) : indices_(indices), context_(context) {}

  /// How many there are. Where bounds depend on other indices, the count ends once it passes `most`.
  double count(double most) {
    most_ = most;
    const double n = count_from(0);
    context_.set_indices({});
    return n;
  }

  bool is_exact() const { return exact_; }

 private:
  double count_from(std::size_t level) {
    if (level == indices_.entries.size()) return 1;
    const Value::Entry& index = indices_.entries[level];
    const IndexRange numbers = range(index.value, context_);
    bool matters = false;
    for (std::size_t later = level + 1; later < indices_.entries.size(); ++later)
      matters = matters || mentions(indices_.entries[later].value, index.key);
    double sum = 0;
    const long visited = matters ? numbers.size() : std::min(numbers.size(), 1L);
    for (long i = 0; i < visited && sum <= most_ && visits_ <= most_; ++i) {
      ++visits_;
      values_[index.key] = static_cast<double>(numbers.at(i));
      context_.set_indices(values_);
      sum += count_from(level + 1);
    }
    values_.erase(index.key);
    context_.set_indices(values_);
    exact_ = exact_ && visits_ <= most_ && (sum <= most_ || !matters);
    if (visits_ > most_) return std::max(sum, most_ + 1);
    return matters ? sum : sum * static_cast<double>(numbers.size());
  }

  const Value& indices_;
  CaseContext& context_;
  ParameterValues values_;
  double most_ = 0;
  bool exact_ = true;
  double visits_ = 0;  ///< of ranges that may all be empty
};

void check_index_name(const Value::Entry& index, const CaseContext& context) {
  bool word = !index.key.empty() && !is_digit(index.key.front());
  for (const char c : index.key) word = word && in_word(c);
  if (!word)
    throw Error(index.where, in_quotes(index.key) + " cannot be an index: expected a name of letters");
  if (index.key == "t" || index.key == "e" || index.key == "pi")
    throw Error(index.where, in_quotes(index.key) + " cannot be an index: it has a meaning in expressions");
  if (context.parameters().contains(index.key))
    throw Error(index.where, in_quotes(index.key) + " cannot be an index: a parameter has that name");
}

void repeat_from(const Value& indices, std::size_t level, ParameterValues& values, CaseContext& context,
                 const std::function<void()>& visit) {
  if (level == indices.entries.size()) {
    visit();
    return;
  }
  const Value::Entry& index = indices.entries[level];
  const IndexRange numbers = range(index.value, context);
  for (long i = 0; i < numbers.size(); ++i) {
    values[index.key] = static_cast<double>(numbers.at(i));
    context.set_indices(values);
    repeat_from(indices, level + 1, values, context, visit);
  }
  values.erase(index.key);
  context.set_indices(values);
}

std::string entry_count(double entries) {
  return entries < 1e18 ? fmt::format("{:.0f}", entries) : number_text(entries);
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
  // Takes the text between the parenthesis at `at` and its partner, and moves `at` behind the latter.
  const auto take_inner = [&] {
    const std::size_t close = closing(text, at);
    if (close == std::string::npos) throw Error(where, in_quotes(text) + ": a ')' is missing");
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

void repeat(const Value& entry, CaseContext& context, long& repeated, const std::function<void()>& visit) {
  const Value* indices = entry.find("for");
  if (indices == nullptr) {
    visit();
    return;
  }
  if (!indices->is_map() || indices->entries.empty())
    throw Error(indices->where, "'for' must be a map of indices and ranges, such as {i: 1..n}; found " +
                                    indices->described());
  for (const Value::Entry& index : indices->entries) check_index_name(index, context);
  Grid grid(*indices, context);
  const double entries = grid.count(most_repeated);
  if (entries > most_repeated)
    throw Error(indices->where,
                fmt::format("this 'for' stands for {} entries{}; a case may hold {}", entry_count(entries),
                            grid.is_exact() ? "" : " or more", most_repeated));
  repeated += static_cast<long>(entries);
  if (repeated > most_repeated)
    throw Error(
        indices->where,
        fmt::format("with the {} entries of this 'for' the case holds {} repeated ones; it may hold {}",
                    entry_count(entries), repeated, most_repeated));
  if (entries == 0) return;  // an outer range may be endless where an inner one is empty
  ParameterValues values;
  repeat_from(*indices, 0, values, context, visit);
}

}  // namespace trammel
