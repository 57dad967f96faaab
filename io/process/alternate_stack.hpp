#pragma once

#include <cstddef>
#include <memory>

namespace trammel {

/// A stack for the handlers of faults on this thread, because endless recursion in a plugin uses up the normal one. With the address
/// sanitizer, which has a stack of its own, it does nothing.
class AlternateStack {
 public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

  /// Handlers of this thread use it from now on, until it is destroyed, on the same thread. Takes no memory.
  void use();

 private:
  static constexpr std::size_t size = std::size_t{64} * 1024;
  std::unique_ptr<char[]> memory_;
  [[maybe_unused]] bool used_ = false;
};

}  // namespace trammel
