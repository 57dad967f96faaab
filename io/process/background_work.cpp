#include "io/process/background_work.hpp"

#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "io/process/alternate_stack.hpp"
#include "trammel/error.hpp"

namespace trammel {

namespace {

/// Signals ask the run to stop, and are for the thread that steps. Faults are reported on any thread.
template <class Work>
std::jthread thread_without_signals(Work work) {
  // An exception on the thread would end the process: what it needs is there before it starts.
  auto stack = std::make_unique<AlternateStack>();
  sigset_t all, before;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread;
  std::string failure;
  try {
    thread =
        std::jthread([work = std::move(work), stack = std::move(stack)](const std::stop_token& stop) mutable {
          stack->use();
          work(stop);
          stack.reset();
        });
  } catch (const std::exception& error) {
    failure = error.what();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!failure.empty())
    throw Error(
        "out of memory, or above the limit on threads: the thread that writes results was not started: " +
        failure);
  return thread;
}

}  // namespace

BackgroundQueue::BackgroundQueue(std::size_t limit) : limit_(limit) {
  thread_ = thread_without_signals([this](const std::stop_token& stop) { work(stop); });
}

BackgroundQueue::~BackgroundQueue() { wait(); }

void BackgroundQueue::add(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.size() < limit_; });
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

void BackgroundQueue::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.size() < limit_; });
}

void BackgroundQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty(); });
}

bool BackgroundQueue::is_idle() const {
  const std::scoped_lock lock(mutex_);
  return jobs_.empty();
}

std::int64_t BackgroundQueue::done() const {
  const std::scoped_lock lock(mutex_);
  return done_;
}

void BackgroundQueue::rethrow() const {
  std::exception_ptr error;
  {
    const std::scoped_lock lock(mutex_);
    error = error_;
  }
  if (error) std::rethrow_exception(error);
}

void BackgroundQueue::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) {
    std::exception_ptr error = error_;
    if (!error) {
      const std::function<void()>& job = jobs_.front();
      lock.unlock();
      try {
        job();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
    }
    error_ = error;
    done_ += error ? 0 : 1;
    jobs_.pop_front();
    changed_.notify_all();
  }
}

BackgroundClock::BackgroundClock(std::chrono::milliseconds period, std::function<void()> work) {
  thread_ = thread_without_signals([this, period, work = std::move(work)](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait_for(lock, stop, period, [this] { return rung_; });
      if (stop.stop_requested()) return;
      rung_ = false;
      lock.unlock();
      work();
      lock.lock();
    }
  });
}

void BackgroundClock::ring() {
  const std::scoped_lock lock(mutex_);
  rung_ = true;
  changed_.notify_all();
}

}  // namespace trammel
