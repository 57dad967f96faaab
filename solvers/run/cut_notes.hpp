#pragma once

#include <functional>
#include <string>
#include <utility>

namespace trammel {

/// Lines for the log about halved steps. If more steps are halved for the same reason, only their number is logged.
class CutNotes {
 public:
  using Note = std::function<void(const std::string&)>;
  explicit CutNotes(Note note) : note_(std::move(note)) {}

  /// The step to `time` was cut to `half` after so many iterations.
  void add(double time, double half, int iterations, const std::string& why);
  /// No more follow for now.
  void end();

 private:
  Note note_;
  std::string why_;  ///< last noted
  int more_ = 0;     ///< not noted, for that reason
  double last_ = 0;  ///< size of the last halved step [s]
};

}  // namespace trammel
