#pragma once

#include <string>

#include "trammel/joint_check.hpp"

namespace trammel {

/// Result of the check of a force law at random states.
struct LawCheck {
  int states = 0;  ///< looked at so far
  JointCheck::Worst derivative, objectivity, power;
  bool has_inertia = false;
  std::string unrepeated;  ///< a number that evaluations of one state do not agree on, and where; or empty
  std::string beside_a_thread;  ///< a result that is another while a thread draws, and where; or empty
};

/// Checks an instance without constraints at the disturbed states `first`, `first + by`, ... up to `count` around `start`,
/// with rotations up to pi:
/// - all derivatives against differences;
/// - the power r . v that it takes against the rate of its energies and what it says leaves the system, where its first-order
///   states have the rates of their equations and its algebraic unknowns are solved;
/// - where its markers are `free`: after a superposed rigid motion its forces turn along, and they have no resultant (with
///   inertia: after a constant rotation and shift, and the resultant is not checked);
/// - that one state has one result.
TRAMMEL_API void check_law(const ElementRange& range, int instance, const TestState& start,
                           const std::string& between, bool free, int first, int count, int by,
                           LawCheck& into);

}  // namespace trammel
