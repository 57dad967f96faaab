#pragma once

// A deprecated name of this header, kept for one version.
#include "trammel/coordinate_element.hpp"
