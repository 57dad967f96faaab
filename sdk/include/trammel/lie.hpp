#pragma once

/// SO(3) and SE(3): exponential, logarithm, right (body-frame) tangent operators and their derivatives.
#include "trammel/lie/se3.hpp"
#include "trammel/lie/so3.hpp"
