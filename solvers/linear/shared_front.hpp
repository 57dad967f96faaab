#pragma once

#include <mpi.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "solvers/linear/dense_lu.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// Which rank has which columns of a front: blocks of columns, dealt out there and back, so that each rank has some of the first and some of the
/// last. Columns are numbered without delayed ones, which the first rank has.
struct ColumnOwners {
  static constexpr int width = 32;
  std::vector<int> ranks;  ///< the first one leads
  int eliminated = 0, border = 0;

  /// Its place among the ranks.
  int of(int column) const {
    const int block = column < eliminated ? column / width
                                          : (eliminated + width - 1) / width + (column - eliminated) / width;
    const int count = static_cast<int>(ranks.size()), turn = block % (2 * count);
    return turn < count ? turn : 2 * count - 1 - turn;
  }
  /// The place of the rank that has U and D, by which it finishes a solution: the second of several, since a solution by all factors would
  /// take the first twice as long.
  int finisher() const { return ranks.size() > 1 ? 1 : 0; }
};

/// A front (see Front) whose columns lie on several ranks, each of which computes its own:
///
///     [E  C]   [L  0] [U  D]
///     [R  B] = [M  1] [0  S]      E = L U,  D = L^-1 C,  M = R U^-1,  S = B - M D
///
/// The rank of some columns of E finds their part of L and M (a panel), with pivots among the rows of E, and the others apply it to what they
/// have. All functions with a communicator are collective on the ranks of the front.
class SharedFront {
 public:
  /// `solve_tag`: of its messages in a solve, unlike those of other fronts.
  void set_structure(ColumnOwners owners, int rank, int solve_tag);
  /// A matrix of zeros, with `delayed` columns of the leader after those that are eliminated anyway.
  void start(int delayed);
  /// A column of this rank, by its number in the front.
  double* column(int number) { return columns_.data() + std::ptrdiff_t{size_} * local_[at(number)]; }
  /// Of S, by number in the border.
  const double* left_column(int number) { return column(leading_ + number) + leading_; }

  /// False on all ranks if the condition number of E, reciprocal and estimated, is less than `least`.
  bool eliminate(MPI_Comm comm, double least);
  /// Gives the leader the matrix as it was before.
  void gather(MPI_Comm comm, Eigen::MatrixXd& matrix);

  int size() const { return size_; }
  /// From a right-hand side that of the border. Of the leader, as the next; what the other factors need goes to the rank that finishes.
  void forward(MPI_Comm comm, const Eigen::VectorXd& b, Eigen::VectorXd& rest);
  void wait_until_sent();
  bool finishes() const { return place_ == owners_.finisher(); }
  /// From the solution at the border the whole one, to the right-hand side of the last `forward`.
  void backward(MPI_Comm comm, const Eigen::VectorXd& rest, Eigen::VectorXd& x);

 private:
  struct Block {
    int first, width, owner;
  };
  /// Columns of E when they are finished: a message from rank to rank.
  struct Panel {
    std::vector<double>
        numbers;  ///< whether there are pivots, the largest sum of a column, rows exchanged, scales, and L, M with the triangle of U
    std::vector<int> exchanged;
  };
  struct Inverse;

  bool leads() const { return place_ == 0; }
  int next(int place) const { return (place + 1) % static_cast<int>(owners_.ranks.size()); }
  int previous(int place) const { return place > 0 ? place - 1 : static_cast<int>(owners_.ranks.size()) - 1; }
  const double* factors(int panel) const {
    return panels_[at(panel)].numbers.data() + 2 + 2 * blocks_[at(panel)].width;
  }
  void scale(MPI_Comm comm);
  void make(int panel);
  void pass_on(MPI_Comm comm, int panel);
  void receive(MPI_Comm comm, int panel);
  void apply(int panel, int first, int count);
  bool find_panels(MPI_Comm comm);
  void gather_upper(MPI_Comm comm);
  void solve_lower(double* x, int rows) const;

  ColumnOwners owners_;
  int place_ = 0;  ///< of this rank
  int solve_tag_ = 0;
  int size_ = 0, leading_ = 0, panel_count_ = 0;
  std::vector<Block> blocks_;  ///< those of E are panels
  std::vector<int> local_;     ///< by column its number among those of this rank, or -1
  Eigen::MatrixXd columns_, original_;
  Eigen::VectorXd row_scale_, column_scale_, column_sum_;  ///< of E
  std::vector<Panel> panels_;
  std::vector<MPI_Request> sent_;
  Eigen::MatrixXd upper_;  ///< U and D, of the rank that finishes
  Eigen::VectorXd own_;    ///< L^-1 b
  std::unique_ptr<DenseLu> dense_ = DenseLu::make();
};

}  // namespace trammel
