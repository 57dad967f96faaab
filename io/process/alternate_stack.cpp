#include "io/process/alternate_stack.hpp"

#include <csignal>

#include "io/process/address_sanitizer.hpp"

namespace trammel {

AlternateStack::AlternateStack() {
#if !TRAMMEL_ADDRESS_SANITIZER
  memory_ = std::make_unique<char[]>(size);
#endif
}

void AlternateStack::use() {
#if !TRAMMEL_ADDRESS_SANITIZER
  stack_t own{};
  own.ss_sp = memory_.get();
  own.ss_size = size;
  used_ = sigaltstack(&own, nullptr) == 0;
#endif
}

AlternateStack::~AlternateStack() {
#if !TRAMMEL_ADDRESS_SANITIZER
  if (!used_) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
#endif
}

}  // namespace trammel
