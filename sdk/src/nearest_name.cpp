#include "trammel/nearest_name.hpp"

#include <utility>

namespace trammel {

namespace {

constexpr std::size_t longest_whole = 300;  ///< letters of a list that is shown in full
constexpr std::size_t longest_part = 150;   ///< of what is shown of a longer one
constexpr std::size_t longest_name = 40;

/// The names up to `most` letters in all.
std::string joined(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (const std::string& name : names) {
    const std::string shown = name.size() > longest_name ? in_quotes(name) : printable(name);
    if (text.size() + shown.size() > most) return text + (text.empty() ? "..." : ", ...");
    text += (text.empty() ? "" : ", ") + shown;
  }
  return text;
}

}  // namespace

std::string list_of_names(const std::vector<std::string>& names, std::string_view wanted) {
  std::size_t size = 0;
  for (const std::string& name : names) size += name.size() + 2;
  if (size <= longest_whole) return joined(names, 2 * longest_whole);
  std::vector<std::pair<int, const std::string*>> by_distance;
  const std::string_view start = wanted.substr(0, longest_compared_name);
  for (const std::string& name : names)
    by_distance.emplace_back(
        start.empty() ? 0 : edits_between(start, std::string_view(name).substr(0, longest_compared_name)),
        &name);
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min<std::size_t>(by_distance.size(), longest_part); ++i)
    nearest.push_back(*by_distance[i].second);
  return joined(nearest, longest_part) + " (" + std::to_string(names.size()) + " in all)";
}

}  // namespace trammel
