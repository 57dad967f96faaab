#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// Largest absolute values of a residual, of the last Newton increment and of the increment of the step, by field.
/// Angles are multiplied by the model's length and moments divided by it, so that all values are in metres and
/// newtons. Values of a first-order state are divided by its size.
struct FieldNorms {
  enum Residual {
    force,
    moment,
    generalized,
    state,
    algebraic,
    constraint,
    velocity_constraint,
    rate,
    correction,
    residuals
  };
  enum Increment { displacement, rotation, coordinate, state_increment, algebraic_increment, increments };

  std::array<double, residuals> residual{};
  /// For forces, moments and generalized forces: the largest residual of a row minus the rounding error of this
  /// row.
  std::array<double, 3> beyond_rounding{};
  std::array<double, increments> change{};  ///< of the last iteration
  std::array<double, increments> size{};    ///< of the step so far
  double acceleration = 0;                  ///< of positions [m/s^2]
  double angular_acceleration = 0;          ///< w' and |w|^2 [rad/s^2]
  double generalized_acceleration = 0;
  double state_rate = 0;  ///< of a state over its size [1/s]
  double stop = 0;        ///< a Stop, included so that ranks agree on it without a separate exchange

  static constexpr std::size_t count = residuals + 3 + 2 * increments + 5;
  using Numbers = std::array<double, count>;
  Numbers numbers() const;
  void set(const Numbers& all);
  /// Largest over the ranks.
  void merge(MPI_Comm comm);
};

/// The typical size of a number: its nominal size, or else 1.
constexpr double typical_size(const Measure& measure) {
  return measure.dimension == Dimension::nominal ? measure.size : 1.0;
}

/// Sizes of the model with which residuals are compared, in addition to the contributions of the instances.
struct ModelScales {
  double length = 1;               ///< size of the model [m]
  double mass = 1;                 ///< typical diagonal of M in rows of positions
  double inertia = 1;              ///< of rotations
  double generalized_inertia = 1;  ///< of coordinates, nominal ones in their sizes
  double heaviest = 1;             ///< largest diagonal of M in any row, as a mass
  double stiffest = 0;  ///< largest diagonal of K in any row, as a stiffness of a displacement [N/m]
  /// Whether some coordinate is a length, so that its generalized force is a force.
  bool slides = false;
  /// By block, kinematic or of states: the estimated rounding error of its equations, eps sum_j |K_ij| |q_j| at the
  /// start of the stage, the largest of its rows [N; for states, over their nominal sizes, 1/s]. Null: not known.
  std::shared_ptr<const BlockValues<double>> rounding;
  /// By block of states: the largest sum_j |K_ij| over states j, each in nominal sizes [1/s].
  std::shared_ptr<const BlockValues<double>> state_gain;

  static double model_length(const Layout& layout, const Model& model);
  /// Writes, numbers of all ranks' blocks on rank 0 (collective), or reads; `model`: of this rank.
  void serialize(Archive& archive, const Model& model, MPI_Comm comm);
};

/// The test of one iterate, field by field.
class ConvergenceTest {
 public:
  /// `model` must outlive the iterates. `constraint_stiffness` is the force that a unit of position-constraint error costs [N/m], 0 in statics;
  /// `rate_stiffness` the same of velocity-level errors. `of_increments`: rows of constraints are differences of
  /// increments, not of positions.
  void begin(double tolerance, const ModelScales& model, double constraint_stiffness, double rate_stiffness,
             bool of_increments = false);

  struct Iterate {
    int number = 0;
    bool fresh = false;     ///< the increment came from the tangent at the iterate before
    bool full_step = true;  ///< no line search shortened it
  };

  /// Whether an iterate with these norms (merged over the ranks) is accepted.
  bool accept(const FieldNorms& norms, const FieldScales& contributions, const Iterate& iterate);

  /// Largest residual over its tolerance of the last iterate, and its reduction by the last iteration.
  double excess() const { return excess_; }
  double contraction() const { return contraction_; }
  /// The length of an increment (see increment_length) that corresponds to `part` of the tolerance. In statics it
  /// is relative to the increment of the step; in dynamics it is the increment that changes accelerations by this
  /// much. At least the rounding error.
  double allowed_length(const FieldNorms& norms, double part) const;
  /// Iterations in a row that did not halve it.
  int stalled() const { return stalled_; }
  bool accepted_at_rounding() const { return at_rounding_; }
  /// Tolerance of the residual by kind of block, for Assembler::worst.
  std::array<double, block_kinds> kind_tolerance() const;

 private:
  double tolerance_ = 1e-8;
  const ModelScales* model_ = nullptr;
  double constraint_stiffness_ = 0, rate_stiffness_ = 0;
  bool of_increments_ = false;
  std::array<double, FieldNorms::residuals> allowed_{}, previous_{};
  std::array<double, FieldNorms::residuals> seen_{};  ///< largest that was allowed in this solve
  FieldNorms::Residual worst_ = FieldNorms::force;
  double excess_ = 0, contraction_ = 0;
  double best_ = 1;    ///< reduction of the residual by any iteration so far
  double change_ = 0;  ///< largest of the last increment [m]
  int stalled_ = 0;
  bool at_rounding_ = false;
};

/// The largest number of the last increment: of displacements and rotations over the model's length, of states and algebraic
/// unknowns over their sizes.
double increment_length(const FieldNorms& norms, const ModelScales& scales);

/// The same of the step so far.
double step_length(const FieldNorms& norms, const ModelScales& scales);

/// "forces", "moments", ...
const char* field_name(FieldNorms::Residual field);

}  // namespace trammel
