// Jobs and clocks on threads of their own.

#include "io/process/background_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <future>
#include <stdexcept>
#include <vector>

#include "io/process/address_sanitizer.hpp"

namespace trammel {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(BackgroundQueue, runs_jobs_in_their_order_on_another_thread) {
  std::vector<int> order;
  std::thread::id thread;
  BackgroundQueue queue(2);
  for (int i = 0; i < 5; ++i)
    queue.add([&order, &thread, i] {
      order.push_back(i);
      thread = std::this_thread::get_id();
    });
  queue.wait();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(queue.done(), 5);
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_NO_THROW(queue.rethrow());
}

TEST(BackgroundQueue, waits_in_add_while_two_jobs_are_pending) {
  BackgroundQueue queue(2);
  std::promise<void> go;
  queue.add([gate = go.get_future().share()] { gate.wait(); });
  queue.add([] {});
  std::atomic<bool> added = false;
  std::jthread third([&] {
    queue.add([] {});
    added = true;
  });
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(added);
  EXPECT_EQ(queue.done(), 0);
  go.set_value();
  third.join();
  queue.wait();
  EXPECT_EQ(queue.done(), 3);
}

/// Makes a queue where `room` bytes of address space are left, and no memory that is free. Ends the process with 0 if it
/// was made, or threw.
[[noreturn]] void make_queue_within(std::size_t room) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  for (std::size_t size = 1 << 16; size >= 1024; size /= 2)
    while (const void* block = std::malloc(size)) static_cast<void>(block);
  limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;
  setrlimit(RLIMIT_AS, &limit);
  try {
    BackgroundQueue queue(2);
  } catch (const std::exception&) {
    std::_Exit(0);
  }
  std::_Exit(0);
}

TEST(BackgroundQueue, needs_no_memory_on_its_own_thread) {
  if (TRAMMEL_ADDRESS_SANITIZER) GTEST_SKIP() << "the sanitizer needs address space of its own";
  pthread_attr_t defaults;
  ASSERT_EQ(pthread_getattr_default_np(&defaults), 0);
  std::size_t stack = 0;
  pthread_attr_getstacksize(&defaults, &stack);
  for (std::size_t more = 0; more <= 1 << 18; more += 1 << 13) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) make_queue_within(stack + more);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << more;
  }
}

TEST(BackgroundQueue, runs_no_job_after_an_error) {
  int later = 0;
  BackgroundQueue queue(2);
  queue.add([] {});
  queue.add([] { throw std::runtime_error("no space"); });
  queue.add([&] { ++later; });
  queue.wait();
  EXPECT_EQ(later, 0);
  EXPECT_EQ(queue.done(), 1);
  for (int i = 0; i < 2; ++i) EXPECT_THROW(queue.rethrow(), std::runtime_error);
}

TEST(BackgroundQueue, waits_for_its_jobs_when_it_ends) {
  int ran = 0;
  {
    BackgroundQueue queue(4);
    for (int i = 0; i < 3; ++i)
      queue.add([&] {
        std::this_thread::sleep_for(5ms);
        ++ran;
      });
  }
  EXPECT_EQ(ran, 3);
}

TEST(BackgroundQueue, blocks_signals_that_ask_to_stop_in_its_thread) {
  BackgroundQueue queue(1);
  sigset_t mask;
  queue.add([&] { pthread_sigmask(SIG_BLOCK, nullptr, &mask); });
  queue.wait();
  EXPECT_EQ(sigismember(&mask, SIGTERM), 1);
  EXPECT_EQ(sigismember(&mask, SIGINT), 1);
  EXPECT_EQ(sigismember(&mask, SIGSEGV), 0);
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
}

TEST(BackgroundClock, calls_every_period_until_it_ends) {
  std::atomic<int> calls = 0;
  {
    const BackgroundClock clock(5ms, [&] { ++calls; });
    for (int i = 0; i < 1000 && calls < 3; ++i) std::this_thread::sleep_for(5ms);
  }
  const int at_the_end = calls;
  EXPECT_GE(at_the_end, 3);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(calls, at_the_end);
}

TEST(BackgroundClock, calls_at_once_when_it_is_rung) {
  std::atomic<int> calls = 0;
  BackgroundClock clock(10min, [&] { ++calls; });
  for (int rings = 1; rings <= 3; ++rings) {
    clock.ring();
    while (calls < rings) std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(calls, 3);
}

TEST(BackgroundClock, ends_at_once_within_a_long_period) {
  const auto begin = std::chrono::steady_clock::now();
  {
    const BackgroundClock clock(10min, [] {});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

}  // namespace
}  // namespace trammel
