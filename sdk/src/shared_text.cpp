#include "trammel/shared_text.hpp"

#include <mutex>
#include <unordered_set>

namespace trammel {

SharedText::SharedText(std::string_view text) {
  if (text.empty()) return;
  // Never destroyed: objects of other libraries may refer to the texts until the end.
  static std::mutex& guard = *new std::mutex;
  static std::unordered_set<std::string>& all = *new std::unordered_set<std::string>;
  thread_local const std::string* last = nullptr;
  if (last == nullptr || *last != text) {
    const std::lock_guard lock(guard);
    last = &*all.emplace(text).first;
  }
  text_ = last;
}

const std::string& SharedText::nothing() {
  static const std::string none;
  return none;
}

}  // namespace trammel
