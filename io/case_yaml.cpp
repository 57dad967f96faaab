#include "io/case_yaml.hpp"

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>

namespace trammel {

namespace {

/// Aliases may multiply a text; a case that grows beyond this is a mistake.
constexpr std::size_t most_values = 5'000'000;

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
    count_ += size_of(at->second);
    check_count(mark);
    put(Value(at->second), 0);
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
    bool has_key = false;
    std::string key;
    Location key_where;
    std::unordered_map<std::string, int> lines;  ///< of a map's keys
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

  void open(const YAML::Mark& mark, Value::Kind kind, YAML::anchor_t anchor) {
    if (!stack_.empty() && stack_.back().value.is_map() && !stack_.back().has_key)
      throw Error(place(mark), "a key must be a name, not a list or a map");
    Open& top = stack_.emplace_back();
    top.value.kind = kind;
    top.value.where = place(mark);
    top.anchor = anchor;
  }

  void close() {
    Open top = std::move(stack_.back());
    stack_.pop_back();
    put(std::move(top.value), top.anchor);
  }

  void put(Value value, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = value;
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& top = stack_.back();
    if (top.value.is_sequence()) {
      top.value.items.push_back(std::move(value));
      return;
    }
    if (!top.has_key) {
      if (!value.is_scalar()) throw Error(value.where, "a key must be a name, found " + value.described());
      const auto [at, added] = top.lines.emplace(value.text, value.where.line);
      if (!added)
        throw Error(value.where, "the key '" + value.text +
                                     "' stands here a second time; the first one is in line " +
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
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t count_ = 0;
};

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
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) throw Error("cannot read '" + path + "': it is a directory");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error("cannot read '" + path + "': " + std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  return read_yaml_text(text.str(), path);
}

}  // namespace trammel
