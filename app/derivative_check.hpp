#pragma once

#include <string>
#include <vector>

#include "io/case/case_file.hpp"
#include "kernel/model.hpp"
#include "solvers/newton/stages.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// Largest error of an entry, relative to its block, that `trammel check --derivatives` lets pass.
inline constexpr double derivative_bound = 1e-6;

/// Result of the comparison of a model's derivatives with differences.
struct DerivativeCheck {
  int instances = 0;
  double error = 0;  ///< the worst, relative to the largest entry of its block
  /// Instance and entry: "joint 'B' (revolute), K: residual of 'B.angle' by ...".
  std::string where = "none";
  /// The first instance that gave two results at one state, and the number that differs. Empty if there is none.
  std::string unrepeated;
  /// The first instance whose derivatives jump at the model's start, and where: they are held beside it. Empty if there is
  /// none.
  std::string not_smooth;
  double together = 0;         ///< largest difference that neighbours make, relative to the block's size
  std::string together_where;  ///< instance and term: "body 'rod' (beam), residual of ..."
};

/// Holds all derivatives of all instances against differences at the model's start: once as it is, with random
/// multipliers and accelerations, and once with random velocities besides. An instance that is off is looked at again
/// with smaller steps, so that what is stiff or short is not blamed for the differences' own error, and a little beside the
/// start, which may lie on a knot of a curve. Both states are evaluated
/// again after each other. At the second one the elements of one class are also evaluated in one call, as in a run.
DerivativeCheck check_all_derivatives(const Model& model);

/// The same at the state that a run of the stages on this process alone has at time `at` [s], with the histories that the
/// instances have there. Throws Error where the run fails, or ends before.
DerivativeCheck check_all_derivatives_at(double at, CaseFile& file, const Registry& registry,
                                         const std::vector<Stage>& stages);

}  // namespace trammel
