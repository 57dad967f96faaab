#pragma once

#include <exception>

namespace trammel {

/// How soon a run is to stop, in the order of urgency.
enum class Stop { no, after_step, at_once };

/// Tells a run whether it is to stop. It is asked at every iterate of Newton's method; ranks may answer differently, and
/// the most urgent answer counts for all of them.
class StopRequest {
 public:
  virtual ~StopRequest() = default;
  virtual Stop asked() const = 0;
};

/// Thrown on all ranks where a run stops on request. The last accepted state stands.
class Stopped : public std::exception {
 public:
  /// `given_up`: the step under way was not finished.
  explicit Stopped(bool given_up) : given_up_(given_up) {}
  const char* what() const noexcept override { return "the run was stopped"; }
  bool given_up() const { return given_up_; }

 private:
  bool given_up_;
};

}  // namespace trammel
