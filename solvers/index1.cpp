#include "solvers/index1.hpp"

#include <algorithm>

namespace trammel {

Violations Index1::violations(const StepEquations&) const {
  // Equations that drift take those that follow from them along.
  constexpr double follows = 10;
  const double left_out = project_ ? projection_.left_out()
                                   : std::max(0.0, projection_.left_out() - follows * projection_.position());
  return {projection_.position(), projection_.rate(), left_out};
}

}  // namespace trammel
