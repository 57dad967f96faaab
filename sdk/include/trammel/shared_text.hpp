#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "trammel/export.hpp"

namespace trammel {

/// A text that many objects have in common, such as the name of a type or of a file: all that are equal refer to one std::string,
/// which lives as long as the program. Made for few different texts.
class TRAMMEL_API SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text);
  SharedText(const std::string& text) : SharedText(std::string_view(text)) {}
  SharedText(const char* text) : SharedText(std::string_view(text)) {}

  const std::string& text() const { return text_ == nullptr ? nothing() : *text_; }
  operator const std::string&() const { return text(); }
  operator std::string_view() const { return text(); }
  bool empty() const { return text_ == nullptr; }

  template <class Archive>
  void serialize(Archive& archive) {
    std::string all = text();
    archive(all);
    *this = all;
  }
  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_; }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.text() == b; }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.text() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.text() == b; }
  friend std::string operator+(const SharedText& a, std::string_view b) {
    return std::string(a.text()).append(b);
  }
  friend std::string operator+(std::string_view a, const SharedText& b) {
    return std::string(a).append(b.text());
  }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) { return out << text.text(); }
  /// For fmt from version 10 on; earlier ones convert.
  friend std::string_view format_as(const SharedText& text) { return text.text(); }

 private:
  static const std::string& nothing();

  const std::string* text_ = nullptr;  ///< null: empty
};

}  // namespace trammel
