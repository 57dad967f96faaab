#pragma once

#include <memory>
#include <vector>

#include "axis.hpp"
#include "trammel/parameters.hpp"

namespace trammel::beam {

/// How the axis of a beam is given, for the check of the input and for the manual.
std::vector<Parameter> axis_parameters();

/// Reads the axis. Throws Error at its place where it is given not at all, twice, or badly.
std::unique_ptr<Axis> read_axis(const Parameters& in);

}  // namespace trammel::beam
