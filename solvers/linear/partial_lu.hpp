#pragma once

#include <span>
#include <vector>

#include "solvers/linear/repeated_lu.hpp"
#include "solvers/linear/weak_unknowns.hpp"

namespace trammel {

/// The interior of one rank, factorized up to its border (partial factorization):
///
///     [A  C]   [F   0] [B  W]
///     [R  .] = [V   1] [0  S]      A = F B,  W = F^-1 C,  V = R B^-1,  S = . - V W
///
/// with A by KLU. C, R, W and V are sparse: the order of pivots is that of a matrix which has the border too, so that A, W and V
/// fill in little. A solve goes once forward by F and once back by B, whatever the size of the border.
///
/// The vectors b, x, r and size are those of the rank; the interior is a part of them.
class PartialLu {
 public:
  /// The position of an entry of C or R.
  struct Entry {
    int inner = 0;     ///< unknown of the interior
    int border = 0;    ///< and of the border
    bool own = false;  ///< of C: the unknown of the border is one of this rank
    bool operator==(const Entry&) const = default;
  };

  /// Takes the structure: for each unknown of the rank its number in the interior, in the same order from 0 on, or -1; and the entries of
  /// C and of R, in any order.
  void set_structure(std::vector<PetscInt> number, std::vector<Entry> right, std::vector<Entry> below,
                     int border);
  int size() const { return static_cast<int>(lu_.kept().size()); }
  /// See RepeatedLu: rows of the rank.
  void expect_changes(std::vector<int> rows) { lu_.expect_changes(std::move(rows)); }
  void prefer_last(std::vector<int> rows) { lu_.prefer_last(std::move(rows)); }
  /// The part of the interior's columns that the last factorization has found.
  double renewed_part() const { return size() > 0 ? static_cast<double>(lu_.renewed_columns()) / size() : 0; }
  /// Of the interior alone.
  LinearWork work() const { return lu_.work(); }

  /// Factorizes; `rank` has all unknowns of the rank, of which A is a part; `c`, `r` are in the order of the structure, and stay alive
  /// as long as these factors are used. False if A is singular to rounding; then `weak` gives the unknowns responsible.
  bool factorize(const RepeatedLu::Rows& rank, std::span<const double> c, std::span<const double> r);
  /// See WeakUnknowns: unknowns of the interior without which A is expected to be regular.
  std::span<const int> weak() const { return weak_.weak; }
  /// Where A was factorized although it is nearly singular: unknowns without which it may not be.
  std::span<const int> suspects() const { return weak_.suspects; }

  /// Adds -V W to `entries`; `of` says to which: those of the first row, of the second, and so on.
  void add_complement(std::span<const PetscInt> of, double* entries) const;
  /// w = F^-1 b.
  void forward(const double* b, double* w) const;
  /// g -= V w, by unknown of the border.
  void reduce(const double* w, double* g) const;
  /// x = B^-1 (w - W y), y by unknown of the border; w is lost.
  void backward(const double* y, double* w, double* x) const;

  /// r = b - A x - C y and size = |A| |x| + |C| |y| + |b|, of the interior; those of the border get what R adds. `rank` as it was
  /// factorized; x has the border's unknowns too that are of this rank.
  void residual(const RepeatedLu::Rows& rank, const double* b, const double* x, const double* y, double* r,
                double* size, double* border_r, double* border_size) const;
  /// What the terms of the rows `of` might amount to, though those that there are be rounding errors: where the largest number of each
  /// column of A is one, the largest number of a row times the largest unknown among its columns, at least `faint` times the largest of
  /// all unknowns. Entries count that are zero now. Units of columns do not matter. Rows of the border get what R adds.
  void potential(const RepeatedLu::Rows& rank, const double* x, double faint, std::span<const std::size_t> of,
                 double* potential, double* border_potential) const;

 private:
  /// Numbers for `lanes` unknowns of the border, at each place that one of them has a number at: several are computed at once, and an
  /// entry of the factors is read once for all of them.
  static constexpr int lanes = 4;
  /// Aligned as std::vector's memory is. A typedef: clang ignores `aligned` after `using`.
  // NOLINTNEXTLINE(modernize-use-using)
  typedef double Vector __attribute__((vector_size(lanes * sizeof(double)), aligned(16)));
  struct Lanes {
    Vector v;
  };
  struct Sparse {
    std::vector<int> place;  ///< in the order of pivots, ascending
    std::vector<Lanes> value;
  };
  struct ByRows {
    struct Entry {
      int column;
      double value;
    };
    std::vector<int> begin;  ///< by row its first entry, and one past the last of all
    std::vector<Entry> entry;
  };

  ByRows upper_by_rows() const;
  void find_reach();
  /// w -= W y
  void subtract_border(const double* y, double* w) const;
  void eliminate_border();
  PartOfRows part_of(const RepeatedLu::Rows& rank) const { return {rank, number_, lu_.kept()}; }
  Coupling coupling() const;

  RepeatedLu lu_{true};
  std::vector<PetscInt> number_;  ///< by unknown of the rank: its number in the interior, or -1
  std::vector<Entry> right_, below_;
  std::span<const double> c_, r_;
  int border_ = 0, searches_ = -1;
  bool changed_ = true;
  bool by_rows_ = false;                               ///< W is found by rows of U
  std::vector<int> place_of_column_, place_of_row_;    ///< by unknown: its pivot
  std::vector<PetscInt> from_, to_;                    ///< by pivot: places of its number in b and x
  std::vector<std::vector<int>> right_of_, below_of_;  ///< by unknown of the border: entries of C and R
  std::vector<Sparse> w_, v_;                          ///< by unknown of the border, `lanes` at a time
  WeakUnknowns weak_;                                  ///< of the order of pivots that is kept
};

}  // namespace trammel
