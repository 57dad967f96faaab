#pragma once

#include "trammel/archive.hpp"

namespace trammel {

/// Whether an error falls when steps become shorter.
///
/// The error of multipliers does not where forces jump, where a stiff mode vibrates that no step resolves, or where rounding
/// prevails. Shorter steps would then not end.
class ErrorResponse {
 public:
  /// An error, as a multiple of the allowed one, above 1 in a step of size h [s] that ends at `time` [s], of a stage of the duration `span` [s]. Returns whether a
  /// shorter step may reduce it. After an answer of no, `counts` is false for a while.
  bool too_large(double time, double h, double error, double span);
  /// Whether the error counts at `time` [s].
  bool counts(double time) const { return time >= resumes_; }
  /// The motion restarted.
  void forget() { *this = {}; }

  void serialize(Archive& archive) { archive(first_time_, first_step_, first_error_, resumes_, pause_); }

 private:
  // The step from which on the error was too large.
  double first_time_ = 0, first_step_ = 0, first_error_ = 0;
  double resumes_ = -1e300;
  double pause_ = 0;  ///< the last one [s]
};

}  // namespace trammel
