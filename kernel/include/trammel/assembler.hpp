#pragma once

#include <petscmat.h>
#include <petscvec.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/layout.hpp"
#include "trammel/model.hpp"
#include "trammel/row_status.hpp"

namespace trammel {

/// Which equation stands in the rows of position-level multipliers.
enum class ConstraintLevel {
  position,      ///< C
  velocity,      ///< B v + C_t
  acceleration,  ///< B a + bias
};

/// Coefficients of an assembled tangent: block by block, J = K-part + D-part + M-part, with rows and columns scaled.
///
/// The K-part of a kinematic column is multiplied by the tangent operator of its block where `T` is given (the
/// unknown is then the step's increment x, R = R_n exp(x~)); D and M apply to x as they are.
struct TangentWeights {
  double stiffness = 1;   ///< K in kinematic and state rows, kinematic and state columns
  double damping = 0;     ///< D of kinematic columns
  double mass = 0;        ///< M
  double state_rate = 0;  ///< D of state columns (derivative by y')
  double gradient = 1;    ///< B in multiplier rows
  double reaction = 1;    ///< B^T in multiplier columns
  bool all_rows = false;  ///< also those that were left out, as they are
  /// dv/dx over dv'/dx where constraints stand at acceleration level, divided by dv'/dx: their rows then change with v
  /// too, by the derivative of the bias. 0: constraints of the other levels.
  double bias_rate = 0;
  /// Tangent operators T(x) of rotation unknowns, by index into Layout::unknowns(); empty: identity.
  std::span<const Mat3> T;
  // Scales by kind of block, indexed by static_cast<int>(BlockKind): J_ij <- row_i J_ij column_j.
  std::array<double, 6> row{1, 1, 1, 1, 1, 1};
  std::array<double, 6> column{1, 1, 1, 1, 1, 1};
  // Stabilized index 2 only (layouts with companions). Companion rows: velocity-level rows B v + C_t for multipliers;
  // mu - step * B_n^T eta for kinematic blocks.
  double step = 0;  ///< h in the rows of mu
  double companion_row_velocity = 1, companion_row_mu = 1;
  double companion_column_eta = 1, companion_column_mu = 1;
};

/// Largest absolute share of any instance, by kind of block: what a residual is small against.
struct FieldScales {
  std::array<double, 6> share{};
};

/// The instance, block and component with the largest residual, for messages.
struct WorstResidual {
  double value = 0;
  BlockId block = no_block;
  BlockKind kind = BlockKind::position;
  std::string name, unit;  ///< of the block
  int component = 0;
  std::string entity;  ///< "joint 'hook' (beam_sliding)": whose share is largest in that row
  Location where;
};

/// Merged answer of all instances on all ranks to a converged step; the same on every rank.
struct MergedReview {
  bool solve_again = false;
  std::optional<double> cut_time;  ///< inside the step
  bool revision = false;
  bool rejected = false;  ///< an instance refuses the state (RejectStep)
  bool event = false;     ///< the step ends where an instance asked for it to be cut
  /// What rows do once the step is accepted, or, next to its begin, from there on: the trial is given up then.
  std::vector<RowSwitch> at_end, at_begin;
  int asker = -1;  ///< entity: of the earliest cut, or else that wants the step to be solved again
};

/// What the laws of rows changed at one instant; the same on every rank.
struct LawChange {
  std::vector<RowSwitch> rows;
  bool turned = false;  ///< friction that begins to slip found another direction
};

/// Evaluates a model's instances on this rank, and assembles residuals and tangents over all ranks.
///
/// Every public function is collective. An exception of an instance (other than RejectStep) ends with the same Error
/// on every rank, which names plugin, type, instance, rank and time. RejectStep makes `residual` or `tangent` return
/// false on every rank, and `review` say so; `rejection` tells who threw it and what. From anything else it is an Error
/// too.
class TRAMMEL_API Assembler {
 public:
  Assembler(Model& model, Layout& layout);
  ~Assembler();
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  const Model& model() const;
  Layout& layout();

  /// Residual at `state`, unscaled, with the chosen equations in the rows of position-level multipliers. In a
  /// stabilized layout the companion rows of multipliers hold B v + C_t, those of mu are left zero.
  bool residual(const State& state, ConstraintLevel level, Vec r);
  /// The last rejection in words, the same on every rank: "joint 'disc' (type 'rolling_disc' of plugin 'rolling') refuses
  /// the state: it lies flat".
  const std::string& rejection() const;
  /// Scales of the last residual over all ranks.
  const FieldScales& scales() const;
  /// r of the last residual, by State dof place, before blocks are folded into their roots: what joints that share
  /// blocks read their reactions from. This rank's instances only.
  std::span<const double> residual_by_place() const;

  /// Creates the matrix with this model's pattern (MATAIJ), owned by the caller. Its pattern belongs to the present
  /// revision.
  Mat create_matrix();
  /// Assembles the tangent at `state` into `J`, made by create_matrix.
  bool tangent(const State& state, const TangentWeights& weights, Mat J);

  /// Equations that follow from the others leave the tangent: each becomes "the multiplier keeps its value", and so
  /// does its companion. Residuals stay as they are. The same rows on every rank. True where the pattern changed, which
  /// invalidates matrices made before: it has room for all rows that ever were left out.
  bool leave_out(std::vector<ConstraintRow> rows);
  std::span<const ConstraintRow> left_out() const;

  /// What the rows of constraints are doing.
  const RowStatuses& statuses() const;
  /// Lets rows do something else from `state` on, whose multipliers of inactive rows become zero, and whose coordinates that
  /// only inactive rows determine come to rest. The same rows on every rank. Instances that become active are told, and
  /// what holds them must be closed: Error otherwise. Collective.
  void switch_rows(std::span<const RowSwitch> rows, State& state, const Begin& how);
  /// For the laws of rows: the model's length, and the number of steps for which the signs of multipliers mean nothing yet
  /// (the start-up transient of index 3).
  void scale_laws(double length, int transient);
  /// At a state with consistent velocities, accelerations and multipliers: switches the rows whose laws ask for it at once.
  /// Where it changes anything, accelerations and multipliers are to be found again. Collective.
  LawChange settle_laws(State& state, const Begin& how);
  /// Tells every instance that it begins at `state`, and sets the statuses of joints that a function of time switches, and
  /// where a stage begins those of unilateral rows by their gaps.
  void begin(State& state, const Begin& how);

  /// Stores B of every position constraint at `state` (B_n of the stabilized form), for add_corrections.
  void keep_gradients(const State& state);
  /// local += scale * B_n^T eta for the kept gradients, by Layout local offsets of kinematic blocks' companions; eta
  /// is read from `local` at the multipliers' companion offsets.
  void add_corrections(double scale, const std::vector<double>& local, std::vector<double>& out) const;

  void commit(const State& state, const StepInfo& step);
  /// Takes what reviews changed back to the last commit: the step is given up or cut. True where stencils moved back: then
  /// call Layout::revise and Assembler::revise, and make matrices anew.
  bool reject();
  /// Asks every instance, the laws of rows and the activities of joints. New stencils are already set in the ranges when
  /// `revision` is true; call Layout::revise and Assembler::revise then, and make matrices anew.
  MergedReview review(const State& state, const StepInfo& step);
  /// Writes or reads what instances, rows and joints remember of the last commit on this rank. After reading, `revise` and
  /// then `begin` with Begin::Why::restore.
  void serialize(Archive& archive);
  void revise();

  Energy energy(const State& state);

  /// Wall time spent so far on this rank [s].
  struct Cost {
    double residual = 0;
    double tangent = 0;   ///< evaluation of tangents by the elements
    double assembly = 0;  ///< their way into the matrix
  };
  Cost cost() const;

  /// The first instance with a number that is not finite in its residual or, times the weights, in its tangent at `state`:
  /// "the tangent of joint 'hook' (type 'beam_sliding' of plugin 'beam_sliding', case.yaml:12:3)"; empty where there is none.
  /// Collective; the same answer on every rank.
  std::string not_finite(const State& state, ConstraintLevel level, const TangentWeights& weights) const;

  /// Where the largest scaled residual comes from. Collective; the same answer on every rank.
  WorstResidual worst(const State& state, ConstraintLevel level, std::span<const double> kind_scale);

  /// Visits this rank's instances with what they report and draw at `state`; the reaction shares are computed before. What
  /// the visitor throws on one rank ends with an Error on all; so does an instance that refuses the state.
  void visit(const State& state,
             const std::function<void(const ElementRange&, int instance, const LocalState&,
                                      const ReactionShares&)>& visitor);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
