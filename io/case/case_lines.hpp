#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/case/case_file.hpp"

namespace trammel {

/// A case as texts by path: "joints.hook.axis[2]" and "1". Numbers are evaluated and written in one format, so that
/// comments and names of parameters make no difference. A text that is no number is followed by the values of the
/// parameters that it names. A text that names a file has a second line, "the content of curves.wire.file", with its size and hash.
using CaseLines = std::map<std::string, std::string>;

/// The lines of a case, without `trammel`, `title`, `parameters` and `output`.
CaseLines lines_of(const CaseFile& file);

/// A hash of the lines.
std::uint64_t hash_of(const CaseLines& lines);
/// FNV-1a, 64 bits. A change of one byte always changes it.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t before = 0xCBF29CE484222325U);

/// The differences in words: "joints.hook.axis[2] = 1, was 0". Paths with `may_differ(path)` are ignored.
template <class MayDiffer>
std::vector<std::string> differences(const CaseLines& before, const CaseLines& now,
                                     const MayDiffer& may_differ) {
  std::vector<std::string> all;
  for (const auto& [path, text] : now) {
    const auto found = before.find(path);
    if ((found != before.end() && found->second == text) || may_differ(path)) continue;
    all.push_back(path + " = " + text +
                  (found == before.end() ? ", was not there" : ", was " + found->second));
  }
  for (const auto& [path, text] : before)
    if (!now.contains(path) && !may_differ(path)) all.push_back(path + " is missing, was " + text);
  return all;
}

}  // namespace trammel
