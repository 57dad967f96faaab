#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/quoted.hpp"

namespace trammel {

/// Number of edits (insert, remove, replace, swap of neighbours) that turn `a` into `b`, whatever their case.
inline int edits_between(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  const std::size_t n = b.size();
  std::vector<int> before_last(n + 1), last(n + 1), row(n + 1);
  for (std::size_t j = 0; j <= n; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[n];
}

/// Names beyond this are compared with nothing: the time for two names grows with the product of their lengths.
inline constexpr std::size_t longest_compared_name = 100;

/// The name in `known` that `wanted` was most likely meant to be, or nothing where none is near: at most one
/// edit for names up to four letters, two up to eight, else a third of the letters. The first one wins a tie.
inline std::optional<std::string> nearest_name(std::string_view wanted,
                                               const std::vector<std::string>& known) {
  std::optional<std::string> best;
  int best_distance = 0;
  if (wanted.size() > longest_compared_name) return best;
  for (const std::string& name : known) {
    if (name.size() > longest_compared_name) continue;
    const auto length = static_cast<int>(std::max(wanted.size(), name.size()));
    const int edits = length <= 4 ? 1 : (length <= 8 ? 2 : length / 3);
    if (length - static_cast<int>(std::min(wanted.size(), name.size())) > edits) continue;
    const int distance = edits_between(wanted, name);
    // A name of one or two letters is not recognised in another that shares no letter with it.
    if (distance > edits || distance >= static_cast<int>(std::min(wanted.size(), name.size()))) continue;
    if (!best || distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

/// "; did you mean 'rate'?" to end a message with, or "" where no known name is near.
inline std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& known) {
  const auto name = nearest_name(wanted, known);
  return name ? "; did you mean " + in_quotes(*name) + "?" : std::string{};
}

/// The same of a key, which may have had another name.
inline std::string did_you_mean_key(std::string_view wanted, const std::vector<std::string>& known) {
  if (wanted == "release" && std::find(known.begin(), known.end(), "active") != known.end())
    return "; a joint that is released has `active: {until, force, moment}`.";
  return did_you_mean(wanted, known);
}

/// "rail, boom, rate" for messages. A list that is too long for one is cut, those nearest to `wanted` first:
/// "rate, rail, ... (214 in all)".
TRAMMEL_API std::string list_of_names(const std::vector<std::string>& names, std::string_view wanted = {});

}  // namespace trammel
