#include "flow_text.hpp"

#include <string>

namespace trammel {

namespace {

class FlowParser {
 public:
  explicit FlowParser(std::string_view text) : text_(text) {}

  Value whole() {
    Value value = item("");
    if (at_ != text_.size()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error("the default '" + std::string(text_) + "' of a parameter cannot be read");
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  /// A scalar ends at one of `ends` outside of parentheses.
  std::string scalar(std::string_view ends) {
    const std::size_t first = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && ends.find(c) != std::string_view::npos) break;
      if (c == '(') ++depth;
      if (c == ')') --depth;
    }
    std::size_t last = at_;
    while (last > first && text_[last - 1] == ' ') --last;
    return std::string(text_.substr(first, last - first));
  }

  Value item(std::string_view ends) {
    Value value;
    if (take('[')) {
      value.kind = Value::Kind::sequence;
      if (take(']')) return value;
      do value.items.push_back(item(",]"));
      while (take(','));
      if (!take(']')) fail();
    } else if (take('{')) {
      value.kind = Value::Kind::map;
      if (take('}')) return value;
      do {
        std::string key = scalar(":");
        if (!take(':')) fail();
        value.entries.push_back({std::move(key), {}, item(",}")});
      } while (take(','));
      if (!take('}')) fail();
    } else {
      skip_blanks();
      value.kind = Value::Kind::scalar;
      value.text = scalar(ends);
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Value parse_flow_text(std::string_view text) { return FlowParser(text).whole(); }

}  // namespace trammel
