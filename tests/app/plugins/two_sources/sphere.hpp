#pragma once

#include "trammel/registry.hpp"

namespace two_sources {

trammel::Type sphere_type();

}  // namespace two_sources
