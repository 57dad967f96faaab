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

/// One equation of a constraint.
struct ConstraintRow {
  BlockId block = no_block;  ///< its multiplier
  int component = 0;

  friend bool operator==(const ConstraintRow&, const ConstraintRow&) = default;
};

/// Merged answer of all instances on all ranks to a converged step.
struct MergedReview {
  bool solve_again = false;
  std::optional<double> cut_time;
  bool revision = false;
  bool rejected = false;  ///< an instance refuses the state (RejectStep)
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
  /// does its companion. Residuals stay as they are. Matrices made before are invalid afterwards. The same rows on
  /// every rank.
  void leave_out(std::vector<ConstraintRow> rows);
  std::span<const ConstraintRow> left_out() const;

  /// Stores B of every position constraint at `state` (B_n of the stabilized form), for add_corrections.
  void keep_gradients(const State& state);
  /// local += scale * B_n^T eta for the kept gradients, by Layout local offsets of kinematic blocks' companions; eta
  /// is read from `local` at the multipliers' companion offsets.
  void add_corrections(double scale, const std::vector<double>& local, std::vector<double>& out) const;

  void commit(const State& state, const StepInfo& step);
  /// Takes what reviews changed back to the last commit: the step is given up or cut.
  void reject();
  /// Asks every instance; merged over ranks. New stencils are already set in the ranges when `revision` is true; call
  /// Layout::revise and Assembler::revise then, and make matrices anew.
  MergedReview review(const State& state, const StepInfo& step);
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
