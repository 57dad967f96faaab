#pragma once

#include <algorithm>
#include <chrono>

#include "solvers/newton/stop_request.hpp"
#include "solvers/run/monitor.hpp"

namespace trammel {

/// Asks a run to stop in time before a limit of wall time, or as another request does. For the step under way, the checkpoint and
/// the end of the run it keeps half a second and three times what the longest step so far took, with its output and checkpoint.
class TimeLimit final : public StopRequest, public Monitor {
 public:
  using Clock = std::chrono::steady_clock;  // of no date, so nobody can set it

  /// `limit` [s] from `begin` on; 0: none. `other` must outlive it.
  TimeLimit(const StopRequest& other, Clock::time_point begin, double limit)
      : other_(other), begin_(begin), limit_(limit) {}

  Stop asked() const override {
    const Stop other = other_.asked();
    if (!(limit_ > 0) || other == Stop::at_once) return other;
    const double left = limit_ - seconds(Clock::now() - begin_), kept = 0.5 + 3 * longest_;
    if (left < 0.5 * kept) return Stop::at_once;
    return left < kept ? Stop::after_step : other;
  }
  /// Whether it leaves so much time [s].
  bool leaves(double needed) const {
    return !(limit_ > 0) || seconds(Clock::now() - begin_) + needed <= limit_;
  }
  void accepted(const StepReport&, const State&) override {
    const Clock::time_point now = Clock::now();
    if (stepped_) longest_ = std::max(longest_, seconds(now - last_));
    last_ = now;
    stepped_ = true;
  }

 private:
  static double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

  const StopRequest& other_;
  Clock::time_point begin_, last_;
  double limit_, longest_ = 0;  // [s]
  bool stepped_ = false;
};

}  // namespace trammel
