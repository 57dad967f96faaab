#pragma once

#include <mpi.h>

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "solvers/linear/front.hpp"
#include "solvers/linear/shared_front.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/ranks/carried_totals.hpp"
#include "solvers/ranks/rank_tree.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// The interface's matrix, eliminated by groups of ranks (a multifrontal method over rank_tree). A rank has a front for itself; that of a group has one of its
/// ranks, or, where it is large, several (SharedFront). They give those of the larger group what they have left. A solve sends as many numbers along the tree as the
/// borders of the groups have unknowns, once up and once down.
class InterfaceFronts {
 public:
  /// Takes the unknowns that each rank sees, ascending: contributions of a rank lie in their rows and columns. False, and of no use, if a
  /// front would have more than `most` unknowns. All ranks give the same. Collective.
  bool set_structure(MPI_Comm comm, int unknowns, const std::vector<std::vector<int>>& seen,
                     std::size_t most);
  /// Unknowns of the largest front.
  std::size_t largest() const { return largest_; }
  /// Whether the messages of a solve join all ranks, so that they can carry totals.
  bool joins_all() const { return joins_all_; }
  /// Entries of this rank's part, and the number of one of them; row and column are seen by this rank.
  std::size_t entries() const { return own_.size() * own_.size(); }
  int entry(int row, int column) const {
    return place_[at(row)] + static_cast<int>(own_.size()) * place_[at(column)];
  }

  /// Whether the next factorization is the first of its structure.
  bool is_new() const { return !ranks_.empty(); }
  /// Factorizes the sum of all ranks' parts. False on all ranks where it is singular to working precision. `interior`: what this rank's
  /// interior takes; if `is_new`, fronts are given to those ranks that have least to do. Collective.
  bool factorize(MPI_Comm comm, std::span<const double> part, const LinearWork& interior);
  /// Takes this rank's part of the right-hand side, and gives the solution, at the unknowns that this rank sees. `carried`: none unless
  /// `joins_all`. Collective.
  void solve(MPI_Comm comm, std::span<double> y, const CarriedTotals& carried = {});

 private:
  /// A group of whose front this rank has a part.
  struct Task {
    int group = 0;
    bool shared = false;  ///< among ranks; else the leader has it all
    Front front;
    SharedFront shared_front;
    std::array<std::vector<int>, 2> place;  ///< in the front, of all that each part has left
    std::array<bool, 2> part_is_shared{};
    Eigen::VectorXd rest;         ///< of a right-hand side, then of the solution
    std::vector<double> carried;  ///< of the ranks of the group
  };

  void deal_out(MPI_Comm comm, const LinearWork& interior);
  /// Null where this rank has no part of that group's front.
  Task* find_task(int group);
  Task& task(int group) { return *find_task(group); }
  int leader_of(int group) const { return owners_[at(group)].ranks[0]; }
  bool leads(int group) const { return leader_of(group) == rank_; }
  /// The rank that takes solutions down the tree through a group.
  int finisher_of(int group, bool shared) const {
    const ColumnOwners& its = owners_[at(group)];
    return its.ranks[at(shared ? its.finisher() : 0)];
  }
  bool finishes(const Task& its) const { return finisher_of(its.group, its.shared) == rank_; }
  void solve_upwards(MPI_Comm comm, std::span<const double> y, const CarriedTotals& carried);
  void solve_downwards(MPI_Comm comm, std::span<double> y, const CarriedTotals& carried);
  void take_totals(MPI_Comm comm, const Task& last, std::span<double> totals);
  /// What is in `message_`, or will be.
  void send(MPI_Comm comm, int rank, int message_tag) const;
  void receive(MPI_Comm comm, std::size_t size, int rank, int message_tag);
  /// Whether another rank leads the group that this one is a part of.
  bool another_leads(const RankGroup& group) const { return group.whole >= 0 && !leads(group.whole); }
  void assemble(MPI_Comm comm, Task& its);
  bool eliminate(MPI_Comm comm, Task& its);
  void give(MPI_Comm comm, Task& its);
  void place_part(Task& its, std::size_t p, int delayed_before, int delayed, int all_delayed) const;
  static int delayed(const Task& its, const RankGroup& group);
  static const double* left_column(Task& its, int number);
  std::vector<int> columns_for(int part, bool shared, std::size_t holder, int delayed, int receiver) const;

  int rank_ = 0;
  std::size_t largest_ = 0;
  bool joins_all_ = false;
  std::vector<RankGroup> tree_;
  std::vector<std::vector<int>> ranks_;  ///< by group; empty once fronts are dealt out
  std::vector<ColumnOwners> owners_;     ///< by group
  std::vector<std::vector<int>>
      border_place_;         ///< by group, of its border in the front of the whole, if nothing is delayed
  std::vector<int> own_;     ///< unknowns in this rank's own front
  std::vector<int> place_;   ///< by unknown, there
  std::vector<Task> tasks_;  ///< parts before wholes; the first is this rank
  std::vector<std::vector<double>> sent_;
  std::vector<MPI_Request> requests_;
  Eigen::VectorXd b_, x_;  // workspaces
  std::vector<double> message_;
};

}  // namespace trammel
