#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "trammel/export.hpp"
#include "trammel/friction_force.hpp"
#include "trammel/row_status.hpp"

/// Decisions of the laws of unilateral rows and of friction after a converged step. These functions depend on
/// numbers only, not on a model.
///
/// With r = inertia + internal - applied + B^T lambda the force on the bodies is -B^T lambda. A unilateral row has gap >= 0
/// and lambda <= 0; friction that slips has lambda = D^2 s/|D s| N, so that lambda . s >= 0.
namespace trammel {

/// The step that a verdict is about.
struct LawStep {
  double start = 0, end = 0;
  double longest = 0;    ///< size of the longest step that was tried from `start` [s]
  bool believed = true;  ///< false in the transient of a start, in which the signs of multipliers are ignored
  double force = 0;      ///< dead band of multipliers
  double length = 0;     ///< dead band of gaps [m]
  double slip = 0;       ///< speed of a slip that counts as rest [m/s]
};

/// A unilateral row at the start (index 0) and at the end (index 1) of a step.
struct UnilateralReading {
  RowStatus status = RowStatus::active;
  std::array<double, 2> gap{}, rate{}, multiplier{};
  double switched = -std::numeric_limits<double>::infinity();  ///< time of its last change of status
};

/// What the trials of a step from one start tell of a friction group that sticks.
struct OutsideCone {
  double size = 0;     ///< of the last trial [s]
  double excess = 0;   ///< of its force over the cone, at its end
  int from_start = 0;  ///< trials in a row whose line through two excesses was not negative at the start
};

/// A friction group at the start (index 0) and at the end (index 1) of a step.
struct FrictionReading {
  RowStatus status = RowStatus::active;
  int rows = 1;
  std::array<double, 3> at_rest{}, sliding{};
  std::array<FrictionVector, 2> slip{FrictionVector::Zero(), FrictionVector::Zero()};
  std::array<FrictionVector, 2> multiplier{FrictionVector::Zero(), FrictionVector::Zero()};
  std::array<double, 2> normal{};
  SlipDirection course{};  ///< the direction of slip with which the forces of the step were computed
  double switched = -std::numeric_limits<double>::infinity();
  OutsideCone earlier{};  ///< of the earlier trials
};

struct LawVerdict {
  enum class What : std::uint8_t {
    keep,
    cut,       ///< the step must end at `time`
    at_end,    ///< the status changes at the end of the step
    at_begin,  ///< the status changes at the start of the step: the step is rejected
  };
  What what = What::keep;
  double time = 0;
  RowStatus status = RowStatus::active;

  friend bool operator==(const LawVerdict&, const LawVerdict&) = default;
};

TRAMMEL_API LawVerdict judge(const UnilateralReading& row, const LawStep& step);
TRAMMEL_API LawVerdict judge(const FrictionReading& group, const LawStep& step);

/// `earlier` of the reading for the next trial.
TRAMMEL_API OutsideCone outside_cone(const FrictionReading& group, const LawStep& step);

/// The status that a row must have at one instant, as at a restart, judged from the second reading.
TRAMMEL_API RowStatus settled(const UnilateralReading& row, const LawStep& step);
TRAMMEL_API RowStatus settled(const FrictionReading& group, const LawStep& step);

}  // namespace trammel
