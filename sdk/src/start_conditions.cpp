#include "trammel/start_conditions.hpp"

namespace trammel {

// Here, so that plugins and solvers have one type.
StartConditions::~StartConditions() = default;

}  // namespace trammel
