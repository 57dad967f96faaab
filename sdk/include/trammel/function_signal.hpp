#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// A function of time and of other signals, in the order of `f->signals()`. Throws Error where their number is another.
TRAMMEL_API std::shared_ptr<const Signal> function_signal(FunctionPtr f,
                                                          std::vector<std::shared_ptr<const Signal>> of,
                                                          std::string unit);

}  // namespace trammel
