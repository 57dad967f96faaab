#include "solvers/error_response.hpp"

#include <cmath>

namespace trammel {

namespace {
// Steps shorter by this factor have an error smaller by its square, if the motion is smooth.
constexpr double clearly_shorter = 0.25;
// Within so many of the first steps the motion itself hardly changes that much.
constexpr double window = 50;
// So many of the first steps pass until the error counts again, and this much longer each time.
constexpr double pause = 50, longer = 4;
}  // namespace

bool ErrorResponse::too_large(double time, double h, double error) {
  if (first_step_ == 0 || h > first_step_ || time > first_time_ + window * first_step_) {
    first_time_ = time;
    first_step_ = h;
    first_error_ = error;
    return true;
  }
  const double part = h / first_step_;
  if (part > clearly_shorter || error < 0.5 * (1 + part) * first_error_) return true;
  resumes_ = time + pause * std::pow(longer, pauses_++) * first_step_;
  first_step_ = 0;
  return false;
}

}  // namespace trammel
