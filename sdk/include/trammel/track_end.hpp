#pragma once

#include <initializer_list>
#include <string>

#include "trammel/parameters.hpp"

namespace trammel {

/// Behaviour of a slider at an end of its track.
enum class AtEnd {
  error,     ///< the run ends with a message
  stop,      ///< a compliant stop holds it
  inactive,  ///< the joint becomes inactive
};

/// The parameter `ends`, which says so.
TRAMMEL_API Parameter ends_parameter(std::string text);

/// Reads it. `stop_keys` are the parameters of the stops, the first of which (a stiffness in N/m) `ends: stop` needs: without
/// it, or with any of them otherwise, throws Error.
TRAMMEL_API AtEnd read_ends(const Parameters& in, std::initializer_list<const char*> stop_keys);

}  // namespace trammel
