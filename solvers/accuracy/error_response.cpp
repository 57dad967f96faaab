#include "solvers/accuracy/error_response.hpp"

#include <algorithm>

namespace trammel {

namespace {
// Steps shorter by this factor have an error smaller by its square, if the motion is smooth.
constexpr double clearly_shorter = 0.25;
// Within so many of the first steps the motion itself hardly changes that much.
constexpr double window = 50;
// So many of the first steps, at least this part of the stage, pass until the error counts again; this much longer if it soon is too
// large again, that is within so many pauses.
constexpr double pause = 50, least_pause = 1e-3, longer = 4, soon = 10;
}  // namespace

bool ErrorResponse::too_large(double time, double h, double error, double span) {
  if (first_step_ == 0 || h > first_step_ || time > first_time_ + window * first_step_) {
    first_time_ = time;
    first_step_ = h;
    first_error_ = error;
    return true;
  }
  const double part = h / first_step_;
  if (part > clearly_shorter || error < 0.5 * (1 + part) * first_error_) return true;
  const bool again = pause_ > 0 && time < resumes_ + soon * pause_;
  pause_ = std::max({pause * first_step_, least_pause * span, again ? longer * pause_ : 0.0});
  resumes_ = time + pause_;
  first_step_ = 0;
  return false;
}

}  // namespace trammel
