#include "solvers/methods/index1.hpp"

#include <algorithm>

namespace trammel {

Violations Index1::violations(const StepEquations&) const {
  // Equations that drift take those that follow from them along.
  constexpr double follows = 10;
  const double redundant = project_
                               ? projection_.redundant()
                               : std::max(0.0, projection_.redundant() - follows * projection_.position());
  return {projection_.position(), projection_.rate(), redundant};
}

}  // namespace trammel
