#include "io/case/case_yaml.hpp"

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>

#include "trammel/quoted.hpp"

namespace trammel {

namespace {

/// Aliases may multiply a text; a case that grows beyond this is a mistake.
constexpr std::size_t most_values = 5'000'000;
/// Values are read and copied by functions that call themselves.
constexpr int deepest_nesting = 100;
/// The key that puts the entries of other maps into this one.
constexpr const char* merge_key = "<<";

/// Builds the tree from the parser's events.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Value value;
    value.where = place(mark);
    put(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto at = anchors_.find(anchor);
    if (at == anchors_.end()) throw Error(place(mark), "this alias stands inside of what it names");
    const Anchored& named = at->second;
    count_ += named.size;
    check_count(mark);
    check_depth(mark, named.depth);
    put(Value(named.value), 0, named.depth);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = text;
    value.where = place(mark);
    ++count_;
    check_count(mark);
    put(std::move(value), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, Value::Kind::sequence, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, Value::Kind::map, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map that is not complete yet.
  struct Open {
    Value value;
    YAML::anchor_t anchor = 0;
    int depth = 1;  ///< levels of what it holds
    bool has_key = false;
    std::string key;
    Location key_where;
    std::unordered_map<std::string, int> lines;  ///< of a map's keys
  };

  struct Anchored {
    Value value;
    std::size_t size = 0;  ///< values in it
    int depth = 0;
  };

  Location place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  static std::size_t size_of(const Value& value) {
    std::size_t n = 1;
    for (const Value& item : value.items) n += size_of(item);
    for (const Value::Entry& entry : value.entries) n += size_of(entry.value);
    return n;
  }
  void check_count(const YAML::Mark& mark) const {
    if (count_ > most_values)
      throw Error(place(mark), "the case holds more than " + std::to_string(most_values) + " values");
  }

  /// Throws Error if a value that is itself `depth` levels deep nests too deeply here.
  void check_depth(const YAML::Mark& mark, int depth) const {
    if (static_cast<int>(stack_.size()) + depth > deepest_nesting)
      throw Error(place(mark),
                  fmt::format("lists and maps are nested deeper than {} levels", deepest_nesting));
  }

  void open(const YAML::Mark& mark, Value::Kind kind, YAML::anchor_t anchor) {
    check_depth(mark, 1);
    if (!stack_.empty() && stack_.back().value.is_map() && !stack_.back().has_key)
      throw Error(place(mark), "a key must be a name, not a list or a map (or a bracket is not closed)");
    Open& top = stack_.emplace_back();
    top.value.kind = kind;
    top.value.where = place(mark);
    top.anchor = anchor;
  }

  void close() {
    Open top = std::move(stack_.back());
    stack_.pop_back();
    if (top.lines.contains(merge_key)) merge(top.value);
    put(std::move(top.value), top.anchor, top.depth);
  }

  /// Replaces the entry "<<" of a map by the entries of the maps that it names. The map's own keys come first, then
  /// those of earlier maps.
  void merge(Value& map) {
    std::vector<Value::Entry> own = std::move(map.entries);
    map.entries.clear();
    std::unordered_map<std::string, int> taken;
    for (const Value::Entry& entry : own) taken.emplace(entry.key, entry.where.line);
    const auto take_from = [&](Value& other, const Value::Entry& entry) {
      if (!other.is_map())
        throw Error(entry.where, "'<<' takes a map or a list of maps, found " + other.described());
      for (Value::Entry& one : other.entries)
        if (taken.emplace(one.key, one.where.line).second) map.entries.push_back(std::move(one));
    };
    for (Value::Entry& entry : own) {
      if (entry.key != merge_key) {
        map.entries.push_back(std::move(entry));
      } else if (entry.value.is_sequence()) {
        for (Value& other : entry.value.items) take_from(other, entry);
      } else {
        take_from(entry.value, entry);
      }
    }
  }

  /// Puts a value that is `depth` levels deep into the list or map that is open.
  void put(Value value, YAML::anchor_t anchor, int depth = 0) {
    if (anchor != 0) anchors_[anchor] = {value, size_of(value), depth};
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& top = stack_.back();
    top.depth = std::max(top.depth, depth + 1);
    if (top.value.is_sequence()) {
      top.value.items.push_back(std::move(value));
      return;
    }
    if (!top.has_key) {
      if (!value.is_scalar()) throw Error(value.where, "a key must be a name, found " + value.described());
      const auto [at, added] = top.lines.emplace(value.text, value.where.line);
      if (!added)
        throw Error(value.where, "the key " + in_quotes(value.text) +
                                     " stands here a second time; the first one is in line " +
                                     std::to_string(at->second));
      top.has_key = true;
      top.key = std::move(value.text);
      top.key_where = std::move(value.where);
      return;
    }
    top.has_key = false;
    top.value.entries.push_back({std::move(top.key), std::move(top.key_where), std::move(value)});
  }

  const std::string& file_;
  Value root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t count_ = 0;
};

/// Refuses what no text holds, before a parser stumbles on it: control characters, and bytes that are not UTF-8.
void check_characters(std::string_view text, const std::string& file) {
  // The parser reads UTF-16 and UTF-32 where the file begins with their mark.
  if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE") ||
      text.starts_with(std::string_view("\0\0\xFE\xFF", 4)))
    return;
  int line = 1, column = 1;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t size = utf8_size(text, at);
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
    if (size == 0 || control)
      throw Error(Location{file, line, column},
                  byte == 0 ? "the file holds a NUL byte here: is it a text?"
                            : fmt::format("the byte 0x{:02x} here is {}: is the file a text?", byte,
                                          size == 0 ? "not UTF-8" : "a control character"));
    at += size;
    ++column;
    if (byte == '\n') {
      ++line;
      column = 1;
    }
  }
}

/// The parser's words, with a remedy where people often go wrong.
std::string explained(const std::string& message) {
  std::string text = "this is not valid YAML: " + message;
  if (message.find("end of map flow") != std::string::npos)
    text += " (a comma, ':' or '}' is missing here or before, or a text with one of ,:[]{} needs quotes)";
  if (message.find("end of sequence flow") != std::string::npos)
    text += " (a comma or ']' is missing here or before, or a text with one of ,:[]{} needs quotes)";
  if (message.find("end of map not found") != std::string::npos ||
      message.find("illegal map value") != std::string::npos)
    text += " (check the indentation and the colons)";
  return text;
}

}  // namespace

Value read_yaml_text(std::string_view text, const std::string& file) {
  check_characters(text, file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder tree(file);
    if (!parser.HandleNextDocument(tree)) throw Error(Location{file, 1, 1}, "the file holds nothing");
    Value value = tree.take();
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second))
      throw Error(second.take().where, "a second document begins here; a case is one document");
    return value;
  } catch (const YAML::Exception& error) {
    const YAML::Mark& mark = error.mark;
    const Location where{file, mark.line < 0 ? 0 : mark.line + 1, mark.column + 1};
    throw Error(where, explained(error.msg));
  }
}

Value read_yaml_file(const std::string& path) {
  // Opening a pipe waits for its writer, and reading a device may never end.
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (std::filesystem::is_directory(status))
    throw Error("cannot read " + in_quotes(path) + ": it is a directory");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error("cannot read " + in_quotes(path) +
                ": it is no regular file (every rank reads the case, so it cannot come through a pipe)");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error("cannot read " + in_quotes(path) + ": " + std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  return read_yaml_text(text.str(), path);
}

}  // namespace trammel
