#pragma once

#include <mpi.h>

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "solvers/linear/front.hpp"
#include "solvers/ranks/rank_tree.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// The interface's matrix, eliminated by groups of ranks (a multifrontal method over rank_tree). A rank has a front for itself, and the fronts of
/// the groups that it leads; the others of a group give it what they have left, and take columns of a large front off it. A solve sends as many numbers along the tree as the
/// borders of the groups have unknowns, once up and once down.
class InterfaceFronts {
 public:
  /// Takes the unknowns that each rank sees, ascending: contributions of a rank lie in their rows and columns. False, and of no use, if a
  /// front would have more than `most` unknowns. All ranks give the same. Collective.
  bool set_structure(MPI_Comm comm, int unknowns, const std::vector<std::vector<int>>& seen,
                     std::size_t most);
  /// Unknowns of the largest front.
  std::size_t largest() const { return largest_; }
  /// Entries of this rank's part, and the number of one of them; row and column are seen by this rank.
  std::size_t entries() const { return own_.size() * own_.size(); }
  int entry(int row, int column) const {
    return place_[at(row)] + static_cast<int>(own_.size()) * place_[at(column)];
  }

  /// Factorizes the sum of all ranks' parts. False on all ranks where it is singular to working precision. Collective.
  bool factorize(MPI_Comm comm, std::span<const double> part);
  /// Takes this rank's part of the right-hand side, and gives the solution, at the unknowns that this rank sees. Collective.
  void solve(MPI_Comm comm, std::span<double> y);

 private:
  /// A group that this rank leads.
  struct Led {
    int group = 0;
    Front front;
    std::array<std::vector<int>, 2>
        border_place;  ///< in the front, of the border of each part, if nothing is delayed
    std::array<std::vector<int>, 2> place;  ///< of all that each part has left
    Eigen::VectorXd rest;                   ///< of a right-hand side, then of the solution
  };

  /// Of the groups that this rank is in, parts before wholes: its part in the elimination.
  struct Task {
    int group = 0;
    std::vector<int> others;  ///< ranks that take columns
  };

  Led& led(int group);
  int leader_of(int group) const { return tree_[at(group)].leader; }
  /// Whether another rank leads the group that this one is a part of.
  bool another_leads(const RankGroup& group) const {
    return group.whole >= 0 && leader_of(group.whole) != rank_;
  }
  bool eliminate(MPI_Comm comm, Led& its, const Task& task) const;
  void assemble(MPI_Comm comm, Led& its);
  void place_parts(Led& its, std::array<int, 2> delayed) const;

  int rank_ = 0;
  std::size_t largest_ = 0;
  std::vector<RankGroup> tree_;
  std::vector<int> own_;    ///< unknowns in this rank's own front
  std::vector<int> place_;  ///< by unknown, there
  std::vector<Led> led_;    ///< parts before wholes; the first is this rank
  std::vector<Task> tasks_;
  Eigen::VectorXd b_, x_, left_;  // workspaces
};

}  // namespace trammel
