#pragma once

#include <petscksp.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/linear/cut_joints.hpp"
#include "solvers/linear/interface_matrix.hpp"
#include "solvers/linear/local_parts.hpp"
#include "solvers/linear/partial_lu.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/ranks/rank_totals.hpp"

namespace trammel {

/// What a preconditioner by substructuring does (use_substructuring), on several ranks.
class Substructuring {
 public:
  /// `counts` may be null.
  Substructuring(PC pc, SubstructuringCounts* counts);
  ~Substructuring();
  Substructuring(const Substructuring&) = delete;
  Substructuring& operator=(const Substructuring&) = delete;

  /// False where the matrix is singular. Collective.
  bool factorize(Mat A);
  /// Collective. False where the solution has no worth.
  bool solve(Vec b, Vec x);
  /// See begin_solution.
  void begin(Vec b, RankTotals& totals);
  bool out_of_memory() const { return out_of_memory_; }
  /// See expect_changes and prefer_last: rows of this rank.
  void expect_changes(std::vector<int> rows) { changed_ = std::move(rows); }
  void prefer_last(std::vector<int> rows) { lu_.prefer_last(std::move(rows)); }
  /// As renewed_part, of the interior.
  double renewed_part() const { return by_mumps_ ? 1 : lu_.renewed_part(); }
  /// Of the interior that takes most; zero where MUMPS factorized. Collective.
  LinearWork work() const;

 private:
  /// A number of the matrix that goes elsewhere.
  struct Source {
    int part = 0;  ///< of LocalParts
    PetscInt entry = 0;
  };
  /// Rows of the interface in columns of another rank's interior.
  struct Message {
    int rank = 0;
    std::vector<Source> from;    ///< where it is sent
    std::vector<double> values;  ///< likewise, and where it comes in
  };

  void find_edges(Mat A);
  void analyse(Mat A);
  bool fall_back(Mat A, std::string reason);
  std::string too_large() const;
  InterfaceMatrix::Outcome eliminate(Mat A);
  bool promote(std::span<const int> inner);
  bool promote_suspects();
  int interface_of(PetscInt global) const;
  int rank_of(PetscInt global) const;
  void exchange(const LocalParts& A);
  /// Leaves what the interior has in w_, and this rank's part of the interface's right-hand side in `border`.
  void forward(const double* b, const std::vector<double>& border_b, std::vector<double>& border);
  void backward(double* x, const std::vector<double>& border_x);
  void solve_once(const double* b, const std::vector<double>& border_b, double* x,
                  std::vector<double>& border_x);
  std::vector<double> border_of(const double* b) const;
  bool inaccurate(Mat A, const double* b, const std::vector<double>& border_b, const double* x,
                  const std::vector<double>& border_x, double limit);
  void refine(double* x, std::vector<double>& border_x);
  /// Of a solution: `with_suspects`: factors with unknowns that were just promoted may do better.
  enum class Quality { fine, with_suspects, worthless };
  Quality improve(Mat A, const double* b, const std::vector<double>& border_b, double* x,
                  std::vector<double>& border_x);

  PC pc_;
  SubstructuringCounts own_;
  SubstructuringCounts& counts_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  PetscMPIInt tag_ = 0;
  int rank_ = 0, ranks_ = 1;
  PetscInt most_ = 0;

  PetscObjectId matrix_ = 0;
  PetscObjectState structure_ = -1;
  std::vector<PetscInt> first_of_;                    ///< by rank its first unknown, and one past the last
  std::vector<std::pair<PetscInt, PetscInt>> edges_;  ///< of all ranks
  std::vector<PetscInt> multipliers_;                 ///< those of all ranks in `edges_`, in order
  std::vector<CutRow> cut_rows_;                      ///< of those of this rank
  std::vector<PetscInt> promoted_;                    ///< in order
  std::vector<PetscInt> interface_;                   ///< unknowns, in order
  bool too_large_ = false, analysed_ = false;
  int failures_ = 0;  ///< in a row
  bool suspected_ = false;

  std::vector<PetscInt> inner_;  ///< of this rank: unknowns of the interior, from its first
  std::vector<std::pair<PetscInt, int>> own_border_;  ///< of this rank: unknown, place in the interface
  std::vector<int> touched_;                          ///< places in the interface that the interior sees
  std::vector<Source> right_from_, below_from_;       ///< `below`: of this rank's rows
  std::vector<InterfaceMatrix::Pair> both_;           ///< rows and columns of the interface
  std::vector<Source> both_from_;
  std::vector<Message> sent_, received_;
  std::vector<double> c_, r_, both_value_;
  PetscObjectState factorized_ = -1;         ///< state of the matrix
  std::optional<std::vector<int>> changed_;  ///< rows, if the next matrix has no others that differ
  PartialLu lu_;

  InterfaceMatrix schur_;
  std::vector<double> w_, local_;  // workspaces
  /// A right-hand side of which this rank's part is done: the vector, and its state. `border_` goes to the other ranks.
  PetscObjectId begun_ = 0;
  PetscObjectState begun_state_ = -1;
  std::vector<double> border_;
  std::vector<double> residual_, size_, border_residual_;
  bool check_ = false, refine_ = false;
  bool by_mumps_ = false, out_of_memory_ = false, failed_ = false;  ///< of the last factorization
  Owned<PC, PCDestroy> mumps_;
};

}  // namespace trammel
