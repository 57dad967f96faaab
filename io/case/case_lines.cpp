#include "io/case/case_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include "trammel/named_file.hpp"

namespace trammel {

namespace {

/// The identifiers of an expression.
std::set<std::string> words_of(std::string_view text) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::set<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() &&
           (is_letter(text[end]) || (end > i && std::isdigit(static_cast<unsigned char>(text[end])) != 0)))
      ++end;
    if (end > i) words.emplace(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

/// The file that a text of the case names: a curve, a surface, the shape of a body. Words without a dot and without a slash are
/// names.
std::optional<std::filesystem::path> file_named(const Value& value) {
  if (value.text.find_first_of("./") == std::string::npos) return {};
  std::filesystem::path path = path_of_named_file(value.text, value.where);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  return path;
}

/// Size and hash of a file's bytes.
std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 65536> part{};
  std::uint64_t hash = hash_of(""), size = 0;
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    const auto count = static_cast<std::size_t>(in.gcount());
    hash = hash_of(std::string_view(part.data(), count), hash);
    size += count;
  }
  return fmt::format("{} bytes with the hash {:016x}", size, hash);
}

class LinesOf {
 public:
  LinesOf(const CaseContext& context, CaseLines& lines) : context_(context), lines_(lines) {
    for (const auto& [name, value] : context.parameters()) parameters_[name] = value;
  }

  void add(const std::string& path, const Value& value) {
    switch (value.kind) {
      case Value::Kind::null:
        lines_[path] = "nothing";
        break;
      case Value::Kind::scalar:
        add_scalar(path, value);
        break;
      case Value::Kind::sequence:
        for (std::size_t i = 0; i < value.items.size(); ++i)
          add(fmt::format("{}[{}]", path, i), value.items[i]);
        break;
      case Value::Kind::map:
        if (value.entries.empty()) lines_[path] = "{}";
        for (const Value::Entry& entry : value.entries) add(path + "." + entry.key, entry.value);
        break;
    }
  }

 private:
  void add_scalar(const std::string& path, const Value& value) {
    try {
      lines_[path] = fmt::format("{}", context_.number(value));
      return;
    } catch (const std::exception&) {  // a text
    }
    std::string text = value.text;
    for (const std::string& word : words_of(value.text))
      if (const auto found = parameters_.find(word); found != parameters_.end())
        text += fmt::format(", {} = {}", word, found->second);
    lines_[path] = text;
    if (const auto file = file_named(value)) lines_["the content of " + path] = content_of(*file);
  }

  const CaseContext& context_;
  CaseLines& lines_;
  std::map<std::string, double> parameters_;
};

}  // namespace

CaseLines lines_of(const CaseFile& file) {
  CaseLines lines;
  LinesOf writer(file.context(), lines);
  for (const Value::Entry& entry : file.root().entries)
    if (entry.key != "trammel" && entry.key != "title" && entry.key != "parameters" &&
        entry.key != "output" && entry.key != "plugins")
      writer.add(entry.key, entry.value);
  return lines;
}

std::uint64_t hash_of(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

std::uint64_t hash_of(const CaseLines& lines) {
  std::uint64_t hash = hash_of("");
  for (const auto& [path, text] : lines) {
    hash = hash_of(path, hash);
    hash = hash_of("=", hash);
    hash = hash_of(text, hash);
    hash = hash_of("\n", hash);
  }
  return hash;
}

}  // namespace trammel
