#pragma once

#include <functional>
#include <optional>
#include <string>

#include "trammel/element.hpp"
#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/parameters.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// When a joint is active: its rows hold then, and its multipliers are zero at all other times.
struct Activity {
  FunctionPtr
      function;  ///< of time: active while it is positive; null: from the start, until one of what follows
  std::optional<double> until;   ///< [s]
  std::optional<double> force;   ///< that it transmits at most [N]
  std::optional<double> moment;  ///< likewise [N m]
  std::string
      parameter;  ///< of the case, for messages: "active"; of instances that review it themselves "ends"
  bool by_instance = false;  ///< nothing of the above: instances ask for it in their reviews
  double length = 1;         ///< of the model [m]: what a gap is small against where it becomes active
  Location where;
  Reserved<4> reserved{};

  /// Just after a time at which steps of size h end and begin.
  TRAMMEL_API bool after(double t, double h) const;
  /// The first time inside the step at which it differs from that at the begin; each side of it is found to rounding.
  /// Changes and changes back between two of 16 points of the step are not seen.
  TRAMMEL_API std::optional<double> change(const StepInfo& step) const;
};

/// The common parameter `active` of joints.
TRAMMEL_API Parameter active_parameter();
/// Reads it: nothing where the joint is always active. `of_time` turns a function of signals into one of time; without it
/// such a function is an Error.
TRAMMEL_API std::optional<Activity> read_activity(
    const Parameters& in, const std::function<FunctionPtr(FunctionPtr)>& of_time = {});

}  // namespace trammel
