#pragma once

#include "trammel/time_function.hpp"
