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

/// The equation in the rows of position-level multipliers.
enum class ConstraintLevel {
  position,      ///< C
  velocity,      ///< B v + C_t
  acceleration,  ///< B a + bias
};

/// Coefficients of an assembled tangent: block by block, J = K-part + D-part + M-part, with rows and columns scaled.
///
/// If `T` is given, the unknown is the increment x of the step, R = R_n exp(x~): the columns of K that belong to
/// rotations are multiplied by T. D and M are not.
struct TangentWeights {
  double stiffness = 1;   ///< K in kinematic and state rows, kinematic and state columns
  double damping = 0;     ///< D of kinematic columns
  double mass = 0;        ///< M
  double state_rate = 0;  ///< D of state columns (derivative by y')
  double gradient = 1;    ///< B in multiplier rows
  double reaction = 1;    ///< B^T in multiplier columns
  /// Only what ranges with multipliers contribute; redundant rows are as they are.
  bool constraints_only = false;
  /// Algebraic unknowns keep their values: their rows and columns have a diagonal entry only.
  bool hold_algebraic = false;
  /// Scales of the rows and columns of algebraic unknowns, by Layout local offset; empty: 1.
  std::span<const double> algebraic_row, algebraic_column;
  /// For constraints at acceleration level, whose rows are divided by dv'/dx: dv/dx over dv'/dx, the factor of the
  /// derivative of the bias by v. 0 for constraints of the other levels.
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

/// Largest absolute contribution of any instance, by kind of block. Tests of convergence compare residuals with it.
struct FieldScales {
  std::array<double, block_kinds> contribution{};
};

class LocalFault;
class RangeSink;
struct InstanceRun;
struct RangePlan;

/// Rows of a tangent that have to be assembled, where others may keep their entries. `unknowns`: by unknown, owned or ghost, whether its rows
/// do, the same on all ranks; empty: all do. `instances`: by range, those that contribute to them.
struct RenewedRows {
  std::span<const char> unknowns;
  std::span<const std::vector<InstanceRun>> instances;
};

/// Evaluates a model's instances on this rank, and assembles residuals and tangents over all ranks.
///
/// Every public function is collective. If an instance throws RejectStep, `residual` and `tangent` return false on
/// every rank, and `rejection` gives the instance and the text; in other functions it is an error. Any other
/// exception of an instance becomes the same Error on every rank, with plugin, type, instance, rank and time.
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
  /// The same without agreement of the ranks, see `agree`: an exception of an instance is stored in `fault`, the
  /// contributions of this rank are then zero, and scales() are those of this rank. `constraints_only`: rows of multipliers alone.
  void residual(const State& state, ConstraintLevel level, Vec r, LocalFault& fault,
                bool constraints_only = false);
  /// Position equations of this rank's instances at the last residual at velocity level, by dof offset; not in a stabilized layout.
  std::span<const double> position_rows() const;
  /// Whether the model has algebraic unknowns, on any rank.
  bool has_algebraic() const;
  /// Gives `sink` the tangents at `state` of this rank's ranges with algebraic unknowns. False, on all ranks, if it is rejected.
  bool algebraic_tangents(const State& state, RangeSink& sink);
  /// The model's length [m], 1 until it is set, for sizes of unknowns.
  double length() const;
  void set_length(double length);
  /// The last rejection in words, the same on every rank: "joint 'disc' (type 'rolling_disc' of plugin 'rolling') refuses
  /// the state: it lies flat".
  const std::string& rejection() const;
  /// Scales of the last residual over all ranks.
  const FieldScales& scales() const;
  /// Creates a matrix (MATAIJ) with the pattern of the model, owned by the caller. It is valid until the next
  /// change of the pattern. The entries of one that is not `lasting` are, on one rank, lost when another such is assembled.
  Mat create_matrix(bool lasting = true);
  /// Assembles the tangent at `state` into `J`, made by create_matrix.
  bool tangent(const State& state, const TangentWeights& weights, Mat J);
  /// The same without agreement of the ranks, see `agree`; of the `renewed` rows alone, where there are some. False, with nothing done, with
  /// stabilizing or algebraic unknowns, or if `J` has not the entries of a tangent with the present redundant rows.
  bool tangent(const State& state, const TangentWeights& weights, Mat J, LocalFault& fault,
               const RenewedRows& renewed = {});

  /// Removes redundant rows from the tangent: the equation of each becomes "the multiplier keeps its value", and
  /// likewise that of its stabilizing unknown. Residuals do not change. `rows` must be the same on every rank.
  /// Returns true if the pattern changed, which invalidates existing matrices; it has room for all rows that ever were redundant.
  bool remove_redundant(std::vector<ConstraintRow> rows);
  std::span<const ConstraintRow> redundant_rows() const;

  /// The statuses of the rows of constraints.
  const RowStatuses& statuses() const { return row_states().statuses; }
  const RowStates& row_states() const;
  /// Only the code that reviews steps may change them; the same on every rank.
  RowStates& row_states();
  /// Whether some row, on any rank, may become inactive or slip.
  bool may_rest() const;
  /// Whether all own rows of an instance are inactive.
  bool asleep(const RangePlan& plan, int i) const;

  /// Where the contributions of this rank's instances go, by range. Computed again by each `revise`;
  /// `pattern_changes` counts the calls of `revise`.
  std::span<const RangePlan> plans() const;
  int pattern_changes() const;
  using Visit = std::function<void(const RangePlan&, int, const LocalState&)>;
  /// Calls visit(plan, i, its state) for this rank's instances of ranges with the `needed`. False, on all ranks, at a RejectStep.
  bool each_instance(const State& state, const Visit& visit, bool ElementCalls::*needed = nullptr);
  /// The same without agreement of the ranks; visits none where there is a fault already.
  void each_instance(const State& state, const Visit& visit, LocalFault& fault,
                     bool ElementCalls::*needed = nullptr);
  using VisitRange = std::function<void(const RangePlan&, int& instance)>;
  /// The same by range: `visit` sets `instance` to the number of the one that it calls.
  void each_range(const State& state, const VisitRange& visit, LocalFault& fault,
                  bool ElementCalls::*needed = nullptr);
  /// Merges the faults of all ranks: true if there is none, false after a RejectStep, whose text is kept; throws
  /// Error otherwise. The scales of the last residual become the maxima over the ranks.
  bool agree(LocalFault& fault);
  /// The rest of `agree`, where the ranks know their largest LocalFault::level already, and the scales.
  bool settle(LocalFault& fault, double largest_level, const FieldScales& scales);
  /// Throws the Error for a state that is rejected although it was evaluated before.
  [[noreturn]] void throw_refused(const State& state) const;

  /// Stores B of every position constraint at `state` (B_n of the stabilized form).
  void keep_gradients(const State& state);
  /// The same, by RangePlan::kept_begin: pairs of blocks with a StabilizingParts::correction_row, by columns.
  std::span<const double> gradients() const;

  /// Writes or reads which rows are redundant and which ever were. After reading, `revise`.
  void serialize(Archive& archive);
  void revise();

  /// Wall time spent so far on this rank [s].
  struct Cost {
    double residual = 0;
    double tangent = 0;   ///< evaluation of tangents by the elements
    double assembly = 0;  ///< assembly of tangents into the matrix
  };
  Cost cost() const;

  /// What some of this rank's instances, `runs` for each of `plans`, contribute to the residual, by dof offset. False, on all ranks, at a
  /// RejectStep.
  bool contributions(const State& state, std::span<const std::vector<InstanceRun>> runs,
                     std::vector<double>& r);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace trammel
