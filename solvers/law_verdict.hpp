#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "trammel/export.hpp"
#include "trammel/friction_force.hpp"
#include "trammel/row_status.hpp"

/// What the laws of unilateral rows and of friction say of a converged step: decisions alone, from numbers alone.
///
/// With r = inertia + internal - applied + B^T lambda the force on the bodies is -B^T lambda. A unilateral row has gap >= 0
/// and lambda <= 0; friction that slips has lambda = D^2 s/|D s| N, so that lambda . s >= 0.
namespace trammel {

/// The step that a verdict is about.
struct LawStep {
  double start = 0, end = 0;
  double longest = 0;    ///< size of the longest step that was tried from `start` [s]
  bool believed = true;  ///< false in the start-up transient: signs of multipliers mean nothing yet
  double force = 0;      ///< dead band of multipliers
  double length = 0;     ///< dead band of gaps [m]
  double slip = 0;       ///< speed of a slip that counts as rest [m/s]
};

/// A unilateral row at the begin (0) and at the end (1) of a step.
struct UnilateralReading {
  RowStatus status = RowStatus::active;
  std::array<double, 2> gap{}, rate{}, multiplier{};
  double switched = -std::numeric_limits<double>::infinity();  ///< time of its last change of status
};

/// A group of friction rows at the begin and at the end of a step.
struct FrictionReading {
  RowStatus status = RowStatus::active;
  int rows = 1;
  std::array<double, 3> at_rest{}, sliding{};
  std::array<FrictionVector, 2> slip{FrictionVector::Zero(), FrictionVector::Zero()};
  std::array<FrictionVector, 2> multiplier{FrictionVector::Zero(), FrictionVector::Zero()};
  std::array<double, 2> normal{};
  SlipDirection course{};  ///< that the forces of the step were found with
  double switched = -std::numeric_limits<double>::infinity();
};

struct LawVerdict {
  enum class What : std::uint8_t {
    keep,
    cut,       ///< the step must end at `time`
    at_end,    ///< the status changes at the end of the step
    at_begin,  ///< the status changes at its begin: the step is given up
  };
  What what = What::keep;
  double time = 0;
  RowStatus status = RowStatus::active;

  friend bool operator==(const LawVerdict&, const LawVerdict&) = default;
};

TRAMMEL_API LawVerdict judge(const UnilateralReading& row, const LawStep& step);
TRAMMEL_API LawVerdict judge(const FrictionReading& group, const LawStep& step);

/// Where all quantities of a step are zero at one instant, as those of a restart: what a row should be at once.
TRAMMEL_API RowStatus settled(const UnilateralReading& row, const LawStep& step);
TRAMMEL_API RowStatus settled(const FrictionReading& group, const LawStep& step);

}  // namespace trammel
