#include "stop_signals.hpp"

#include <signal.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace trammel {

namespace {

constexpr std::array<int, 2> signals{SIGTERM, SIGINT};
constexpr std::int64_t millisecond = 1'000'000;
// The step under way may take this long.
constexpr std::int64_t patience = 500 * millisecond;
// A signal may arrive twice: `timeout` sends it to the process and to its group; a batch system sends SIGTERM to the steps of a
// job and to its script, which passes it on. The second arrival within this time is ignored; a later Ctrl-C counts as a second
// one.
constexpr std::int64_t same_interrupt = 200 * millisecond, same_term = 30'000 * millisecond;

std::atomic<int> checkpoints{0};
std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_time{0};  // [ns]
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);
std::array<struct sigaction, signals.size()> before;
struct sigaction before_checkpoints;

void count_checkpoint(int) { ++checkpoints; }

std::int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1000 * millisecond + t.tv_nsec;
}

void handle(int signal) {
  if (first_signal == 0) {
    first_time = now();
    first_signal = signal;
  } else if (now() - first_time > (signal == SIGTERM ? same_term : same_interrupt)) {
    ::signal(signal, SIG_DFL);
    raise(signal);  // delivered when this handler returns
  }
}

struct sigaction calling(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return action;
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  const struct sigaction action = calling(handle);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before[i]);
    // A shell starts background processes with SIGINT ignored; this is kept.
    if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
}

Stop StopSignals::asked() const {
  if (first_signal == 0) return Stop::no;
  return now() - first_time > patience ? Stop::at_once : Stop::after_step;
}

int StopSignals::received() { return first_signal; }

CheckpointSignal::CheckpointSignal() {
  checkpoints = 0;
  const struct sigaction action = calling(count_checkpoint);
  sigaction(SIGUSR1, &action, &before_checkpoints);
}

CheckpointSignal::~CheckpointSignal() { sigaction(SIGUSR1, &before_checkpoints, nullptr); }

int CheckpointSignal::asked() { return checkpoints; }

std::string signal_name(int signal) { return std::string("SIG") + sigabbrev_np(signal); }

}  // namespace trammel
