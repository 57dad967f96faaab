#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/constraints/constraint_group.hpp"
#include "solvers/constraints/constraint_loops.hpp"
#include "solvers/constraints/row_decomposition.hpp"
#include "solvers/linear/petsc_owned.hpp"

namespace trammel {

/// The rank of the constraint Jacobian B, and what follows from it.
///
/// The rows of an entity depend on no others if B, restricted to blocks that no other entity touches, has full
/// rank. Such entities are removed, one after another, so that open chains cost nothing. Groups of closed loops
/// remain. Each group is decomposed (row_decomposition.hpp) with rows and columns scaled by the model's length so that
/// moments and forces can be compared. Each MPI rank does the first with its own rows (constraint_loops.hpp). A group
/// is decomposed on one rank.
class ConstraintRank {
 public:
  ConstraintRank(Assembler& assembler, double length) : assembler_(assembler), length_(length) {}

  /// Finds rank and groups at `state`. Collective; the same on every rank.
  void find(const State& state);
  /// Decomposes the known loops again, at another state. Collective.
  void follow(const State& state);
  /// Call after a change of stencils or of the redundant rows: matrices are created again.
  void revise();

  /// Number of kinematic unknowns minus independent constraints at position and velocity level.
  int degrees_of_freedom() const { return degrees_of_freedom_; }
  /// After a change of the statuses of `rows`: finds rank and groups again, in their loops only, or in the whole
  /// model if a row became active that was inactive in every `find`. Collective.
  void follow_switches(const State& state, std::span<const RowSwitch> rows);
  /// Throws Error, with the names of the joints, if a unilateral row is redundant with equalities. Collective.
  void refuse_repeated_contacts() const;
  const std::vector<ConstraintGroup>& groups() const { return groups_; }
  /// The redundant rows.
  std::vector<ConstraintRow> dependent() const;
  std::size_t dependent_count() const;
  /// Rows to remove in place of `removed`, where the rows that remain without those have come close to depend on each
  /// other; otherwise empty (docs/time_integration.md, section 11).
  std::vector<ConstraintRow> better_than(std::span<const ConstraintRow> removed) const;
  /// Rows in closed loops.
  int looped() const;
  /// The smallest `weakest` of the groups; 1 if there are no groups.
  double weakest() const;

  /// A line for each entity with dependent rows: "joint 'C' repeats 3 equations that 'A', 'B', 'D' impose already:
  /// moment 1, moment 2, force 3".
  std::vector<std::string> in_words() const;

  /// Replaces the multipliers of every group with dependent rows by those of least norm that give the same forces on
  /// all bodies, in the metric sum of (force times model length)^2 + moment^2.
  void least_norm(State& state);

  /// Writes or reads what was found.
  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<BlockId> looped(looped_.begin(), looped_.end());
    std::vector<ConstraintRow> unseen(unseen_.begin(), unseen_.end());
    archive(degrees_of_freedom_, groups_, loop_of_, unseen, names_, looped);
    looped_ = {looped.begin(), looped.end()};
    unseen_ = {unseen.begin(), unseen.end()};
    if (archive.reads()) forget_places();
  }

 private:
  /// Where `follow` finds the rows of the groups.
  struct Followed {
    std::vector<PetscInt> rows;         ///< this rank's rows of B, in the order of ranks that they go to
    std::vector<double> scales;         ///< of the entries of these rows, one row after the other
    std::vector<std::size_t> sent;      ///< number of these entries, by the rank that they go to
    std::size_t begin = 0, end = 0;     ///< groups that this rank decomposes
    std::vector<SparseColumns> groups;  ///< those
    /// Of each of them, by entry of its matrix: the place among the entries that this rank receives.
    std::vector<std::vector<int>> entries;
  };
  /// Of a row of a group on this rank: its multiplier among the values of a state, -1 where this rank has none.
  struct Place {
    std::ptrdiff_t value = -1;
    bool owned = false;
  };

  void create_matrix();
  /// Makes B that of `state`.
  void evaluate(const State& state);
  /// The same, dimensionless.
  void evaluate_scaled(const State& state);
  /// Factors that make the entries of this rank's rows dimensionless. Collective.
  std::vector<double> scales_of(const std::vector<GradientRow>& mine) const;
  /// Finds the groups of closed loops among the rows of all ranks.
  void append_groups(std::vector<GradientRow> mine);
  void decompose(const SparseColumns& rows, ConstraintGroup& group);
  void look_at_kept(const SparseColumns& rows, std::span<const ConstraintRow> removed,
                    ConstraintGroup& group);
  void note_groups();
  void plan_following();
  void find_places();
  /// Groups or stencils are others.
  void forget_places();
  bool is_active(const ConstraintRow& row) const;

  Assembler& assembler_;
  double length_;
  int degrees_of_freedom_ = 0;
  std::vector<ConstraintGroup> groups_;
  std::map<ConstraintRow, int> loop_of_;  ///< rows of the groups that `find` found, by number of the group
  std::set<ConstraintRow> unseen_;        ///< rows that were not active then
  OwnedMat B_;
  OwnedVec row_scales_, column_scales_;   ///< of B
  std::map<BlockId, std::string> names_;  ///< of the multipliers of rows that `find` saw to depend on others
  std::set<BlockId> looped_;              ///< multiplier blocks of the groups
  std::optional<Followed> followed_;
  std::vector<std::vector<Place>> places_;  ///< by group; empty until they are needed
  std::vector<double> values_;              ///< of the entries of the groups' rows
  RowDecomposer decomposer_;
};

}  // namespace trammel
