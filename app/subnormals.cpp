#include "subnormals.hpp"

#if defined(__x86_64__)
#include <pmmintrin.h>
#include <xmmintrin.h>
#endif

namespace trammel {

#if defined(__x86_64__)

void flush_subnormals() {
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
}

#elif defined(__aarch64__)

void flush_subnormals() {
  constexpr unsigned long flush_to_zero = 1UL << 24;
  unsigned long control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | flush_to_zero));
}

#else

void flush_subnormals() {}

#endif

}  // namespace trammel
