#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace trammel {

// Threads that write files while the run goes on. What they run makes no calls to MPI. They take none of the process's signals
// but those of faults.

/// Runs jobs one after the other on a thread of its own. After a job that threw, no other one is run.
class BackgroundQueue {
 public:
  /// At most `limit` jobs wait or run.
  explicit BackgroundQueue(std::size_t limit);
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;
  /// After the jobs that were added.
  ~BackgroundQueue();

  /// Waits for room.
  void add(std::function<void()> job);
  /// Returns when fewer than `limit` jobs wait or run.
  void wait_for_room();
  /// Until no job waits or runs.
  void wait();
  /// Jobs that ended well.
  std::int64_t done() const;
  /// Throws what a job threw, every time.
  void rethrow() const;

 private:
  void work(const std::stop_token& stop);

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> jobs_;  ///< the first one runs
  std::int64_t done_ = 0;
  std::exception_ptr error_;
  std::jthread thread_;
};

/// Runs `work` every `period` on a thread of its own, until it is destroyed. `work` must not throw.
class BackgroundClock {
 public:
  BackgroundClock(std::chrono::milliseconds period, std::function<void()> work);

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
};

}  // namespace trammel
