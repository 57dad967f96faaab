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

#include "kernel/layout.hpp"
#include "kernel/model.hpp"
#include "kernel/row_statuses.hpp"
#include "trammel/export.hpp"

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
  bool all_rows = false;  ///< also redundant ones, as they are
  /// Algebraic unknowns keep their values: their rows and columns hold a diagonal alone.
  bool hold_algebraic = false;
  /// Scales of the rows and columns of algebraic unknowns, by Layout local offset; empty: 1.
  std::span<const double> algebraic_row, algebraic_column;
  /// dv/dx over dv'/dx where constraints stand at acceleration level, divided by dv'/dx: their rows then change with v
  /// too, by the derivative of the bias. 0: constraints of the other levels.
  double bias_rate = 0;
  /// Tangent operators T(x) of rotation unknowns, by index into Layout::unknowns(); empty: identity.
  std::span<const Mat3> T;
  // Scales by kind of block, indexed by static_cast<int>(BlockKind): J_ij <- row_i J_ij column_j.
  std::array<double, block_kinds> row{1, 1, 1, 1, 1, 1, 1};
  std::array<double, block_kinds> column{1, 1, 1, 1, 1, 1, 1};
  // Stabilized index 2 only (layouts with stabilizing unknowns). Stabilizing rows: velocity-level rows B v + C_t for multipliers;
  // mu - step * B_n^T eta for kinematic blocks.
  double step = 0;  ///< h in the rows of mu
  double stabilizing_row_velocity = 1, stabilizing_row_mu = 1;
  double stabilizing_column_eta = 1, stabilizing_column_mu = 1;
};

/// Largest absolute contribution of any instance, by kind of block: what a residual is small against.
struct FieldScales {
  std::array<double, block_kinds> contribution{};
};

/// What the equations of algebraic unknowns are small against, by Layout local offset.
struct AlgebraicSizes {
  /// sum_j |dg/dx_j| times the size of x_j over algebraic unknowns j, or over all else where none of these stands in the
  /// equation. The size of an unknown is its nominal one, the model's length, or a radian, or its value where that is larger. 0: of an equation that nothing
  /// stands in.
  std::vector<double> equation;
  std::vector<double> rounding;  ///< of the equation
};

class LocalFault;
struct RangePlan;

/// Evaluates a model's instances on this rank, and assembles residuals and tangents over all ranks.
///
/// Every public function is collective. An exception of an instance (other than RejectStep) ends with the same Error
/// on every rank, which names plugin, type, instance, rank and time. RejectStep makes `residual` or `tangent` return
/// false on every rank; `rejection` tells who threw it and what. From anything else it is an Error
/// too.
class TRAMMEL_API Assembler {
 public:
  Assembler(const Model& model, Layout& layout);
  ~Assembler();
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  const Model& model() const;
  Layout& layout();

  /// Residual at `state`, unscaled, with the chosen equations in the rows of position-level multipliers. In a
  /// stabilized layout the stabilizing rows of multipliers hold B v + C_t, those of mu are left zero.
  bool residual(const State& state, ConstraintLevel level, Vec r);
  /// The same before the ranks `agree`: what an instance throws waits in `fault`, scales() are this rank's, and where a fault
  /// waits, this rank's instances count with zero.
  void residual(const State& state, ConstraintLevel level, Vec r, LocalFault& fault);
  /// Whether the model has algebraic unknowns, on any rank.
  bool has_algebraic() const;
  /// Sizes of their equations at `state`; false where the state is rejected. Evaluates the ranges that have such unknowns.
  bool algebraic_sizes(const State& state, AlgebraicSizes& out);
  /// Looks at the tangents at `state` and at states around it. Throws Error, on all ranks, that names the instance and the blocks
  /// where the equation of an algebraic unknown depends on a multiplier or an acceleration, or a constraint on the unknown.
  /// Collective.
  void require_algebraic_rules(const State& state);
  /// The model's length [m], which those sizes are relative to; 1 until it is set.
  void set_length(double length);
  /// The last rejection in words, the same on every rank: "joint 'disc' (type 'rolling_disc' of plugin 'rolling') refuses
  /// the state: it lies flat".
  const std::string& rejection() const;
  /// Scales of the last residual over all ranks.
  const FieldScales& scales() const;
  /// r of the last residual, by State dof offset, before blocks are folded into their roots: what joints that share
  /// blocks read their reactions from. This rank's instances only.
  std::span<const double> residual_by_offset() const;

  /// Creates the matrix with this model's pattern (MATAIJ), owned by the caller. Its pattern belongs to the present
  /// change of the pattern.
  Mat create_matrix();
  /// Assembles the tangent at `state` into `J`, made by create_matrix.
  bool tangent(const State& state, const TangentWeights& weights, Mat J);

  /// Equations that follow from the others leave the tangent: each becomes "the multiplier keeps its value", and so
  /// does its stabilizing unknown. Residuals stay as they are. The same rows on every rank. True where the pattern changed, which
  /// invalidates matrices made before: it has room for all rows that ever were redundant.
  bool remove_redundant(std::vector<ConstraintRow> rows);
  std::span<const ConstraintRow> redundant_rows() const;

  /// What the rows of constraints are doing.
  const RowStatuses& statuses() const { return row_states().statuses; }
  const RowStates& row_states() const;
  /// To be changed by who reviews steps, the same on every rank.
  RowStates& row_states();
  /// Whether some row, on some rank, may be anything but active.
  bool may_rest() const;
  /// Whether all own rows of an instance are inactive.
  bool asleep(const RangePlan& plan, int i) const;

  /// Where the contributions of this rank's instances go, range by range; anew after each `revise`, which `pattern_changes` counts.
  std::span<const RangePlan> plans() const;
  int pattern_changes() const;
  /// Calls visit(plan, i, its blocks at `state`) for each of this rank's instances. False, on all ranks, where one throws
  /// RejectStep.
  bool each_instance(const State& state,
                     const std::function<void(const RangePlan&, int, const LocalState&)>& visit);
  /// Whether no rank has a fault; keeps what a RejectStep said. The scales of the last residual and `maxima`, at most 50, become
  /// the largest over the ranks.
  bool agree(LocalFault& fault, std::span<double> maxima = {});
  /// Throws the Error that a state is refused which had been evaluated before.
  [[noreturn]] void throw_refused(const State& state) const;

  /// Stores B of every position constraint at `state` (B_n of the stabilized form), for add_corrections.
  void keep_gradients(const State& state);
  /// local += scale * B_n^T eta for the kept gradients, by Layout local offsets of kinematic blocks' stabilizing unknowns; eta
  /// is read from `local` at the multipliers' stabilizing offsets.
  void add_corrections(double scale, const std::vector<double>& local, std::vector<double>& out) const;

  /// Writes or reads which rows are redundant and which ever were. After reading, `revise`.
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

  /// Visits this rank's instances with what they report and draw at `state`; the contributions to reactions are computed before. What
  /// the visitor throws on one rank ends with an Error on all; so does an instance that refuses the state.
  void visit(const State& state,
             const std::function<void(const ElementRange&, int instance, const LocalState&,
                                      const ReactionContributions&)>& visitor);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
