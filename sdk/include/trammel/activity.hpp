#pragma once

#include <functional>
#include <optional>
#include <string>

#include "trammel/element_range.hpp"
#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/parameters.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// When a joint is active. An inactive joint imposes no constraints, and its multipliers are zero.
struct Activity {
  FunctionPtr
      function;  ///< of time: active while it is positive; null: from the start, until one of what follows
  std::optional<double> until;   ///< [s]
  std::optional<double> force;   ///< largest force that it transmits [N]
  std::optional<double> moment;  ///< likewise [N m]
  std::string
      parameter;  ///< of the case, for messages: "active"; of instances that review it themselves "ends"
  bool by_instance = false;  ///< none of the above: the joint decides in its own review
  double length = 1;         ///< of the model [m]: a gap at activation is compared with it
  Location where;
  Reserved<4> reserved{};

  /// Whether the joint is active just after time t, an end of steps of size h.
  TRAMMEL_API bool after(double t, double h) const;
  /// The first time inside the step at which the activity changes, found to rounding. A change that is reversed between two of 16
  /// points of the step is not found.
  TRAMMEL_API std::optional<double> change(const StepInfo& step) const;
};

/// The common parameter `active` of joints.
TRAMMEL_API Parameter active_parameter();
/// Reads this parameter. Nothing if the joint is always active. `of_time` converts a function of signals to a function of time;
/// without it a function of signals is an Error.
TRAMMEL_API std::optional<Activity> read_activity(
    const Parameters& in, const std::function<FunctionPtr(FunctionPtr)>& of_time = {});

}  // namespace trammel
