#pragma once

#include <exception>

namespace trammel {

/// How soon a run must stop, in the order of urgency.
enum class Stop { no, after_step, at_once };

/// Requests a run to stop. It is checked at every iterate of Newton's method. Ranks may return different values;
/// the most urgent one counts for all.
class StopRequest {
 public:
  virtual ~StopRequest() = default;
  virtual Stop asked() const = 0;
};

/// Thrown on all ranks when a run stops on request. The last accepted state remains valid.
class Stopped : public std::exception {
 public:
  /// `given_up`: the present step was not finished.
  explicit Stopped(bool given_up) : given_up_(given_up) {}
  const char* what() const noexcept override { return "the run was stopped"; }
  bool given_up() const { return given_up_; }

 private:
  bool given_up_;
};

}  // namespace trammel
