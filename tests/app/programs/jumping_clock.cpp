// Loaded before a program (LD_PRELOAD): the clock of the day jumps by a day forward and back, five times a second. Clocks without a
// date stay as they are.

#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

namespace {

using GetTime = int (*)(clockid_t, timespec*);

GetTime real_time() {
  static const auto real = reinterpret_cast<GetTime>(dlsym(RTLD_NEXT, "clock_gettime"));
  return real;
}

/// Seconds by which the clock is wrong at present.
time_t jump() {
  timespec t{};
  real_time()(CLOCK_MONOTONIC, &t);
  constexpr long day = 86'400, fifth = 200'000'000;
  switch ((5 * t.tv_sec + t.tv_nsec / fifth) % 3) {
    case 0:
      return 0;
    case 1:
      return day;
    default:
      return -day;
  }
}

}  // namespace

// In place of the C library's.
#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* t) noexcept {
  const int result = real_time()(clock, t);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) t->tv_sec += jump();
  return result;
}

int gettimeofday(timeval* __restrict t, void* __restrict) noexcept {
  timespec now{};
  real_time()(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec + jump();
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* t) noexcept {
  timespec now{};
  real_time()(CLOCK_REALTIME, &now);
  const time_t result = now.tv_sec + jump();
  if (t != nullptr) *t = result;
  return result;
}
}
#pragma GCC visibility pop
