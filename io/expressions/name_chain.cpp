#include "io/expressions/name_chain.hpp"

#include "trammel/quoted.hpp"

namespace trammel {

std::string name_chain(const std::vector<std::string>& names) {
  constexpr std::size_t shown_first = 4, shown_last = 2;
  const std::size_t n = names.size();
  if (n == 0) return {};
  const bool cut = n > shown_first + shown_last + 1;
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    if (cut && i == shown_first) {
      text += " -> ...";
      i = n - shown_last;
    }
    text += i == 0 ? "" : " -> ";
    text += names[i].size() > 40 ? in_quotes(names[i]) : printable(names[i]);
  }
  const std::size_t distinct = names.front() == names.back() ? n - 1 : n;  // a cycle ends where it begins
  return cut ? text + " (" + std::to_string(distinct) + " names)" : text;
}

}  // namespace trammel
