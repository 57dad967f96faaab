#include "solvers/run/cut_notes.hpp"

#include <fmt/format.h>

namespace trammel {

void CutNotes::add(double time, double half, int iterations, const std::string& why) {
  last_ = half;
  if (why == why_) {
    ++more_;
    return;
  }
  end();
  note_(fmt::format("step to t = {:g} cut to {:.3g}: after {} iterations {}", time, half, iterations, why));
  why_ = why;
}

void CutNotes::end() {
  if (more_ > 0) note_(fmt::format("  and {} times more for that reason, to {:.3g}", more_, last_));
  why_.clear();
  more_ = 0;
}

}  // namespace trammel
