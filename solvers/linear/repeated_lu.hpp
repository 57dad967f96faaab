#pragma once

#include <klu.h>
#include <petscpc.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/linear/entry_set.hpp"
#include "solvers/linear/klu_columns.hpp"
#include "solvers/linear/timings.hpp"
#include "trammel/index.hpp"

namespace trammel {

/// LU on one rank of a sparse matrix that is factorized again and again with other values, by KLU (Davis and
/// Palamadai Natarajan, ACM Trans. Math. Softw. 37 (2010) 36), with four savings that PETSc's interface to it lacks:
///
/// - Only entries that were ever different from zero count. A model's blocks are dense; of the tangent of a plane
///   mechanism in space three entries of four are zero for good, and so the parts in and across the plane separate.
/// - Unknowns are eliminated in an order of AMD (elimination_order) where its factors need about the operations that it expects: it counts
///   on a symmetric structure and on pivots that stay on the diagonal, where multipliers have zeros. Elsewhere, and in small systems, in this
///   order, by AMD after a block triangular form or by COLAMD, whichever makes the cheapest factors.
/// - Where few rows have changed, only those columns of the factors are found anew that depend on them.
/// - The order of pivots is kept while it serves (klu_refactor): it is sought anew where a pivot falls far below the
///   one that was chosen, relative to the size of its column at that time. These sizes are kept with the order.
///
/// KLU gets a copy of the matrix whose rows and columns lie in the order of elimination: it reads all of it from the first number to the last.
class RepeatedLu {
 public:
  /// `one_block`: no block triangular form is sought, so that L and U are factors of the whole.
  explicit RepeatedLu(bool one_block = false) : one_block_(one_block) {}

  /// A square matrix by compressed rows.
  struct Rows {
    PetscInt n = 0;
    const PetscInt *begin = nullptr, *column = nullptr;
    const double* value = nullptr;
  };

  /// Factorizes a matrix of type MATSEQAIJ. False where it is singular.
  bool factorize(Mat A);
  /// `changed`: its structure is not that of the last matrix.
  bool factorize(const Rows& A, bool changed);
  /// The next matrix differs from the last in these rows only, ascending: what does not depend on them is not factorized again.
  void expect_changes(std::vector<int> rows) { renewal_.changed = std::move(rows); }
  /// Rows that will change so most often: orders sought from now on take them last, where that is as cheap.
  void prefer_last(std::vector<int> rows) { renewal_.last = std::move(rows); }
  /// A border that is eliminated after this matrix: for each of its unknowns, the unknowns here that it is coupled to. Orders sought from now
  /// on take it into account (elimination_order).
  void set_border(std::vector<std::vector<int>> border) { border_ = std::move(border); }
  /// Omits unknowns, their rows and their columns, from now on: `number` gives for each unknown of the matrix what it is called here, in
  /// the same order from 0 on, and -1 where it is omitted.
  void omit(std::vector<PetscInt> number);
  /// By number the unknown of the matrix; empty where none are omitted.
  const std::vector<PetscInt>& kept() const { return kept_; }
  /// The last factorization failed for want of memory.
  bool out_of_memory() const { return common_ && common_->status == KLU_OUT_OF_MEMORY; }
  /// x = A^-1 b, of `size()` numbers each, in the numbers of `omit`.
  void solve(const double* b, double* x);
  /// The same for two right-hand sides, which takes less time than one after the other: the factors are read once.
  void solve(std::array<const double*, 2> b, std::array<double*, 2> x);
  /// x = A^-T b.
  void solve_transposed(const double* b, double* x);
  int size() const { return static_cast<int>(starts_.size()) - 1; }

  /// Columns that the last factorization has found: those that depend on changed rows, or all.
  int renewed_columns() const { return renewal_.columns; }
  /// Orders of pivots sought so far.
  int searches() const { return searches_; }
  /// Operations of the last factorization, and of a solve by it.
  LinearWork work() const;
  /// Entries that count.
  std::size_t entries() const { return columns_.size(); }
  /// Orders of columns tried so far, each at the price of a factorization.
  int tried() const { return tried_; }
  /// KLU's own factors, of the transposed matrix with its rows scaled: that of unknown j by scale(j).
  const klu_symbolic& symbolic() const { return *symbolic_; }
  const klu_numeric& numeric() const { return *numeric_; }
  double scale(int unknown) const { return static_cast<double>(scales_[at(place_[at(unknown)])]); }
  /// By pivot: the unknowns of its row of the matrix (a column to KLU) and of its column, in the numbers of `omit`.
  const std::vector<int>& rows_of_pivots() const { return row_of_.empty() ? unknown_ : row_of_; }
  const std::vector<int>& columns_of_pivots() const { return column_of_.empty() ? unknown_ : column_of_; }
  /// The two halves of a solve where there is one block: w, by pivot, from the numbers of b at the places `from`, and the numbers of x at the
  /// places `to` from w, which is lost. Places are by pivot.
  template <class Place>
  void forward(const double* b, const Place* from, double* w) const {
    sweep_forward([b, from](int k) { return b[from[k]]; }, w);
  }
  template <class Place>
  void backward(double* w, const Place* to, double* x) const {
    sweep_backward(w, [to, x](int k, double number) { x[to[k]] = number; });
  }

 private:
  /// An entry this much smaller than the largest of its row and than the largest of its column does not count: its loss
  /// is a backward error below rounding.
  static constexpr double negligible = 1e-16;
  /// The share of its first size to which a kept pivot may fall.
  static constexpr double pivot_loss = 0.01;
  /// The largest scaled entry, one to two when scales were found, may grow and shrink to this and to its inverse.
  static constexpr double most_change = 10;

  struct FreeSymbolic {
    klu_common* common;
    void operator()(klu_symbolic* s) const { klu_free_symbolic(&s, common); }
  };
  struct FreeNumeric {
    klu_common* common;
    void operator()(klu_numeric* n) const {
      n->Work = nullptr;  // not its own
      klu_free_numeric(&n, common);
    }
  };

  /// `use(k, column)` for each column of U from the first to the last.
  template <class Use>
  void each_upper_column(Use&& use) const {
    const klu_numeric& factors = *numeric_;
    if (!in_sequence_) {
      for (int k = 0; k < size(); ++k) use(k, size() > 1 ? upper_column(factors, k) : KluColumn{});
      return;
    }
    KluSequence columns(factors, factors.Uip[0]);
    for (int k = 0; k < size(); ++k) use(k, columns.next(factors.Ulen[k]));
  }
  /// The same for each column of L from the last to the first.
  template <class Use>
  void each_lower_column_backwards(Use&& use) const {
    const klu_numeric& factors = *numeric_;
    if (!in_sequence_) {
      for (int k = size() - 1; k >= 0; --k) use(k, size() > 1 ? lower_column(factors, k) : KluColumn{});
      return;
    }
    KluSequence columns(factors, factors.Lip[size() - 1]);
    for (int k = size() - 1; k >= 0; --k) use(k, columns.next(factors.Llen[k]));
  }

  /// The halves of a solve for numbers of any type, such as those of several right-hand sides: b has `load(k)`, x takes `store(k, number)`.
  template <class Number, class Load>
  void sweep_forward(Load&& load, Number* w) const {
    each_upper_column(
        [&](int k, const KluColumn& U) { w[k] = U.reduce(load(k), w) * inverse_pivots_[at(k)]; });
  }
  template <class Number, class Store>
  void sweep_backward(Number* w, Store&& store) const {
    const float* const scales = (scale_of_.empty() ? scales_ : scale_of_).data();
    each_lower_column_backwards([&](int k, const KluColumn& L) {
      w[k] = L.reduce(w[k], w);
      store(k, w[k] * static_cast<double>(scales[k]));
    });
  }

  /// Copies the entries that count, scaled. False where entries that do not count are not negligible.
  bool take_values(const Rows& A);
  /// Makes the largest entry of each column of the matrix (a row to KLU) at least one and less than two, by powers of two.
  void scale(const double* value);
  std::vector<double> largest_by_column(const double* value) const;
  PetscInt number(PetscInt unknown) const { return number_.empty() ? unknown : number_[at(unknown)]; }
  /// Those of unknowns that are not omitted.
  std::vector<int> numbers(const std::vector<int>& unknowns) const;
  PetscInt unknown(int number) const { return kept_.empty() ? number : kept_[at(number)]; }
  bool negligible_all(const Rows& A, const std::vector<PetscInt>& entries);
  void find_largest_of_columns(const Rows& A);
  /// Follows the entries that count from row to row: where they lie in the copy of the matrix.
  class Copied;
  void take_structure(const Rows& A);
  void order_unknowns(const std::vector<int>& starts, const std::vector<int>& columns);
  /// What all solvers use in turn, since none has to keep what is in it.
  struct Room {
    std::vector<double> values;  ///< of the entries that count
    std::vector<double> work;    ///< KLU's
  };
  void share_room();
  void take_workspace_from(klu_numeric& numeric) const;
  klu_numeric* with_workspace();
  struct Factors;
  klu_numeric* factorized(klu_symbolic* symbolic);
  /// Not by KLU.
  bool solves_itself(const klu_symbolic& symbolic) const { return symbolic.nblocks == 1 && size() > 1; }
  void separate(klu_numeric& factors);
  bool suffices(const Factors& alone) const;
  void order();
  bool seek_pivots();
  Factors analysed(int ordering, bool blocks);
  void factorize(Factors& made, double cheaper_than);
  void remember_pivots();
  /// Reads from the factors in which order solves will pass through them.
  void follow_order();
  bool pivots_serve() const;
  void invert_pivots();
  /// Whether an order with the rows last that have changed so often is worth its price.
  bool orders_pay() const;
  /// Whether these rows, by number, have no more than entries that count, of about the size for which scales were found.
  bool rows_fit(const Rows& A, const std::vector<int>& rows) const;
  void find_dependents();
  /// Of rows by number.
  std::vector<int> pivots_of(const std::vector<int>& rows) const;
  /// False where its pivot is too small. `change`: the largest of a number of U, over the largest of them, or of one of L.
  bool renew_column(const Rows& A, int k, double& change);
  /// Factorizes again what depends on these rows. False where all has to be factorized.
  bool renew(const Rows& A, const std::vector<int>& rows);

  bool one_block_;
  struct {
    int size = 0;
    double flops = 0;
  } others_lost_;  ///< operations of AMD's order when others were compared with it and did worse
  std::vector<std::vector<int>> border_;
  double expected_entries_ = 0,
         expected_operations_ = 0;  ///< by the order of elimination; 0 where there is none
  std::unique_ptr<klu_common> common_;
  std::unique_ptr<klu_symbolic, FreeSymbolic> symbolic_{nullptr, {nullptr}};
  std::unique_ptr<klu_numeric, FreeNumeric> numeric_{nullptr, {nullptr}};
  PetscObjectId matrix_ = 0;
  PetscObjectState structure_ = 0;
  std::vector<PetscInt> number_, kept_;  ///< empty: none are omitted
  EntrySet counting_;                    ///< entries of the matrix
  /// The order of elimination, before KLU changes it: by place the unknown, by unknown the place.
  std::vector<int> unknown_, place_;
  std::vector<int> starts_, columns_;  ///< rows of the copy and their columns, by place
  std::shared_ptr<Room> room_;
  std::vector<float> scales_;  ///< by column of the copy; powers of two
  /// By pivot, where KLU has changed the order of the copy; empty where it has not.
  std::vector<int> row_of_, column_of_;
  std::vector<float> scale_of_;
  bool in_sequence_ = false;  ///< the factors lie in memory as `separate` leaves them
  /// By row and by column of the matrix, an entry that was its largest; -1 where it is not known, and empty until one is asked for.
  std::vector<PetscInt> large_in_row_, large_in_column_;
  double largest_ = 0;         ///< of the values
  std::vector<float> pivots_;  ///< sizes of the pivots at the time when their order was chosen
  std::vector<double> inverse_pivots_;
  /// See repeated_lu_renewal.cpp.
  struct Renewal {
    std::optional<std::vector<int>> changed;  ///< rows of the matrix: see expect_changes
    std::vector<int> last;                    ///< see prefer_last
    std::vector<int> often;      ///< those that have changed since the order was found, ascending
    std::vector<int> dependent;  ///< by pivot: the next that depends on it, or -1; empty until it is needed
    int columns = 0;             ///< see renewed_columns
    double vain = 0;             ///< columns renewed since the order was found that another would have spared
    int orders = 0;              ///< that were sought for their sake
    int waiting = 0, wait = 0;   ///< factorizations before it is tried again: to come, in all
  };
  Renewal renewal_;
  int growths_ = 0, searches_ = 0, tried_ = 0;
};

/// Makes RepeatedLu the solver of `pc`.
void use_repeated_lu(PC pc);

}  // namespace trammel
