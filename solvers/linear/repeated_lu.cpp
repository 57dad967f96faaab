#include "solvers/linear/repeated_lu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "kernel/petsc_call.hpp"
#include "solvers/linear/elimination_order.hpp"
#include "solvers/linear/matrix_rows.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

/// A structure that keeps growing is taken as full.
constexpr int most_growths = 12;
/// The smallest share of a column's largest entry that keeps the pivot on the diagonal.
constexpr double pivot_tolerance = 0.01;
/// Of a scale.
constexpr int most_exponent = 120;
/// Visits to an entry, on average, after which BTF gives up to cover the diagonal: for a long chain they grow with its length.
constexpr double transversal_work = 20;
/// AMD expects the operations of a matrix with symmetric structure whose pivots stay on the diagonal. A factorization that comes as
/// close to them as this is not compared with others.
constexpr double as_expected = 1.2;
/// Operations for each entry of L beyond which twice the expectation is close enough: on lattices of beams COLAMD, which does not
/// know of symmetry, needed five to eight times the operations of AMD.
constexpr double much_fill = 40, near_expected = 2;
/// Entries of L, by those that AMD expects, beyond which a trial is given up: where zeros on the diagonal push pivots off it, some
/// chains of joints fill in without bound.
constexpr double most_fill = 2;
/// Operations, by those of the order that AMD finds alone, of one with rows last that change often.
constexpr double as_cheap = 1.05;
/// Unknowns up to which all orderings are compared, for next to no time, where there is no border that only one of them knows.
constexpr int few = 1000;

constexpr int amd = 0, colamd = 1, as_it_is = 2;  // KLU's numbers

/// New factors need large blocks, which the holes of a heap in use may not hold: the pages of these holes go back to the system. The
/// end of the heap stays as it is, in huge pages.
void give_back_pages() {
#ifdef __GLIBC__
  constexpr std::size_t whole_end = std::size_t{1} << 40;
  malloc_trim(whole_end);
#endif
}

}  // namespace

bool RepeatedLu::factorize(Mat A) {
  PetscObjectId matrix = 0;
  PetscObjectState structure = 0;
  TRAMMEL_PETSC(PetscObjectGetId(reinterpret_cast<PetscObject>(A), &matrix));
  TRAMMEL_PETSC(MatGetNonzeroState(A, &structure));
  const bool changed = matrix != matrix_ || structure != structure_;
  matrix_ = matrix;
  structure_ = structure;
  const MatrixRows rows(A);
  return factorize({rows.n, rows.begin, rows.column, rows.value}, changed);
}

bool RepeatedLu::factorize(const Rows& A, bool changed) {
  const std::size_t entries = at(A.begin[A.n]);
  const std::optional<std::vector<int>> rows = std::exchange(renewal_.changed, std::nullopt);
  const bool orders = orders_pay();
  if (rows && !changed && !orders && renew(A, *rows)) return true;
  if (!symbolic_ || changed || counting_.entries() != entries) {
    counting_ = EntrySet(entries);
    growths_ = 0;
    symbolic_.reset();
    large_in_row_.clear();
  }
  const bool grown = orders || !symbolic_ || !take_values(A);
  if (grown) {
    if (orders) {
      renewal_.last = renewal_.often;
      ++renewal_.orders;
    } else {
      ++growths_;
    }
    numeric_.reset();  // before there is more
    symbolic_.reset();
    take_structure(A);
    give_back_pages();
    scale(A.value);
    take_values(A);
    order();
  }
  renewal_.columns = size();
  if (!symbolic_) return false;
  if (grown && numeric_) return true;
  const bool same_size = largest_ < most_change && largest_ * most_change > 1;
  if (numeric_ && same_size &&
      klu_refactor(starts_.data(), columns_.data(), room_->values.data(), symbolic_.get(), with_workspace(),
                   common_.get()) != 0 &&
      pivots_serve()) {
    invert_pivots();
    return true;
  }
  scale(A.value);
  take_values(A);
  return seek_pivots();
}

void RepeatedLu::omit(std::vector<PetscInt> number) {
  number_ = std::move(number);
  kept_.clear();
  for (std::size_t i = 0; i < number_.size(); ++i)
    if (number_[i] >= 0) kept_.push_back(static_cast<PetscInt>(i));
}

std::vector<int> RepeatedLu::numbers(const std::vector<int>& unknowns) const {
  std::vector<int> all;
  for (const int unknown : unknowns)
    if (const PetscInt its = number(unknown); its >= 0) all.push_back(static_cast<int>(its));
  return all;
}

class RepeatedLu::Copied {
 public:
  explicit Copied(const RepeatedLu& lu) : lu_(lu) {}

  /// The place in the copy of the next entry that counts, in the order of the matrix.
  std::size_t next() {
    while (place_ == end_) {
      const auto row = at(lu_.place_[at(++row_)]);
      place_ = lu_.starts_[row];
      end_ = lu_.starts_[row + 1];
    }
    return at(place_++);
  }

 private:
  const RepeatedLu& lu_;
  int row_ = -1, place_ = 0, end_ = 0;
};

/// Of the entries that count.
std::vector<double> RepeatedLu::largest_by_column(const double* value) const {
  std::vector<double> all(at(size()), 0.0);
  Copied copied(*this);
  counting_.each([&](std::size_t entry) {
    double& largest = all[at(columns_[copied.next()])];
    largest = std::max(largest, std::abs(value[entry]));
  });
  return all;
}

void RepeatedLu::scale(const double* value) {
  const std::vector<double> largest = largest_by_column(value);
  scales_.resize(largest.size());
  // Products with powers of two are exact.
  std::ranges::transform(largest, scales_.begin(), [](double size) {
    return size > 0 ? std::ldexp(1.0F, -std::clamp(std::ilogb(size), -most_exponent, most_exponent)) : 1.0F;
  });
}

bool RepeatedLu::take_values(const Rows& A) {
  double largest = 0;
  Copied copied(*this);
  double* const to = room_ ? room_->values.data() : nullptr;
  std::vector<PetscInt> others;
  counting_.each(
      A.value,
      [&](std::size_t entry) {
        const std::size_t k = copied.next();
        const double number = A.value[entry] * static_cast<double>(scales_[at(columns_[k])]);
        to[k] = number;
        largest = std::max(largest, std::abs(number));
      },
      [&](std::size_t entry) { others.push_back(static_cast<PetscInt>(entry)); });
  largest_ = largest;
  return others.empty() || negligible_all(A, others);
}

/// Of entries that do not count, in ascending order. What is negligible beside one entry of its row and one of its column is so beside the
/// largest too: these are sought only where those that were the largest last time do not suffice.
bool RepeatedLu::negligible_all(const Rows& A, const std::vector<PetscInt>& entries) {
  const auto is_small = [&](double size, PetscInt beside) {
    return beside >= 0 && size <= negligible * std::abs(A.value[beside]);
  };
  if (large_in_row_.empty()) {
    large_in_row_.assign(at(size()), -1);
    large_in_column_.assign(at(size()), -1);
  }
  bool columns_known = false;
  PetscInt row = 0;
  for (const PetscInt entry : entries) {
    while (entry >= A.begin[row + 1]) ++row;
    const PetscInt i = number(row), j = number(A.column[entry]);
    if (i < 0 || j < 0) continue;
    const double size = std::abs(A.value[entry]);
    PetscInt& in_row = large_in_row_[at(i)];
    const PetscInt& in_column = large_in_column_[at(j)];
    if (!is_small(size, in_row)) {
      in_row = A.begin[row];
      for (PetscInt p = A.begin[row]; p < A.begin[row + 1]; ++p)
        if (std::abs(A.value[p]) > std::abs(A.value[in_row])) in_row = p;
      if (!is_small(size, in_row)) return false;
    }
    if (is_small(size, in_column)) continue;
    if (!std::exchange(columns_known, true)) find_largest_of_columns(A);
    if (!is_small(size, in_column)) return false;
  }
  return true;
}

/// Of the entries that count; -1 where there is none.
void RepeatedLu::find_largest_of_columns(const Rows& A) {
  std::ranges::fill(large_in_column_, -1);
  counting_.each([&](std::size_t entry) {
    PetscInt& largest = large_in_column_[at(number(A.column[entry]))];
    if (largest < 0 || std::abs(A.value[entry]) > std::abs(A.value[largest]))
      largest = static_cast<PetscInt>(entry);
  });
}

/// Lets entries count that were zero so far. Those at the level of rounding may grow later: all that are not exactly zero count then.
void RepeatedLu::take_structure(const Rows& A) {
  const bool all = growths_ > most_growths;
  std::vector<int> starts{0}, columns;
  for (PetscInt i = 0; i < A.n; ++i) {
    if (number(i) < 0) continue;
    int counting = 0;
    for (PetscInt entry = A.begin[i]; entry < A.begin[i + 1]; ++entry) {
      if (number(A.column[entry]) < 0) continue;
      if (all || A.value[entry] != 0 || A.column[entry] == i) counting_.insert(at(entry));
      if (counting_.contains(at(entry))) ++counting;
    }
    starts.push_back(starts.back() + counting);
  }
  columns.reserve(at(starts.back()));
  counting_.each([&](std::size_t entry) { columns.push_back(static_cast<int>(number(A.column[entry]))); });
  order_unknowns(starts, columns);
  share_room();
}

/// Of a matrix by compressed rows, which its copy becomes in another order.
void RepeatedLu::order_unknowns(const std::vector<int>& starts, const std::vector<int>& columns) {
  const auto n = static_cast<int>(starts.size()) - 1;
  EliminationOrder found = elimination_order(n, starts.data(), columns.data(), border_);
  if (!renewal_.last.empty()) {
    EliminationOrder other =
        elimination_order(n, starts.data(), columns.data(), border_, numbers(renewal_.last));
    if (!other.unknowns.empty() && other.operations <= as_cheap * found.operations) found = std::move(other);
  }
  expected_entries_ = found.entries;
  expected_operations_ = found.operations;
  unknown_ = std::move(found.unknowns);
  if (unknown_.empty()) {
    unknown_.resize(at(n));
    std::iota(unknown_.begin(), unknown_.end(), 0);
  }
  place_.resize(at(n));
  for (int k = 0; k < n; ++k) place_[at(unknown_[at(k)])] = k;
  starts_.assign(1, 0);
  columns_.clear();
  columns_.reserve(columns.size());
  for (const int unknown : unknown_) {
    for (int entry = starts[at(unknown)]; entry < starts[at(unknown) + 1]; ++entry)
      columns_.push_back(place_[at(columns[at(entry)])]);
    starts_.push_back(static_cast<int>(columns_.size()));
  }
}

/// KLU's factors refer neither to the values nor, between its calls, to the workspace.
void RepeatedLu::share_room() {
  static std::weak_ptr<Room> common;
  if (!room_) room_ = common.lock();
  if (!room_) common = room_ = std::make_shared<Room>();
  const auto fit = [](std::vector<double>& all, std::size_t least) {
    if (all.size() < least) all = std::vector<double>(least);  // of this capacity
  };
  fit(room_->values, std::max(columns_.size(), at(size())));
  fit(room_->work, 4 * at(size()));
}

/// Each numeric factorization comes with a workspace, four numbers a column.
void RepeatedLu::take_workspace_from(klu_numeric& numeric) const {
  numeric.Work = klu_free(numeric.Work, numeric.worksize, 1, common_.get());
}

klu_numeric* RepeatedLu::with_workspace() {
  numeric_->Work = numeric_->Xwork = room_->work.data();
  numeric_->Iwork = reinterpret_cast<int*>(room_->work.data() + size());
  return numeric_.get();
}

struct RepeatedLu::Factors {
  std::unique_ptr<klu_symbolic, FreeSymbolic> symbolic{nullptr, {nullptr}};
  std::unique_ptr<klu_numeric, FreeNumeric> numeric{nullptr, {nullptr}};
  double flops = 0;
};

/// An order of columns, without factors yet; the copy of the matrix is in the order of elimination as it is.
RepeatedLu::Factors RepeatedLu::analysed(int ordering, bool blocks) {
  Factors made{{nullptr, {common_.get()}}, {nullptr, {common_.get()}}};
  common_->ordering = ordering;
  common_->btf = blocks ? 1 : 0;
  made.symbolic.reset(klu_analyze(size(), starts_.data(), columns_.data(), common_.get()));
  if (made.symbolic && ordering == as_it_is) {  // KLU expects nothing of an order that it did not find
    klu_symbolic& order = *made.symbolic;
    order.lnz = order.unz = order.Lnz[0] = expected_entries_;
    order.est_flops = expected_operations_;
  }
  return made;
}

/// No factors come of it where the matrix is singular, or where they are not, or cannot be expected to be, cheaper than asked for.
void RepeatedLu::factorize(Factors& made, double cheaper_than) {
  if (!made.symbolic || made.symbolic->est_flops > cheaper_than) return;
  ++tried_;
  made.numeric.reset(factorized(made.symbolic.get()));
  if (!made.numeric) return;
  klu_flops(made.symbolic.get(), made.numeric.get(), common_.get());
  made.flops = common_->flops;
  if (made.flops > cheaper_than) made.numeric.reset();
}

/// Null where the matrix is singular, or fills in far more than AMD expects.
klu_numeric* RepeatedLu::factorized(klu_symbolic* symbolic) {
  const double initial = common_->initmem_amd, growth = common_->memgrow;
  if (symbolic->ordering != colamd) {
    common_->initmem_amd = most_fill;
    common_->memgrow = std::numeric_limits<double>::max();  // KLU gives up where it would need more
  }
  // Meanwhile KLU has a workspace of its own.
  const std::size_t room = std::exchange(room_->work, {}).size();
  klu_numeric* made =
      klu_factor(starts_.data(), columns_.data(), room_->values.data(), symbolic, common_.get());
  common_->initmem_amd = initial;
  common_->memgrow = growth;
  if (made != nullptr && common_->status != KLU_OK) klu_free_numeric(&made, common_.get());
  if (made != nullptr) take_workspace_from(*made);
  room_->work.resize(room);
  if (made != nullptr && solves_itself(*symbolic)) separate(*made);
  return made;
}

/// KLU stores a column of U and one of L in turns. A solve reads all of U, and then all of L from its end: where columns are short it reads half as
/// much if they lie in this order.
void RepeatedLu::separate(klu_numeric& factors) {
  auto* const packed = static_cast<double*>(factors.LUbx[0]);
  std::size_t of_L = 0;
  for (int k = 0; k < size(); ++k) of_L += at(klu_units(factors.Llen[k]));
  std::vector<double>& L = room_->work;
  if (of_L > L.size()) return;
  double* kept = L.data();
  for (int k = size() - 1; k >= 0; --k)
    kept = std::copy_n(packed + factors.Lip[k], klu_units(factors.Llen[k]), kept);
  int end = 0;
  for (int k = 0; k < size(); ++k) {
    std::copy_n(packed + factors.Uip[k], klu_units(factors.Ulen[k]),
                packed + end);  // to where it was, or before
    factors.Uip[k] = std::exchange(end, end + klu_units(factors.Ulen[k]));
  }
  std::copy(L.data(), kept, packed + end);
  for (int k = size() - 1; k >= 0; --k) factors.Lip[k] = std::exchange(end, end + klu_units(factors.Llen[k]));
}

/// Whether AMD did about as well as it expected, or as when others were tried and did worse, so that they need not be tried.
bool RepeatedLu::suffices(const Factors& alone) const {
  if (!alone.numeric) return false;
  if (size() > few && others_lost_.size == size() && alone.flops <= as_expected * others_lost_.flops)
    return true;
  const double expected = alone.symbolic->est_flops;
  if (expected > much_fill * alone.symbolic->lnz) return alone.flops <= near_expected * expected;
  return (size() > few || !border_.empty()) && alone.flops <= as_expected * expected;
}

void RepeatedLu::order() {
  numeric_.reset();
  symbolic_.reset();
  if (!common_) {
    common_ = std::make_unique<klu_common>();
    klu_defaults(common_.get());
    common_->tol = pivot_tolerance;
    common_->maxwork = transversal_work;
    common_->scale = -1;  // KLU would find the scales anew in each factorization, and divide by them
  }
  // Rows of PETSc are columns to KLU: it factorizes the transpose.
  constexpr double any_price = std::numeric_limits<double>::infinity();
  Factors best = analysed(expected_entries_ > 0 ? as_it_is : amd, false);
  factorize(best, any_price);
  const bool regular = common_->status != KLU_SINGULAR;
  if (!suffices(best)) {
    const auto compare = [&](int ordering, bool blocks) {
      Factors other = analysed(ordering, blocks);
      factorize(other, best.numeric ? best.flops : any_price);
      if (other.numeric) best = std::move(other);
    };
    // Where there is nothing to compare with yet, AMD in blocks may be expected to take a hundred times the operations of COLAMD.
    const double alone = best.flops;
    const bool without_numbers = !best.numeric;
    if (without_numbers) compare(colamd, false);
    if (regular && !one_block_) compare(amd, true);
    if (!without_numbers) compare(colamd, false);
    others_lost_ = {size(), best.flops == alone ? alone : 0};
  }
  symbolic_ = std::move(best.symbolic);
  numeric_ = std::move(best.numeric);
  if (numeric_) remember_pivots();
}

bool RepeatedLu::seek_pivots() {
  numeric_.reset();
  numeric_.reset(factorized(symbolic_.get()));
  if (numeric_)
    remember_pivots();
  else if (common_->status == KLU_TOO_LARGE)
    order();  // one that was chosen for other pivots
  return numeric_ != nullptr;
}

void RepeatedLu::remember_pivots() {
  ++searches_;
  renewal_.dependent.clear();
  renewal_.often.clear();
  renewal_.vain = 0;
  const auto* pivots = static_cast<const double*>(numeric_->Udiag);
  pivots_.resize(at(size()));
  std::transform(pivots, pivots + size(), pivots_.begin(),
                 [](double pivot) { return static_cast<float>(std::abs(pivot)); });
  invert_pivots();
  follow_order();
}

void RepeatedLu::follow_order() {
  const std::span rows(symbolic_->Q, at(size())), columns(numeric_->Pnum, at(size()));
  const auto take = [](auto& taken, const auto& all, std::span<const int> places) {
    taken.clear();
    if (std::ranges::is_sorted(places)) return;  // a permutation that changes nothing
    taken.reserve(places.size());
    for (const int place : places) taken.push_back(all[at(place)]);
  };
  take(row_of_, unknown_, rows);
  take(column_of_, unknown_, columns);
  take(scale_of_, scales_, columns);
  in_sequence_ = solves_itself(*symbolic_);
  const klu_numeric& its = *numeric_;
  for (int k = 1; in_sequence_ && k < size(); ++k)
    in_sequence_ = its.Uip[k] == its.Uip[k - 1] + klu_units(its.Ulen[k - 1]) &&
                   its.Lip[k - 1] == its.Lip[k] + klu_units(its.Llen[k]);
}

bool RepeatedLu::pivots_serve() const {
  const auto* pivots = static_cast<const double*>(numeric_->Udiag);
  for (std::size_t k = 0; k < pivots_.size(); ++k)
    if (!(std::abs(pivots[k]) > pivot_loss * pivots_[k])) return false;
  return true;
}

void RepeatedLu::invert_pivots() {
  const auto* pivots = static_cast<const double*>(numeric_->Udiag);
  inverse_pivots_.resize(pivots_.size());
  std::transform(pivots, pivots + size(), inverse_pivots_.begin(), [](double pivot) { return 1 / pivot; });
}

void RepeatedLu::solve(const double* b, double* x) {
  const int n = size();
  if (solves_itself(*symbolic_)) {
    double* const all = room_->work.data();
    forward(b, rows_of_pivots().data(), all);
    backward(all, columns_of_pivots().data(), x);
    return;
  }
  double* const all = room_->values.data();
  for (int k = 0; k < n; ++k) all[k] = b[unknown_[at(k)]];
  klu_tsolve(symbolic_.get(), with_workspace(), n, 1, all, common_.get());
  for (int k = 0; k < n; ++k) x[unknown_[at(k)]] = all[k] * static_cast<double>(scales_[at(k)]);
}

void RepeatedLu::solve(std::array<const double*, 2> b, std::array<double*, 2> x) {
  if (!solves_itself(*symbolic_)) {
    for (std::size_t i = 0; i < b.size(); ++i) solve(b[i], x[i]);
    return;
  }
  // Aligned to 16 bytes, as the memory of a std::vector is.
  using Pair = double __attribute__((vector_size(2 * sizeof(double))));
  auto* const w = reinterpret_cast<Pair*>(room_->work.data());
  const int *const from = rows_of_pivots().data(), *const to = columns_of_pivots().data();
  sweep_forward([&](int k) { return Pair{b[0][from[k]], b[1][from[k]]}; }, w);
  sweep_backward(w, [&](int k, const Pair& numbers) {
    x[0][to[k]] = numbers[0];
    x[1][to[k]] = numbers[1];
  });
}

void RepeatedLu::solve_transposed(const double* b, double* x) {
  const int n = size();
  double* const all = room_->values.data();
  for (int k = 0; k < n; ++k) all[k] = b[unknown_[at(k)]] * static_cast<double>(scales_[at(k)]);
  klu_solve(symbolic_.get(), with_workspace(), n, 1, all, common_.get());
  for (int k = 0; k < n; ++k) x[unknown_[at(k)]] = all[k];
}

LinearWork RepeatedLu::work() const {
  LinearWork all{.unknowns = static_cast<double>(size())};
  if (!symbolic_ || !numeric_) return all;
  // In KLU's interface they are not const.
  klu_common common = *common_;
  if (klu_flops(symbolic_.get(), numeric_.get(), &common) == 0) return all;
  all.factorization = common.flops;
  all.solve = 2.0 * (numeric_->lnz + numeric_->unz + numeric_->nzoff);
  return all;
}

void use_repeated_lu(PC pc) {
  TRAMMEL_PETSC(PCSetType(pc, PCSHELL));
  TRAMMEL_PETSC(PCShellSetName(pc, "KLU, with its order of pivots kept"));
  TRAMMEL_PETSC(PCShellSetContext(pc, std::make_unique<RepeatedLu>().release()));
  TRAMMEL_PETSC(PCShellSetSetUp(pc, [](PC shell) -> PetscErrorCode {
    void* lu = nullptr;
    Mat A = nullptr;
    PetscCall(PCShellGetContext(shell, &lu));
    PetscCall(PCGetOperators(shell, nullptr, &A));
    PCFailedReason reason = PC_NOERROR;
    try {
      auto& own = *static_cast<RepeatedLu*>(lu);
      if (!own.factorize(A)) reason = own.out_of_memory() ? PC_FACTOR_OUTMEMORY : PC_FACTOR_NUMERIC_ZEROPIVOT;
    } catch (const std::bad_alloc&) {
      reason = PC_FACTOR_OUTMEMORY;
    }
    PetscCall(PCSetFailedReason(shell, reason));
    return 0;
  }));
  TRAMMEL_PETSC(PCShellSetApply(pc, [](PC shell, Vec b, Vec x) -> PetscErrorCode {
    void* lu = nullptr;
    const PetscScalar* from = nullptr;
    PetscScalar* to = nullptr;
    PetscCall(PCShellGetContext(shell, &lu));
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(VecGetArrayWrite(x, &to));
    static_cast<RepeatedLu*>(lu)->solve(from, to);
    PetscCall(VecRestoreArrayWrite(x, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
    return 0;
  }));
  TRAMMEL_PETSC(PCShellSetDestroy(pc, [](PC shell) -> PetscErrorCode {
    void* lu = nullptr;
    PetscCall(PCShellGetContext(shell, &lu));
    delete static_cast<RepeatedLu*>(lu);
    return 0;
  }));
}

}  // namespace trammel
