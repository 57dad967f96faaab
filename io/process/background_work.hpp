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

// Threads that write files while the computation continues. Their work makes no MPI calls. They block all signals
// except those of faults.

/// Runs jobs one after the other on a thread of its own. After a job has thrown an exception, no further job runs.
class BackgroundQueue {
 public:
  /// At most `limit` jobs wait or run.
  explicit BackgroundQueue(std::size_t limit);
  BackgroundQueue(const BackgroundQueue&) = delete;
  BackgroundQueue& operator=(const BackgroundQueue&) = delete;
  /// Waits until all jobs are done.
  ~BackgroundQueue();

  /// Adds a job. Waits first while `limit` jobs wait or run.
  void add(std::function<void()> job);
  /// Waits until fewer than `limit` jobs wait or run.
  void wait_for_room();
  /// Waits until no job waits or runs.
  void wait();
  /// Whether no job waits or runs.
  bool is_idle() const;
  /// Number of jobs that ended without exception.
  std::int64_t done() const;
  /// Throws the exception of a job, if there was one, at every call.
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

  /// Runs `work` now, or once more if it is running; does not wait for it.
  void ring();

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool rung_ = false;
  std::jthread thread_;
};

}  // namespace trammel
